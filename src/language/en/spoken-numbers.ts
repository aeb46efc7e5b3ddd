import { cardinal, decimal, digitByDigit, ordinal, year } from "./number-words.ts";

/** A whole or decimal number, with or without thousands separators. */
export const number = String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?`;
const currencies: Record<string, readonly [one: string, many: string, cent: string, cents: string]> = {
  $: ["dollar", "dollars", "cent", "cents"],
  "€": ["euro", "euros", "cent", "cents"],
  "£": ["pound", "pounds", "penny", "pence"],
  "¥": ["yen", "yen", "sen", "sen"],
  "₹": ["rupee", "rupees", "paisa", "paise"],
};
const moneyScales: Record<string, string> = { k: "thousand", m: "million", mn: "million", b: "billion", bn: "billion" };
const units: Record<string, readonly [one: string, many: string]> = {
  km: ["kilometer", "kilometers"],
  m: ["meter", "meters"],
  cm: ["centimeter", "centimeters"],
  mm: ["millimeter", "millimeters"],
  mi: ["mile", "miles"],
  ft: ["foot", "feet"],
  kg: ["kilogram", "kilograms"],
  g: ["gram", "grams"],
  mg: ["milligram", "milligrams"],
  mcg: ["microgram", "micrograms"],
  μg: ["microgram", "micrograms"],
  IU: ["international unit", "international units"],
  mmol: ["millimole", "millimoles"],
  mmHg: ["millimeter of mercury", "millimeters of mercury"],
  kcal: ["kilocalorie", "kilocalories"],
  cal: ["calorie", "calories"],
  dL: ["deciliter", "deciliters"],
  dl: ["deciliter", "deciliters"],
  cl: ["centiliter", "centiliters"],
  m2: ["square meter", "square meters"],
  km2: ["square kilometer", "square kilometers"],
  ft2: ["square foot", "square feet"],
  m3: ["cubic meter", "cubic meters"],
  W: ["watt", "watts"],
  Hz: ["hertz", "hertz"],
  lb: ["pound", "pounds"],
  lbs: ["pound", "pounds"],
  oz: ["ounce", "ounces"],
  l: ["liter", "liters"],
  L: ["liter", "liters"],
  ml: ["milliliter", "milliliters"],
  mL: ["milliliter", "milliliters"],
  h: ["hour", "hours"],
  hr: ["hour", "hours"],
  hrs: ["hour", "hours"],
  min: ["minute", "minutes"],
  mins: ["minute", "minutes"],
  s: ["second", "seconds"],
  sec: ["second", "seconds"],
  secs: ["second", "seconds"],
  ms: ["millisecond", "milliseconds"],
  mph: ["mile per hour", "miles per hour"],
  "km/h": ["kilometer per hour", "kilometers per hour"],
  "°C": ["degree Celsius", "degrees Celsius"],
  "°F": ["degree Fahrenheit", "degrees Fahrenheit"],
  "°": ["degree", "degrees"],
  KB: ["kilobyte", "kilobytes"],
  MB: ["megabyte", "megabytes"],
  GB: ["gigabyte", "gigabytes"],
  TB: ["terabyte", "terabytes"],
  kHz: ["kilohertz", "kilohertz"],
  MHz: ["megahertz", "megahertz"],
  GHz: ["gigahertz", "gigahertz"],
  kW: ["kilowatt", "kilowatts"],
  kWh: ["kilowatt hour", "kilowatt hours"],
};
export const unitPattern = Object.keys(units)
  .toSorted((a, b) => b.length - a.length)
  .join("|");

const CODES: Readonly<Record<string, string>> = { EUR: "€", USD: "$", GBP: "£", JPY: "¥", INR: "₹" };
const codeAfter = new RegExp(`(?<![\\d.,])(${number}) ?(${Object.keys(CODES).join("|")})(?!\\p{L})`, "gu");
const codeBefore = new RegExp(`(?<!\\p{L})(${Object.keys(CODES).join("|")}) ?(?=\\d)`, "gu");
const centsAfter = new RegExp(`(?<![\\d.,])(${number}) ?¢`, "gu");
const money = new RegExp(
  `([$€£¥₹]) ?(${number})(?: ?(million|billion|trillion|thousand|bn|mn|[kKmMbB])(?![\\p{L}\\d]))?`,
  "gu",
);
const moneyAfter = new RegExp(`(?<![\\d.,])(${number}) ?([€£])`, "g");
const percent = new RegExp(`(?<![\\d.,])(${number}) ?%`, "g");
const PER = `${unitPattern}|day|dose|week|month|year|hour|minute|second|person|night|kg`;
const rate = new RegExp(
  String.raw`(?<![\d.,])(${number}) ?(${unitPattern})\/(${PER})(?:\/(${PER}))?(?![\p{L}\d/])`,
  "gu",
);
/** The dot of "5 ft. tall" goes. */
const measure = new RegExp(
  String.raw`(?<![\d.,])(${number}) ?(${unitPattern})(?![\p{L}\d/])(?:\.(?= [\p{Ll}\d]))?`,
  "gu",
);
/** A year before 1900 looks like an amount: a word that comes before years, and no noun after it. */
const oldYear =
  /(?<=\b(?:[Ii]n|[Ss]ince|[Uu]ntil|[Bb]y|[Ff]rom|[Oo]f|[Aa]round|[Bb]efore|[Aa]fter|[Yy]ear|[Cc]irca|[Ee]arly|[Ll]ate|[Tt]o) )(1[1-8]\d\d)(?=[.,;:!?)]?(?:\s*$|\s+\p{Lu})|[,;:] | (?:and|to|the|he|she|they|when|it|as|at|in|after|on|was|but|because|with|by|until|or)(?!\p{L}))/gu;
const yearRange = /(?<![\d-])((?:19|20)\d{2}) ?[-–] ?((?:19|20)\d{2})(?![\d-])/g;
const phone =
  /(?<![\d.,-])(?:\+\d{1,3}[ .-]?|1[ .-](?=\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?!\d)))?(?:\(\d{2,4}\) ?|\d{2,4}[ .-])\d{3,4}(?:[ .-]\d{2,4}){1,3}(?!\d)|(?<![\d.,-])\d{3}-\d{4}(?![\d-])|\+\d{7,15}(?!\d)/g;
const range = new RegExp(`(?<![\\d.,-])(${number}) ?[-–] ?(?=(?:${number})(?!\\d|-\\d))`, "g");
/** Short numbers that are only ever called, and whatever is dialled: digit by digit. */
const called =
  /(?<=\b(?:call|ring|phone|text) )(?:\d11|112|999|988|000)(?![\d-]|[.,:]\d)|(?<=\b(?:dial|extension|ext\.) )\d{3,6}(?![\d-]|[.,:]\d)/gi;
/** Nouns before a number ("room no. 5"). After other words a small "no." may be the answer that ends a sentence. */
export const numbered =
  "account article bus case flight gate house invoice item line order part platform room seat table ticket track train"
    .split(" ")
    .map((name) => `[${name.charAt(0).toUpperCase()}${name.charAt(0)}]${name.slice(1)}`)
    .join("|");
const numberSign = new RegExp(String.raw`(?:#|\bNo\.|(?<=\b(?:${numbered}) )no\.) ?(?=\d)`, "g");
const anyNumber = new RegExp(number, "g");
const mixedFractions: Record<string, readonly [one: string, many: string]> = {
  2: ["half", "halves"],
  4: ["quarter", "quarters"],
};

/** Every digit of the text in words; dates and times must be gone already. */
export function spokenNumbers(text: string): string {
  return (
    text
      .replace(/(?<![\p{L}\d.,)])[-−](?=[$€£¥]?\d)/gu, " minus ")
      .replace(
        /(?<!\d)(?:'?(\d{3}0)|(?:'|(?<=\b(?:the|early|late|mid) ))(\d0))s(?!\p{L})/gu,
        (_, long?: string, short?: string) => decade(long ?? short ?? ""),
      )
      .replace(codeAfter, (_, amount: string, code: string) => `${CODES[code] ?? ""}${amount}`)
      .replace(codeBefore, (_, code: string) => CODES[code] ?? code)
      .replace(centsAfter, (_, amount: string) => `${decimal(amount)} ${amount === "1" ? "cent" : "cents"}`)
      .replace(money, (_, sign: string, amount: string, scale?: string) => ` ${moneyWords(sign, amount, scale)} `)
      .replace(moneyAfter, (_, amount: string, sign: string) => ` ${moneyWords(sign, amount, undefined)} `)
      .replace(percent, (_, value: string) => `${decimal(value)} percent `)
      .replace(
        rate,
        (_, value: string, ...names: string[]) =>
          `${decimal(value)} ${rateWords(names.slice(0, 3), value === "1" ? 0 : 1)} `,
      )
      .replace(
        measure,
        (_, value: string, unit: string) => `${decimal(value)} ${units[unit]?.[value === "1" ? 0 : 1] ?? unit}`,
      )
      .replace(oldYear, year)
      .replace(yearRange, (_, from: string, to: string) => `${year(from)} to ${year(to)}`)
      .replace(phone, phoneWords)
      .replace(called, digitByDigit)
      .replace(/(?<![\d.,])(\d{1,15})(?:st|nd|rd|th)(?!\p{L})/gu, (_, digits: string) => ordinal(digits))
      .replace(/(?<=\d) (?=\d\/\d)/g, " and ")
      .replace(/(?<![\d/.,])(\d{1,3})\/(\d{1,3})(?![\d/])/g, (_, top: string, bottom: string) => fraction(top, bottom))
      .replace(/(?<!\d)\d+(?:\.\d+){2,}/g, (version) => ` ${version.split(".").map(cardinal).join(" point ")} `)
      .replace(range, (_, from: string) => `${from} to `)
      .replace(numberSign, " number ")
      .replace(/(?<=\d) ?[x×] ?(?=\d)/g, " by ")
      // The letter, not the article: "A12", not "A 12".
      .replace(/(?<![\p{L}\d])A(\d{1,15})(?!\d)/gu, (_, digits: string) => `A-${plainNumber(digits)} `)
      .replace(anyNumber, (digits) => ` ${plainNumber(digits)} `)
      .replace(/ +([,.;:!?%])/g, "$1")
  );
}

/** "mg", "kg", "day" -> "milligrams per kilogram per day". */
function rateWords([unit = "", ...per]: readonly (string | undefined)[], form: 0 | 1): string {
  const known = units[`${unit}/${per[0] ?? ""}`];
  if (known !== undefined) return known[form];
  const named = per.flatMap((name) => (name === undefined ? [] : [units[name]?.[0] ?? name]));
  return [units[unit]?.[form] ?? unit, ...named].join(" per ");
}

function moneyWords(sign: string, amount: string, scale: string | undefined): string {
  const [one, many, cent, cents] = currencies[sign] ?? ["", "", "", ""];
  if (scale !== undefined) return `${decimal(amount)} ${moneyScales[scale.toLowerCase()] ?? scale} ${many}`;
  const [whole = "0", part] = amount.replaceAll(",", "").split(".");
  if (part !== undefined && part.length !== 2) return `${decimal(amount)} ${many}`;
  const main = `${cardinal(whole)} ${Number(whole) === 1 ? one : many}`;
  const rest = Number(part ?? 0);
  if (rest === 0) return main;
  const small = `${cardinal(String(rest))} ${rest === 1 ? cent : cents}`;
  return Number(whole) === 0 ? small : `${main} and ${small}`;
}

function phoneWords(written: string): string {
  const groups = written.match(/\d+/g) ?? [];
  return `${written.startsWith("+") ? "plus " : ""}${groups.map(digitByDigit).join(", ")}`;
}

function decade(digits: string): string {
  const words = digits.length === 4 ? year(digits) : cardinal(digits);
  return words.endsWith("y") ? `${words.slice(0, -1)}ies` : `${words}s`;
}

function fraction(top: string, bottom: string): string {
  const [one, many] = mixedFractions[bottom] ?? [ordinal(bottom), `${ordinal(bottom)}s`];
  const isFraction = Number(top) < Number(bottom) && Number(bottom) <= 20 && Number(top) > 0;
  return isFraction ? `${cardinal(top)} ${top === "1" ? one : many}` : `${cardinal(top)} ${cardinal(bottom)}`;
}

function plainNumber(digits: string): string {
  if (/^(?:19|20)\d{2}$/.test(digits)) return year(digits);
  // Numbers this long without separators are account, order and telephone numbers.
  return /^\d{7,}$/.test(digits) ? digitByDigit(digits) : decimal(digits);
}
