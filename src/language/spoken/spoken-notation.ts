import { pattern } from "./spoken-patterns.ts";

const GROUP = String.raw`[1-9]\d{0,2}`;
const FREE = String.raw`(?<![\p{L}\d.,:+]|[\d+] |\d-)`;
const END = String.raw`(?!\d|[.,:]\d|[- ]\d)`;
/** Groups with apostrophes, and groups with spaces that are too many for a telephone number. */
const ANYWHERE = String.raw`${GROUP}(?: 000)+|${GROUP}(?: \d{3})+(?= ?[€$£])|(?<=[€$£] ?)${GROUP}(?: \d{3})+|${GROUP}(?:'\d{3})+(?:[.,]\d+)?|[1-9]\d?(?: \d{3}){2,}|${GROUP}(?: \d{3})+,\d{1,2}`;

/** A space that does not break lines stays inside a number. */
const hardSpace = /(?<=\d)[\u00A0\u2007\u2009\u202F](?=\d{3}(?!\d))/gu;
/** "25,-" is 25 without cents. */
const noCents = /(?<=\d)[,.][-–](?![\p{L}\d])/gu;

/** "1:10,000" and "1:10 000", the strength of a solution. */
const dilution = /(?<![\d.,:])1( ?: ?)(\d{1,3})(?:([.,])(\d{3})|[ '](000))(?!\d|[.,:]\d)/gu;

/** Hard spaces between digits as marks of thousands, and elsewhere as spaces. Ratios lose their marks. */
export const thousandsMarks =
  (mark: string) =>
  (text: string): string =>
    text
      .replace(hardSpace, mark)
      .replace(/[\u00A0\u2007\u2009\u202F]/gu, " ")
      .replace(dilution, (found, colon: string, head: string, sep?: string, tail = "", zeros = "") =>
        sep !== undefined && sep !== mark && tail !== "000" ? found : `1${colon}${head}${String(tail)}${String(zeros)}`,
      )
      .replace(noCents, "");

/** Numbers in the notation of another country, written in that of the language: "1.234,56" -> "1234.56" where the decimal mark is ".". `units`: pattern of the units after a decimal number with a comma, where that is foreign. */
export function ownNotation(decimalMark: "." | ",", units = "(?!)"): (text: string) => string {
  const foreign =
    decimalMark === "." ? String.raw`${GROUP}(?:\.\d{3})+,\d{1,2}` : String.raw`${GROUP}(?:,\d{3})+\.\d{1,2}`;
  const decimal = pattern(`${FREE}(?:${ANYWHERE}|${foreign}|${GROUP}(?:\\.\\d{3})+,\\d+)${END}`);
  const whole = pattern(
    `${decimalMark === "." ? `(?<=[$€£¥₹₣] ?)${GROUP}(?:\\.\\d{3}){2,}` : `${FREE}${GROUP}(?:,\\d{3}){2,}`}${END}`,
  );
  const comma = pattern(`${FREE}(?:0,\\d+|\\d{1,4},\\d{1,2}(?= ?(?:${units}|[%€])(?![\\p{L}\\d])))(?![.,]?\\d)`);
  const grouped = (digits: string) =>
    digits.replace(/\D/gu, "").replace(/\B(?=(?:\d{3})+$)/gu, decimalMark === "." ? "," : "");
  return (text) =>
    (units === "(?!)" ? text : text.replace(comma, (found) => found.replace(",", ".")))
      .replace(whole, grouped)
      .replace(decimal, (found) => {
        const [, digits = "", part] = /^(.*?)(?:[.,](\d+))?$/u.exec(found) ?? [];
        return grouped(digits) + (part === undefined ? "" : decimalMark + part);
      });
}
