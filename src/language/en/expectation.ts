/** What kind of answer the box's last words ask for. */
export type Expectation = "anything" | "answer" | "brief" | "dictation";

/** Answers given piece by piece, with pauses between the pieces. */
const DICTATED =
  /\b(?:number|address|e-?mail|postcode|post code|zip code|spell|code|reference|date of birth|birth ?date|describe|explain|tell me (?:more|about)|what happened|list|in your own words)\b/iu;
/** Questions that begin so are answered by a word or two. */
const BRIEF =
  /^(?:(?:and|so|okay|great|alright|sure)[, ]+)?(?:is|are|was|were|do|does|did|can|could|shall|should|will|would|have|has|may|anything else|right)\b/iu;

/** Looks at the last sentence, and only if it asks. */
export function expectedAnswer(said: string): Expectation {
  const sentence =
    said
      .trim()
      .split(/(?<=[.!?])\s+/u)
      .at(-1) ?? "";
  if (DICTATED.test(sentence) && /\?$|\b(?:please|tell|give|spell|say|need|describe|explain)\b/iu.test(sentence))
    return "dictation";
  if (!sentence.endsWith("?")) return "anything";
  return BRIEF.test(sentence) ? "brief" : "answer";
}

/** How much longer or shorter a pause is waited for in such an answer. */
export const EXPECTATION_STRETCH: Readonly<Record<Expectation, number>> = {
  anything: 1,
  answer: 1,
  brief: 0.8,
  dictation: 1.8,
};
