/** A part of a text as the voice reads it. */
export type SpokenToken =
  | { readonly kind: "word"; readonly text: string }
  /** Letters that are said one by one: "a.m.", "FBI's". */
  | { readonly kind: "letters"; readonly text: string; readonly hasS: boolean }
  | { readonly kind: "mark"; readonly text: string };

/** The service sends clauses. The limit bounds hostile input. */
const LONGEST_TEXT = 4000;

const DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const SIGNS: ReadonlyMap<string, string> = new Map([
  ["&", "and"],
  ["+", "plus"],
  ["%", "percent"],
  ["@", "at"],
  ["=", "equals"],
  ["°", "degrees"],
  ["$", "dollars"],
  ["€", "euros"],
  ["£", "pounds"],
  ["#", "number"],
]);

const LETTER = String.raw`\p{L}\p{M}`;
/**
 * Dotted letters with their ending, and the dot that ends a sentence too: a capital letter or nothing comes after it. Else a word with its apostrophes
 * and hyphens, a digit, a mark or a sign.
 */
const TOKEN = new RegExp(
  String.raw`(?<![${LETTER}'])(\p{L}(?:\.\p{L})+(?![${LETTER}]))('s)?(?:(\.)(?=\s*(?:\p{Lu}|$))|\.(?!\.))?` +
    String.raw`|'?[${LETTER}]+(?:['-][${LETTER}]+)*(?:(?<=s)'(?![${LETTER}]))?|\d|[,.?!;:—]|[&+%@=°$€£#]`,
  "gu",
);

/** Reads at most 4,000 characters. No mark comes first, and none follows another one. */
export function spokenTokens(text: string): readonly SpokenToken[] {
  const said = plain(text).trim();
  const tokens: SpokenToken[] = [];
  const addMark = (mark: string): void => {
    const last = tokens.at(-1);
    if (last !== undefined && last.kind !== "mark") tokens.push({ kind: "mark", text: mark });
  };
  for (const { 0: part, 1: letters, 2: ending, 3: end } of said.matchAll(TOKEN)) {
    if (letters !== undefined) {
      tokens.push({ kind: "letters", text: letters.replaceAll(".", ""), hasS: ending !== undefined });
      // Letters alone are not a sentence.
      if (end !== undefined && part.length < said.length) addMark(end);
    } else if (/^[,.?!;:—]$/u.test(part)) {
      addMark(part);
    } else {
      tokens.push({ kind: "word", text: SIGNS.get(part) ?? (/\d/.test(part) ? (DIGITS[Number(part)] ?? "") : part) });
    }
  }
  return tokens;
}

/** Composed letters, straight apostrophes, and only the marks that mean a pause. */
function plain(text: string): string {
  return text
    .slice(0, LONGEST_TEXT)
    .normalize("NFKC")
    .replaceAll(/[‘’ʼ`´]/g, "'")
    .replaceAll(/\s*[–—]\s*|\s+-+\s+/g, ", ")
    .replaceAll(/(?<=\w)[.](?=\d)/g, " point ")
    .replaceAll(/(?<=[a-z]{2})[.](?=[a-z]{2})/gi, " dot ")
    .replaceAll(/(?<=\d)[:,](?=\d)/g, " ");
}
