/** Deeper values are an attack: no setting needs them, and JSON.stringify throws at some thousand levels. */
const DEEPEST = 64;

/** Whether a value from JSON is nested too deeply to be sent back. Does not recurse. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((part) => (typeof part === "object" && part !== null ? Object.values(part) : []));
  }
  return false;
}
