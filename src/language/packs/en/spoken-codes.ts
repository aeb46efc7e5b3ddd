import { spelled, spokenCodes as codesBy } from "../../spoken/spoken-codes.ts";
import { digitByDigit } from "./number-words.ts";
import { unitPattern } from "./units.ts";

/** Before "150" these may also be verbs: "to order 150", "I claim 150". A code needs a word that makes them nouns. */
const VERBS = "order|claim|book|invoice";
const NOUN = String.raw`(?<=(?:your|the|my|our|his|her|their|this|that|an?|for|about|of|with|regarding|online|new|last) )(?:${VERBS})|(?:${VERBS})(?=(?: (?:number|no|id|code|was)(?!\p{L})|:| ?#))`;

/** A ZIP code after the abbreviation of a state. */
const zip = /(?<=, ?[A-Z]{2},? )(\d{5})(?:-(\d{4}))?(?![\d-]|[.,]\d)/gu;

/** Letters as "A.X". "A" alone takes a hyphen, because a voice says the article. */
const say = (parts: readonly string[]): string =>
  parts
    .map((part) => spelled(part, digitByDigit, (letters) => Array.from(letters).join(".")))
    .join(", ")
    .replace(/(?<![\p{L}.])A (?=\p{L})/gu, "A-");

const codes = codesBy({
  names: `${NOUN}|code|pin|passcode|password|zip|id|booking|reference|confirmation|tracking|serial|account|card|policy|member|membership|case|ticket|reservation|routing|licen[cs]e|passport|customer|number|otp|cvv|isbn|vin|sku|voucher|coupon|flight|sort code`,
  links: String.raw`code|number|no\.?|id|is|was|with|ending in|#`,
  counted: String.raw`am|pm|a\.m|p\.m|percent|years?|minutes?|hours?|days?|people|dollars?|euros?|items?|times?|(?!is|was|has)\p{Ll}+s`,
  units: unitPattern,
  say,
});

/** Codes are said digit by digit: "Your PIN is 1234", "A17-9932", "NY 10001". */
export const spokenCodes = (text: string): string =>
  codes(text.replace(zip, (_, code: string, more?: string) => say(more === undefined ? [code] : [code, more])));
