import { wordsOf } from "./words.ts";

/** How a language names values, agrees, and reports acts. */
export interface FactWords {
  /** Matches words that mean 1, such as articles. */
  readonly one: RegExp;
  /** Words of numbers and times that no numeral names. */
  readonly named: Readonly<Record<NamedNumber, RegExp>>;
  /** "half eight" is 7:30. */
  readonly halfIsBefore?: boolean;
  /** Matches words that stand for a number without naming it: "a dozen", "my wife". */
  readonly vagueNumbers: RegExp;
  /** Words that follow an hour, in plain lower case, without accents and marks. */
  readonly halfDays: {
    readonly morning: readonly string[];
    readonly afternoon: readonly string[];
    /** Before midnight and after it: "nine at night", "two at night". */
    readonly night: readonly string[];
  };
  /** The same for a day: "next week". */
  readonly vagueDays: RegExp;
  /** Matches the beginning of a question for a fact, which orders nothing: "did you". A recogniser may leave out the question mark. */
  readonly asks: RegExp;
  /** Matches the report of an act that is done: "I have booked". Its groups `verb` hold the act. */
  readonly claims: readonly RegExp[];
  /** How the service reports its own act in a call without tools. Absent: it is not looked for. */
  readonly ownAct?: OwnAct;
  /** Matches the announcement of an act. A reply that ends so must make a call. */
  readonly promises: readonly RegExp[];
  /** True when the words say yes and nothing else. */
  readonly agrees: (said: string) => boolean;
  /** True when the words begin with a no, or say that something is not wanted. */
  readonly refuses: (said: string) => boolean;
  /** True when the words change a value that was said: "no, nineteen", "make it nine". */
  readonly corrects: (said: string) => boolean;
  /** Matches words beside the number of a time of day: "at", "o'clock". */
  readonly atTime: RegExp;
  /** Matches words that leave something out of an order, or offer a choice: "not", "except", "or". */
  readonly excludes: RegExp;
  /** Matches words between two orders: "and". */
  readonly joins: RegExp;
  /** Matches the report that something has changed: "is now", "has been". */
  readonly reports: RegExp;
  /** Asks whether an act is wanted. `values`: names with their values. */
  readonly readBack: (act: string, values: string) => string;
  /** Asks for values that are missing. */
  readonly ask: (labels: readonly string[]) => string;
  /** Said in the place of a claim. */
  readonly notDone: string;
  readonly yes: string;
  readonly no: string;
}

/** `period`: one day, week, month or year. */
export type NamedNumber = "noon" | "midnight" | "half" | "quarter" | "two" | "period";

/** Patterns of words that stand alone. */
export const namedBy = (words: Readonly<Record<NamedNumber, string>>): FactWords["named"] => ({
  noon: standAlone(words.noon),
  midnight: standAlone(words.midnight),
  half: standAlone(words.half),
  quarter: standAlone(words.quarter),
  two: standAlone(words.two),
  period: standAlone(words.period),
});

/** Matches words that stand alone. `words` is a pattern. */
export const standAlone = (words: string): RegExp => new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, "iu");

/** "I have just booked". */
export interface OwnAct {
  /** Matches the place where it may begin. */
  readonly begins: RegExp;
  readonly report: RegExp;
  /** It is decided after so many words. A slow model must not pause for longer. */
  readonly words: number;
}

/** Words that begin a question, also after small words such as "so". Both are patterns separated by "|". */
export const asksBy = (questions: string, before: string): RegExp =>
  new RegExp(`^\\P{L}*(?:(?:${before})\\P{L}+)*(?:${questions})(?!\\p{L})`, "iu");

/** Words and phrases of which a yes consists. At least one must be among `yes`. */
export function agreesBy(yes: string, polite: string): (said: string) => boolean {
  const all = [yes, polite].map((list) =>
    list
      .split("|")
      .map((phrase) => phrase.trim().replace(/\s+/g, " "))
      .filter(Boolean)
      .toSorted((one, other) => other.length - one.length),
  );
  const [wanted = [], others = []] = all;
  const whole = new RegExp(`^(?:(?:${[...wanted, ...others].join("|")})(?: |$))+$`, "u");
  const some = new RegExp(`(?:^| )(?:${wanted.join("|")})(?: |$)`, "u");
  return (said) => {
    const words = wordsOf(said).join(" ");
    return whole.test(words) && some.test(words);
  };
}

/** @param no Words with which it begins. @param unwanted Phrases that are one wherever they stand. */
export function refusesBy(no: string, unwanted: string): (said: string) => boolean {
  const pattern = new RegExp(
    `^(?:(?:oh|uh|um|äh|euh|well|also|bueno|pues|allora) )*(?:${no})(?: |$)|(?:^| )(?:${unwanted})(?: |$)`,
    "u",
  );
  return (said) => pattern.test(wordsOf(said).join(" "));
}

/** "name, day and time". */
export const listed = (code: string, labels: readonly string[]): string =>
  new Intl.ListFormat(code, { type: "conjunction" }).format(labels);
