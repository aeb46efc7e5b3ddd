import type { SpokenAnswer } from "../../../language/expectation.ts";

/**
 * Single words that callers say as a whole answer. Recognisers were trained on sentences and often hear another word, but give the
 * right one a high probability when they are asked. In the spelling of Moonshine.
 */
const ANSWERS = texts(
  "yes no okay stop yeah thanks hello goodbye help please sorry right sure correct repeat cancel thank_you bye hi one_moment",
);
const DIGITS = texts("zero one two three four five six seven eight nine oh");
const NUMBERS = texts(
  "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy " +
    "eighty ninety one_hundred half double",
);
const LETTERS = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ", (letter) => `${letter}.`);

/** An answer, and how much likelier it is than any other text, as a natural logarithm. */
export interface LikelyAnswer {
  readonly text: string;
  readonly advantage: number;
}

/** Advantages were fitted on people who say single digits and words (docs/decisions/0088-two-ears.md). */
const USUAL = 2;
const ASKED_FOR = 6;

/** English answers of one word, by what the service has just asked for. */
export function likelyAnswers(expects: SpokenAnswer | undefined): readonly LikelyAnswer[] {
  const numbers = expects === "number" ? ASKED_FOR : USUAL;
  return [
    ...ANSWERS.map((text) => ({ text, advantage: USUAL })),
    ...DIGITS.map((text) => ({ text, advantage: numbers })),
    ...(expects === "number" ? NUMBERS.map((text) => ({ text, advantage: USUAL })) : []),
    ...(expects === "letters" ? LETTERS.map((text) => ({ text, advantage: ASKED_FOR })) : []),
  ];
}

/** "thank_you" is "Thank you." */
function texts(list: string): readonly string[] {
  return list.split(" ").map((each) => {
    const text = each.replaceAll("_", " ");
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
  });
}
