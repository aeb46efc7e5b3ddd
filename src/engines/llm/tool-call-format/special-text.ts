import type { LlamaModel, Token } from "node-llama-cpp";

/** The model's vocabulary, as far as special texts need it. */
export type Vocabulary = Pick<LlamaModel, "tokenize" | "detokenize" | "getTokenAttributes" | "isEogToken">;

/** Whether a token has a meaning of its own, such as the end of a message. */
export function isSpecial(model: Vocabulary, token: Token): boolean {
  const { control, userDefined } = model.getTokenAttributes(token);
  return control || (userDefined && model.detokenize([token], true).trim() !== "");
}

/**
 * Puts a space into each special token and each of `marks`, so that data cannot end a message, a call or a result. llama.cpp reads
 * some special tokens even in plain text.
 */
export function defuse(model: Vocabulary, text: string, marks: readonly string[] = []): string {
  let safe = text;
  for (const mark of marks) safe = broken(safe, mark);
  const tokens = new Set(model.tokenize(safe, true).filter((token) => isSpecial(model, token)));
  for (const token of tokens) safe = broken(safe, model.detokenize([token], true));
  return safe;
}

const broken = (text: string, mark: string): string =>
  mark.length < 2 ? text : text.replaceAll(mark, `${mark.slice(0, 1)} ${mark.slice(1)}`);

/** The same for each text of a JSON value. */
export function defuseAll(model: Vocabulary, value: unknown, marks: readonly string[] = []): unknown {
  if (typeof value === "string") return defuse(model, value, marks);
  if (Array.isArray(value)) return value.map((item) => defuseAll(model, item, marks));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [defuse(model, name, marks), defuseAll(model, item, marks)]),
  );
}
