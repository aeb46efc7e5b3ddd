/** A whole or decimal number, with or without thousands separators. */
export const number = String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?`;

const small =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );
const tens = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const scales = ["", " thousand", " million", " billion", " trillion"];
const irregularOrdinals = new Map([
  ["one", "first"],
  ["two", "second"],
  ["three", "third"],
  ["five", "fifth"],
  ["eight", "eighth"],
  ["nine", "ninth"],
  ["twelve", "twelfth"],
]);

/** "105" -> "one hundred five"; more than 15 digits, or a leading zero: digit by digit. Takes digits only. */
export function cardinal(digits: string): string {
  if (digits.length > 15 || (digits.length > 1 && digits.startsWith("0"))) return digitByDigit(digits);
  const groups = Number(digits).toLocaleString("en-US").split(",").map(Number);
  const words = groups.map((group, index) =>
    group === 0 ? "" : below1000(group) + (scales[groups.length - 1 - index] ?? ""),
  );
  return words.filter((word) => word !== "").join(" ") || "zero";
}

/** "21" -> "twenty first". */
export function ordinal(digits: string): string {
  const words = cardinal(digits).split(" ");
  const last = words.pop() ?? "";
  const ending = irregularOrdinals.get(last) ?? (last.endsWith("y") ? `${last.slice(0, -1)}ieth` : `${last}th`);
  return [...words, ending].join(" ");
}

/** "90" -> "nine zero". */
export function digitByDigit(digits: string): string {
  return Array.from(digits, (digit) => small[Number(digit)] ?? "").join(" ");
}

/** Four digits: "1905" -> "nineteen oh five", "2026" -> "twenty twenty six", "2000" -> "two thousand". */
export function year(digits: string): string {
  const century = Number(digits.slice(0, 2));
  const rest = Number(digits.slice(2));
  if (century % 10 === 0 && rest < 10) return cardinal(digits);
  if (rest === 0) return `${cardinal(String(century))} hundred`;
  return `${cardinal(String(century))} ${rest < 10 ? "oh " : ""}${below1000(rest)}`;
}

/** "1,234.50" -> "one thousand two hundred thirty four point five zero". */
export function decimal(text: string): string {
  const [whole = "", decimals] = text.replaceAll(",", "").split(".");
  const words = cardinal(whole === "" ? "0" : whole);
  return decimals === undefined || decimals === "" ? words : `${words} point ${digitByDigit(decimals)}`;
}

function below1000(value: number): string {
  const hundreds = value >= 100 ? `${small[Math.floor(value / 100)] ?? ""} hundred` : "";
  const rest = value % 100;
  const restWords =
    rest < 20
      ? small[rest]
      : `${tens[Math.floor(rest / 10)] ?? ""}${rest % 10 === 0 ? "" : ` ${small[rest % 10] ?? ""}`}`;
  if (hundreds === "") return restWords ?? "";
  return rest === 0 ? hundreds : `${hundreds} ${restWords ?? ""}`;
}

const FRACTIONS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  2: ["half", "halves"],
  4: ["quarter", "quarters"],
};

/** "3", "4" -> "three quarters". Undefined when it is rather a score or a pair. */
export function fraction(top: string, bottom: string): string | undefined {
  const isFraction = Number(top) < Number(bottom) && Number(bottom) <= 20 && Number(top) > 0;
  if (!isFraction) return undefined;
  const [one, many] = FRACTIONS[bottom] ?? [ordinal(bottom), `${ordinal(bottom)}s`];
  return `${cardinal(top)} ${top === "1" ? one : many}`;
}
