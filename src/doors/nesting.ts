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

/** A longer text is audio, a long list of tools, or an attack. */
const PLAIN_LENGTH = 16_384;
const MOST_PARTS = 16_384;

/** For JSON. Parsing half a megabyte of brackets takes 40 ms, while other callers wait. Base64 takes one. */
export function hasTooManyParts(text: string): boolean {
  if (text.length <= PLAIN_LENGTH) return false;
  let parts = 0;
  for (const _ of text.matchAll(/[[{,:]/gu)) if ((parts += 1) > MOST_PARTS) return true;
  return false;
}
