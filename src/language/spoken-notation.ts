import { pattern } from "./spoken-patterns.ts";

const GROUP = String.raw`[1-9]\d{0,2}`;
const FREE = String.raw`(?<![\p{L}\d.,:+]|[\d+] |\d-)`;
const END = String.raw`(?![\p{L}\d]|[.,:]\d|[- ]\d)`;
/** Groups with apostrophes, and groups with spaces that are too many for a telephone number. */
const ANYWHERE = String.raw`${GROUP}(?:'\d{3})+(?:[.,]\d+)?|[1-9]\d?(?: \d{3}){2,}|${GROUP}(?: \d{3})+,\d{1,2}`;

/** Numbers in the notation of another country, written in that of the language: "1.234,56" -> "1234.56" where the decimal mark is ".". */
export function ownNotation(decimalMark: "." | ","): (text: string) => string {
  const foreign =
    decimalMark === "." ? String.raw`${GROUP}(?:\.\d{3})+,\d{1,2}` : String.raw`${GROUP}(?:,\d{3})+\.\d{1,2}`;
  const decimal = pattern(`${FREE}(?:${ANYWHERE}|${foreign}|${GROUP}(?:\\.\\d{3})+,\\d+)${END}`);
  const whole = pattern(
    `${decimalMark === "." ? `(?<=[$€£¥₹₣] ?)${GROUP}(?:\\.\\d{3}){2,}` : `${FREE}${GROUP}(?:,\\d{3}){2,}`}${END}`,
  );
  const grouped = (digits: string) =>
    digits.replace(/\D/gu, "").replace(/\B(?=(?:\d{3})+$)/gu, decimalMark === "." ? "," : "");
  return (text) =>
    text.replace(whole, grouped).replace(decimal, (found) => {
      const [, digits = "", part] = /^(.*?)(?:[.,](\d+))?$/u.exec(found) ?? [];
      return grouped(digits) + (part === undefined ? "" : decimalMark + part);
    });
}
