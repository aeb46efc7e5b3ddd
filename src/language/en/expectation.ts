import { expectedAnswerBy } from "../expectation.ts";

export const expectedAnswer = expectedAnswerBy({
  dictated:
    /\b(?:number|address|e-?mail|postcode|post code|zip code|spell|code|reference|date of birth|birth ?date|describe|explain|tell me (?:more|about)|what happened|list|in your own words)\b/iu,
  requests: /\b(?:please|tell|give|spell|say|need|describe|explain)\b/iu,
  brief:
    /^(?:(?:and|so|okay|great|alright|sure)[, ]+)?(?:is|are|was|were|do|does|did|can|could|shall|should|will|would|have|has|may|anything else|right)\b/iu,
});
