export const pattern = (source: string, flags = "gu"): RegExp => new RegExp(source, flags);

/** Before a number that is not part of a longer one. */
export const FREE = String.raw`(?<![\p{L}\d.,:/-])`;

/** "1.234,5", "1234,5", "1234.5" or "0.125", where `thousands` is ".". */
export const numberPattern = (thousands: string): string =>
  String.raw`[1-9]\d{0,2}(?:[${thousands}]\d{3})+(?:,\d+)?(?!\.?\d)|0\.\d+(?![.,]?\d)|\d+(?:,\d+|\.\d{1,2}|\.\d{${thousands === "." ? 4 : 1},})?(?!\d)`;

/** The digits of such a number, with "." as the decimal mark. */
export function plainNumber(written: string, thousands: string): string {
  const isGrouped = pattern(`^[1-9]\\d{0,2}(?:[${thousands}]\\d{3})+(?:,\\d+)?$`, "u").test(written);
  return (isGrouped ? written.replaceAll(thousands, "") : written).replace(",", ".");
}

/** Any of these texts, the longest first. */
export function anyOf(texts: Readonly<Record<string, string>>): string {
  const longestFirst = Object.keys(texts).toSorted((a, b) => b.length - a.length);
  return `(?:${longestFirst.map((text) => text.replace(/[.*+?^${}()|[\]\\/]/gu, "\\$&")).join("|") || "(?!)"})`;
}

/** One entry for each of several spellings: "ml mL" -> "Milliliter". */
export const spellings = (names: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(names).flatMap(([keys, name]) => keys.split(" ").map((key) => [key, name])));
