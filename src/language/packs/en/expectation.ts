import { remainderBy } from "../../dictation.ts";
import { expectedAnswerBy, lastSentence, type SpokenAnswer } from "../../expectation.ts";

export const expectedAnswer = expectedAnswerBy({
  dictated:
    /\b(?:number|address|e-?mail|postcode|post code|zip code|spell|code|reference|date of birth|birth ?date|describe|explain|tell me (?:more|about)|what happened|list|in your own words)\b/iu,
  requests: /\b(?:please|tell|give|spell|say|need|describe|explain)\b/iu,
  brief:
    /^(?:(?:and|so|okay|great|alright|sure)[, ]+)?(?:is|are|was|were|do|does|did|can|could|shall|should|will|would|have|has|may|anything else|right)\b/iu,
});

export const remainder = remainderBy(
  {
    named: /\b(?:number|code)\b/iu,
    telephone: { named: /\b(?:phone|telephone|mobile|cell|fax|contact number)\b/iu, least: 7, whole: 10 },
    card: /\bcard\b/iu,
    short:
      /\b(?:room|floor|gate|table|seat|house|flat|apartment|pin|number of|last \w+ (?:digits|numbers)|how (?:many|much|old)|birth ?date|date of birth)\b/iu,
    digits: "zero oh one two three four five six seven eight nine",
  },
  expectedAnswer,
);

const REQUEST = /\?$|\b(?:please|tell|give|spell|say|enter|press)\b/iu;
const LETTERS = /\b(?:spell|spelling|letters?|initials?)\b/iu;
const NUMBER =
  /\b(?:how (?:many|much|old|long|far|big)|numbers?|digits?|code|pin|amount|age|party of|zip ?code|postcode|post code|date of birth|birth ?date|what (?:time|year|floor|room|size)|which (?:floor|room|year|size|option)|from (?:one|zero|1|0) to)\b/iu;

/** Whether the last sentence asks for a number or letters. */
export function asksFor(said: string): SpokenAnswer | undefined {
  const sentence = lastSentence(said);
  if (!REQUEST.test(sentence)) return undefined;
  if (LETTERS.test(sentence)) return "letters";
  return NUMBER.test(sentence) ? "number" : undefined;
}
