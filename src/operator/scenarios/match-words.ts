import { isDeepStrictEqual } from "node:util";
import { plainWords } from "../../simulated-callers/words/word-errors.ts";

/** Whether a text has the words in this order, in any case and spelling of numbers, or matches a regular expression between slashes. */
export function hasWords(text: string, pattern: string, language: string): boolean {
  const [, body] = /^\/(.+)\/$/u.exec(pattern) ?? [];
  if (body !== undefined) return new RegExp(body, "iu").test(text);
  return spaced(text, language).includes(spaced(pattern, language));
}

const spaced = (text: string, language: string) => ` ${plainWords(text, language).join(" ")} `;

/** Whether an argument of a tool is the wanted one. Texts are compared as words. Fields that are not wanted may have any value. */
export function isValue(wanted: unknown, found: unknown, language: string): boolean {
  if (typeof wanted === "string" && typeof found === "string")
    return wanted.startsWith("/")
      ? hasWords(found, wanted, language)
      : isDeepStrictEqual(plainWords(wanted, language), plainWords(found, language));
  if (typeof wanted !== "object" || wanted === null || Array.isArray(wanted) || typeof found !== "object")
    return isDeepStrictEqual(wanted, found);
  return Object.entries(wanted).every(([key, value]) =>
    isValue(value, (found as Readonly<Record<string, unknown>> | null)?.[key], language),
  );
}
