/** Words for marks that change the value of a number. */
export interface ValueWords {
  readonly less: string;
  readonly more: string;
  readonly atMost: string;
  readonly atLeast: string;
  readonly plusMinus: string;
  readonly unequal: string;
  readonly squared: string;
  readonly cubed: string;
  /** Before an exponent. */
  readonly power: string;
  /** Parts of a duration, as "singular|plural". */
  readonly hours: string;
  readonly minutes: string;
  readonly seconds: string;
}

/** A number may begin here. */
const VALUE = String.raw`(?=[$€£¥]? ?[-−]?[.,]?\d)`;
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const END = String.raw`(?![\p{L}\d])`;

const atMost = new RegExp(`(?:≤|⩽|<=|=<) ?${VALUE}`, "gu");
const atLeast = new RegExp(`(?:≥|⩾|>=|=>) ?${VALUE}`, "gu");
const less = new RegExp(`(?<![-=<])< ?${VALUE}`, "gu");
/** With a space at the beginning of a line it is a quotation in Markdown. */
const more = new RegExp(
  `(?<![-=>]|</?[a-z][^<>]{0,200})>${VALUE}|(?<=[^\\s>=-] ?)(?<!</?[a-z][^<>]{0,200})> ${VALUE}`,
  "gu",
);
const unequal = new RegExp(`(?:≠|!=) ?${VALUE}`, "gu");
const plusMinus = /(?:±|\+\/[-−]) ?(?=[$€£¥]?[.,]?\d)/gu;
/** A number without an integer part. */
const bare = /(?<![\p{L}\d.,)\]])([.,]\d+)(?![.,]?\d)/gu;
/** A variable: a letter that is not a unit. */
const VARIABLE = String.raw`(?<![\p{L}])(?:[a-ln-zA-LN-Z]|mc)`;
const power = new RegExp(`(?<=[\\d)]|${VARIABLE})(?:\\^|([⁻${SUPERSCRIPTS}]+))`, "gu");
const square = new RegExp(`(?<=\\d|${VARIABLE})\\^([23])(?!\\d|[.,]\\d)`, "gu");
const hoursAndMinutes = new RegExp(
  String.raw`(?<![\p{L}\d.,:])(\d+) ?(?:h|hrs?) ?(\d+) ?(?:m|mins?)(?:\.? ?(\d+) ?(?:s|secs?))?${END}`,
  "giu",
);
const minutesAndSeconds = new RegExp(
  String.raw`(?<![\p{L}\d.,:])(\d+) ?(?:m|mins?)\.? ?(\d+) ?(?:s|secs?)${END}`,
  "giu",
);
const hoursAndSeconds = new RegExp(String.raw`(?<![\p{L}\d.,:])(\d+) ?h ?(\d+) ?(?:s|secs?)${END}`, "giu");
const stopwatch = /(?<![\p{L}\d.,:/-])(\d{1,3}):([0-5]\d):([0-5]\d)(?![\p{L}\d:/-]|[.,]\d| ?[aApP]\.?[mM])/gu;

/** A sign between a currency and its amount: "€ -12". */
const signAfterCurrency =
  /(?<!\d ?|\p{L})((?:\p{Lu}{1,2})?[$€£¥₹₣]|EUR|USD|GBP|CHF|JPY|BRL|MXN|CAD|AUD) ?[-−](?=[.,]?\d)/gu;
/** A negative amount of an account: nothing but its label comes before it, and nothing after it. */
const bracketed =
  /\((?<=(?:^|[:|])\s{0,3}\()((?:\p{Lu}{1,3})? ?[$€£¥₹] ?[\d.,' ]{1,20}|[\d.,' ]{1,20}[$€£¥₹])\)(?=[.;]?\s*$)/gu;

/** Writes marks and durations out, so that no later rule can drop or misread them. Numbers stay digits. */
export function spokenValues(words: ValueWords): (text: string) => string {
  const part = (count: string, names: string): string => {
    const [one = "", many = one] = names.split("|");
    return Number(count) === 0 ? "" : `${String(Number(count))} ${Number(count) === 1 ? one : many}`;
  };
  const duration = (hours: string, minutes: string, seconds: string): string => {
    const parts = [part(hours, words.hours), part(minutes, words.minutes), part(seconds, words.seconds)];
    return parts.filter(Boolean).join(" ") || `0 ${words.seconds.replace(/.*\|/u, "")}`;
  };
  const raised = (superscripts: string): string => {
    const digits = Array.from(superscripts, (each) => (each === "⁻" ? "-" : SUPERSCRIPTS.indexOf(each))).join("");
    if (digits === "2") return ` ${words.squared} `;
    return digits === "3" ? ` ${words.cubed} ` : ` ${words.power} ${digits} `;
  };
  return (text) =>
    text
      .replace(bracketed, "-$1")
      .replace(signAfterCurrency, "-$1 ")
      .replace(atMost, ` ${words.atMost} `)
      .replace(atLeast, ` ${words.atLeast} `)
      .replace(less, ` ${words.less} `)
      .replace(more, ` ${words.more} `)
      .replace(unequal, ` ${words.unequal} `)
      .replace(plusMinus, ` ${words.plusMinus} `)
      .replace(square, (_, exponent: string) => (exponent === "2" ? "²" : "³"))
      .replace(power, (_, superscripts?: string) =>
        superscripts === undefined ? ` ${words.power} ` : raised(superscripts),
      )
      .replace(bare, "0$1")
      .replace(hoursAndMinutes, (_, hours: string, minutes: string, seconds?: string) =>
        duration(hours, minutes, seconds ?? "0"),
      )
      .replace(minutesAndSeconds, (_, minutes: string, seconds: string) => duration("0", minutes, seconds))
      .replace(hoursAndSeconds, (_, hours: string, seconds: string) => duration(hours, "0", seconds))
      .replace(stopwatch, (_, hours: string, minutes: string, seconds: string) => duration(hours, minutes, seconds));
}
