/** A replacer of `JSON.stringify`. Servers refuse JSON with half a surrogate pair, which a client or a model may have written. */
export const wellFormed = (_: string, value: unknown): unknown =>
  typeof value === "string" ? value.toWellFormed() : value;
