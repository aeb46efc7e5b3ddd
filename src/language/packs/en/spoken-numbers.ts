import { cardinal, decimal, digitByDigit, number, ordinal, year } from "./number-words.ts";
import { spokenMoney } from "./spoken-money.ts";
import { unitPattern, unitWord } from "./units.ts";

const percent = new RegExp(`(?<![\\d.,])(${number}) ?%`, "g");
/** The dot of "5 ft. tall" goes. */
const measure = new RegExp(
  String.raw`(?<![\p{L}\d.,])(${number}) ?(${unitPattern})(?![\p{L}\d/]|\.\p{L}|(?<=[UVW])-\p{L})(?:\.(?= [\p{Ll}\d]))?`,
  "gu",
);
/** A year before 1900 looks like an amount: a word that comes before years, and no noun after it. */
const oldYear =
  /(?<=\b(?:[Ii]n|[Ss]ince|[Uu]ntil|[Bb]y|[Ff]rom|[Oo]f|[Aa]round|[Bb]efore|[Aa]fter|[Yy]ear|[Cc]irca|[Ee]arly|[Ll]ate|[Tt]o) )(1[1-8]\d\d)(?=[.,;:!?)]?(?:\s*$|\s+\p{Lu})|[,;:] | (?:and|to|the|he|she|they|when|it|as|at|in|after|on|was|but|because|with|by|until|or)(?!\p{L}))/gu;
const yearRange = /(?<![\d-])((?:19|20)\d{2}) ?[-–] ?((?:19|20)\d{2})(?![\d-])/g;
const phone = new RegExp(
  String.raw`(?:(?<![\d.,-])(?=\+(?:[ ()/-]*\d){7})\+\d{1,3}(?:[ /-]?\(?\d{1,8}\)?){2,6}(?![\d.,]\d|\d)|(?<![\d.,-])(?:\+\d{1,3}[ .-]?|1[ .-](?=\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?!\d)))?(?:\(\d{2,4}\) ?|\d{2,4}[ .-])\d{3,4}(?:[ .-]\d{2,4}){1,3}(?!\d)|(?<![\d.,-])\d{3}-\d{4}(?![\d-])|\+\d{7,15}(?!\d))(?! ?(?:${unitPattern}|[%€$£])(?![\p{L}\d]))`,
  "gu",
);
const range = new RegExp(`(?<![\\d.,-])(${number}) ?[-–] ?(?=(?:${number})(?!\\d|-[\\dA-Z]))`, "g");
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
const minusSign = /(?<![\p{L}\d.,)])[-−](?=(?:\p{Lu}{1,2}(?=\$))?(?:[$€£¥₹₣] ?)?[.,]?\d)/gu;

/** Every digit of the text in words; dates and times must be gone already. */
export function spokenNumbers(text: string): string {
  const amounts = text
    .replace(minusSign, " minus ")
    .replace(
      /(?<!\d)(?:'?(\d{3}0)|(?:'|(?<=\b(?:the|early|late|mid) ))(\d0))s(?!\p{L})/gu,
      (_, long?: string, short?: string) => decade(long ?? short ?? ""),
    );
  return (
    spokenMoney(amounts)
      .replace(percent, (_, value: string) => `${decimal(value)} percent `)
      .replace(measure, (_, value: string, unit: string) => `${decimal(value)} ${unitWord(unit, value)}`)
      .replace(oldYear, year)
      .replace(yearRange, (_, from: string, to: string) => `${year(from)} to ${year(to)}`)
      .replace(phone, phoneWords)
      .replace(called, digitByDigit)
      .replace(/(?<![\d.,])(\d{1,15})(?:st|nd|rd|th)(?!\p{L})/gu, (_, digits: string) => ordinal(digits))
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

function phoneWords(written: string): string {
  const groups = written.match(/\d+/g) ?? [];
  return `${written.startsWith("+") ? "plus " : ""}${groups.map(digitByDigit).join(", ")}`;
}

function decade(digits: string): string {
  const words = digits.length === 4 ? year(digits) : cardinal(digits);
  return words.endsWith("y") ? `${words.slice(0, -1)}ies` : `${words}s`;
}

function plainNumber(digits: string): string {
  if (/^(?:19|20)\d{2}$/.test(digits)) return year(digits);
  // Numbers this long without separators are account, order and telephone numbers.
  return /^\d{7,}$/.test(digits) ? digitByDigit(digits) : decimal(digits);
}
