import { number } from "./number-words.ts";
import { monthPattern } from "./spoken-dates.ts";
import { unitPattern } from "./units.ts";

const dash = " ?[-–] ?";
const amPm = String.raw` ?[aApP](?:[mM](?!\p{L})|\.[mM]\.)`;
const clock = String.raw`\d{1,2}:[0-5]\d(?:${amPm})?|\d{1,2}${amPm}`;
/** A time of day on one side at least. */
const fromClock = new RegExp(String.raw`(?<![\d:.,-])(${clock})${dash}(?=\d{1,2}(?![\d-]))`, "gu");
const toClock = new RegExp(String.raw`(?<![\d:.,-])(\d{1,2})${dash}(?=(?:${clock}))`, "gu");

const noon = "(?:[nN]oon|[mM]idnight|[mM]idday)(?!\\p{L})";
const fromNoon = new RegExp(String.raw`(?<=(?<!\p{L})${noon})${dash}(?=\d{1,2}(?![\d-]))`, "gu");
const toNoon = new RegExp(String.raw`(?<=(?<![\d:.,-])(?:${clock}|\d{1,2}))${dash}(?=${noon})`, "gu");

const amount = String.raw`(?:([$€£¥]) ?)?([-−]?(?:${number}))( ?(?:${unitPattern}|[%€£]|million|billion|trillion|thousand|bn|mn|[kKMbB]|st|nd|rd|th)(?![\p{L}\d/]))?`;
const amounts = new RegExp(String.raw`(?<![\p{L}\d.,:/=)-])${amount}(${dash})${amount}(?![\p{L}\d-])`, "gu");

const names = `${monthPattern}|(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?`;
const betweenNames = new RegExp(
  String.raw`(?<!\p{L})((?:${names})(?: \d{1,2}(?:st|nd|rd|th)?)?)(?:(?:-| ?– ?)(?=(?:${names})(?!\p{L}))|${dash}(?=(?:${monthPattern}) \d|\d{1,2} (?:${monthPattern})(?!\p{L})))`,
  "gu",
);
const day = String.raw`(\d{1,2})(?:st|nd|rd|th)?`;
const afterMonth = new RegExp(
  String.raw`(?<!\p{L})(${monthPattern}) ${day}${dash}${day}(?![\p{L}\d:%-]|[.,]\d|${amPm})`,
  "gu",
);
const beforeMonth = new RegExp(String.raw`(?<![\p{L}\d.,:/-])${day}${dash}${day} (${monthPattern})(?!\p{L})`, "gu");

/** "9am-5pm" -> "9am to 5pm", "$5-10" -> "5 to $10". Ranges of numbers alone are distinguished from telephone numbers later. */
export function spokenRanges(text: string): string {
  return text
    .replace(betweenNames, "$1 to ")
    .replace(afterMonth, "$1 $2 to $3th")
    .replace(beforeMonth, "$3 $1 to $2th")
    .replace(fromNoon, " to ")
    .replace(toNoon, " to ")
    .replace(fromClock, "$1 to ")
    .replace(toClock, "$1 to ")
    .replace(amounts, amountsInWords);
}

/** The sign or unit that both sides share is said once, at the end. */
function amountsInWords(
  whole: string,
  sign = "",
  from: string,
  unit: string | undefined,
  between: string,
  endSign = "",
  to: string,
  endUnit = "",
): string {
  if (sign + endSign + (unit ?? "") + endUnit === "") return /^[-−]/u.test(to) ? `${from} to ${to}` : whole;
  // "It was $10 - 5 are left"
  if (between === " - " && sign !== "" && endSign + endUnit === "" && Number(to) < Number(from)) return whole;
  const last = `${endSign || sign}${to}${endUnit}`;
  // "1990s-2000s" are decades, "3rd-5th" two ordinals.
  const isShared = unit === undefined || (unit.trim() === endUnit.trim() && !/^(?:s|st|nd|rd|th)$/.test(unit));
  if (!isShared) return `${sign}${from}${unit} to ${last}`;
  const isSaidOnce = sign === "" || ((endSign === "" || endSign === sign) && (endUnit !== "" || !from.includes(".")));
  return `${isSaidOnce ? "" : sign}${from} to ${last}`;
}
