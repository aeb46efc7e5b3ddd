import { digitByDigit } from "./number-words.ts";

const NAMES =
  `code|pin|passcode|password|zip|id|booking|reference|confirmation|tracking|serial|order|account|card|policy|member|membership|
  invoice|case|ticket|reservation|routing|claim|licen[cs]e|passport|customer|number|otp|cvv|isbn|vin|sku|voucher|coupon`.replace(
    /\s/gu,
    "",
  );
const LINK = String.raw`(?: (?:code|number|no\.?|id|is|was|with|ending in|#))*:? ?#?\*{0,2}`;
const CODE = String.raw`(?=[A-Z\d-]*\d)(?:[A-Z]{1,4}-?)?\d+(?:[A-Z]{1,2})?(?:[- ]?[A-Z]{0,2}\d+)*[A-Z]?`;
const named = new RegExp(
  String.raw`(?<=(?<!\p{L})(?:${NAMES})${LINK} ?)(?<![\p{L}\d$€£¥.,:/+-])(${CODE})(?![\p{L}\d%°$€£¥/]|[.,:]\d|[-–] ?\d| ?(?:${"am|pm|a\\.m|p\\.m|percent|years?|minutes?|hours?|days?|people|dollars?|euros?|items?|times?"})(?!\p{L})| (?!is|was|has)\p{Ll}+s(?!\p{L}))`,
  "giu",
);
/** A ZIP code after the abbreviation of a state. */
const zip = /(?<=, ?[A-Z]{2},? )(\d{5})(?:-(\d{4}))?(?![\d-]|[.,]\d)/gu;
/** No range: letters or a zero come first, or the second part is much longer. */
const hyphened =
  /(?<![\p{L}\d.,:/$€£¥-])((?:[A-Z]{1,3}\d+|\d{1,3})-(?:\d{5,}|0\d+)|[A-Z]{1,3}\d{2,}-\d+|0\d+-\d+)(?![\p{L}\d%-]|[.,:]\d)/gu;

/** Codes are said digit by digit: "Your PIN is 1234", "A17-9932", "NY 10001". */
export function spokenCodes(text: string): string {
  return text
    .replace(zip, (_, code: string, more?: string) => inDigits(more === undefined ? code : `${code}-${more}`))
    .replace(hyphened, inDigits)
    .replace(named, (code) => (isCode(code) ? inDigits(code) : code));
}

/** Small numbers are said as numbers: "order 12". So are years. */
const isCode = (code: string): boolean =>
  /[A-Z-]/u.test(code) ? /\d{2}/u.test(code) : /^\d{3,}$|^\d+(?: \d+)+$/u.test(code);

function inDigits(code: string): string {
  return code
    .split(/[- ]/u)
    .map((part) =>
      Array.from(part.matchAll(/\d+|\p{L}+/gu), ([run]) => (/\d/u.test(run) ? digitByDigit(run) : run))
        .join(" ")
        .replace(/(?<!\p{L})A (?=\p{L})/gu, "A-"),
    )
    .join(", ");
}
