import { isRecord } from "./schema.ts";

/** The schema that a reference such as `#/$defs/guest` points to. Undefined: there is none, or it is in another document. */
export function targetOf(root: unknown, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  let at = root;
  for (const part of reference.slice(1).split("/").filter(Boolean)) {
    const key = decoded(part);
    at =
      (isRecord(at) || Array.isArray(at)) && Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined;
  }
  return at;
}

function decoded(part: string): string {
  const plain = part.replaceAll("~1", "/").replaceAll("~0", "~");
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
