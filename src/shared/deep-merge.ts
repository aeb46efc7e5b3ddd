/** Any part of a tree of settings. */
export type DeepPartial<Value> = Value extends readonly unknown[]
  ? Value
  : Value extends object
    ? { readonly [Key in keyof Value]?: DeepPartial<Value[Key]> | undefined }
    : Value;

/** A copy with the values of `patch`: objects are merged field by field, arrays and plain values are replaced. Undefined changes nothing. */
export function deepMerge<Value extends object>(current: Value, patch: DeepPartial<NoInfer<Value>>): Value {
  return merge(current, patch) as Value;
}

function merge(current: unknown, patch: unknown): unknown {
  if (!isRecord(current) || !isRecord(patch)) return patch;
  const merged: Record<string, unknown> = { ...current };
  for (const [key, value] of Object.entries(patch)) {
    if (value !== undefined) merged[key] = merge(current[key], value);
  }
  return merged;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
