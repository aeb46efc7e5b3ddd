export const pattern = (source: string, flags = "gu"): RegExp => new RegExp(source, flags);

/** Before a number that is not part of a longer one. */
export const FREE = String.raw`(?<![\p{L}\d.,:/-])`;

/** "1.234,5", "1234,5" or "1234.5", where `thousands` is ".". */
export const numberPattern = (thousands: string): string =>
  String.raw`\d{1,3}(?:[${thousands}]\d{3})+(?:,\d+)?(?!\.?\d)|\d+(?:,\d+|\.\d{1,2})?(?!\d)`;

/** Any of these texts, the longest first. */
export function anyOf(texts: Readonly<Record<string, string>>): string {
  const longestFirst = Object.keys(texts).toSorted((a, b) => b.length - a.length);
  return `(?:${longestFirst.map((text) => text.replace(/[.*+?^${}()|[\]\\/]/gu, "\\$&")).join("|") || "(?!)"})`;
}
