import type { SpokenAnswer } from "../../../language/expectation.ts";

/** An answer of one word, or of two. */
export interface LikelyAnswer {
  /** How recognisers write it. They count as one text. The first is what a transcript gets. */
  readonly writings: readonly string[];
  /** How much likelier it is than any other text, as a natural logarithm. */
  readonly advantage: number;
}

/** Fitted on people who say single digits and words (docs/decisions/0089-two-ears.md). */
const USUAL = 1;
const USUAL_NUMBER = 4;
const ASKED_FOR = 6;
/** A number of several digits that was asked for. */
const DICTATED = 3;

const sentence = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}.`;
const words = (list: string): readonly string[] => list.split(" ").map((word) => word.replaceAll("_", " "));
const DIGITS = words("zero one two three four five six seven eight nine");
const NUMBERS = words("ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty");
const OTHERS = words(
  "yes no okay stop yeah thanks hello goodbye help please sorry right sure correct repeat cancel thank_you bye hi",
);

/**
 * English answers of a word or two, by what the service has just asked for. Recognisers learned from sentences, and often hear
 * another word, but give the right one a high probability when they are asked.
 */
export function likelyAnswers(expects: SpokenAnswer | undefined): readonly LikelyAnswer[] {
  const number = expects === "number" ? ASKED_FOR : USUAL_NUMBER;
  return [
    ...OTHERS.map((word) => ({ writings: [sentence(word)], advantage: USUAL })),
    ...DIGITS.map((word, value) => ({ writings: numberWritings(word, value), advantage: number })),
    { writings: ["Oh."], advantage: USUAL },
    ...(expects === "number"
      ? NUMBERS.map((word, index) => ({ writings: numberWritings(word, 10 + index), advantage: number - 1 }))
      : []),
    ...(expects === "letters" ? LETTERS : []),
  ];
}

/** Answers over a reply that show that the caller listens. */
export const SIGNS_OF_LISTENING: readonly string[] = [
  ...words("mm-hmm mm uh-huh okay yeah yes yep right sure good great wow really exactly thanks thank_you oh"),
  ...words("i_see got_it oh,_really that's_right all_right of_course i_know makes_sense very_good"),
].map(sentence);
/** Words that stop it. */
export const COMMANDS: readonly string[] = words("no stop wait hold_on quiet enough cancel pause actually").map(
  sentence,
);

/** How much likelier a text is over a reply than other words, as a natural logarithm. Chosen with `npm run bench:barge-in -- --choose`. */
export const overlapAdvantage = (text: string): number =>
  SIGNS_OF_LISTENING.includes(text) ? 5 : COMMANDS.includes(text) ? 3 : 0;

/** Whether the first writing of a likely answer is a number. */
export const isNumberAnswer = (text: string): boolean =>
  [...DIGITS, ...NUMBERS].some((word) => sentence(word) === text);

/** Digits of one group of a dictated number. With more, the recogniser may repeat one as often as it likes. */
export const MOST_DIGITS = 6;
/** Words of a dictated number. */
export const DIGIT_WORDS = ["oh", ...DIGITS].join(" ");

/** A dictated number, as one text with digits and with words: "Five, five, oh". Undefined for other texts. */
export function dictatedNumber(text: string): LikelyAnswer | undefined {
  const values = (text.toLowerCase().match(/\p{L}+|\p{Nd}/gu) ?? []).map((word) =>
    word === "oh" ? 0 : /\p{Nd}/u.test(word) ? Number(word) : DIGITS.indexOf(word),
  );
  if (values.length < 2 || values.length > MOST_DIGITS || values.includes(-1)) return undefined;
  const digits = values.join("");
  const spoken = sentence(values.map((value) => DIGITS[value]).join(", "));
  return {
    writings: [...new Set([text, spoken, digits, `${digits}.`, `${values.join(" ")}.`])],
    advantage: DICTATED,
  };
}

const LETTERS = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ", (letter) => ({
  writings: [`${letter}.`, letter],
  advantage: ASKED_FOR,
}));

const numberWritings = (word: string, value: number) => [sentence(word), String(value), `${String(value)}.`];

/** True for a text that may stand for an answer of one word: it has no more words, spelled letters or digits. */
export const isOneWord = (text: string): boolean => (text.match(/\p{Nd}|[\p{L}\p{M}']+/gu)?.length ?? 0) <= 1;
