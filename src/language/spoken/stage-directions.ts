/** Verbs of the languages that have a pack. They stand in brackets or asterisks. */
const ACTIONS =
  `laugh(?:s|ing|ter)?|chuckl(?:es?|ing)|giggl(?:es?|ing)|smil(?:es?|ing)|grins?|grinning|sigh(?:s|ing)?|nod(?:s|ding)?|wink(?:s|ing)?|
  shrug(?:s|ging)?|paus(?:es?|ing)|gasp(?:s|ing)?|cough(?:s|ing)?|whisper(?:s|ing)?|clears (?:\\w+ )?throat|takes a (?:deep )?breath|
  thinks|thinking|beat|laughs out loud|
  lacht|lächelt|grinst|seufzt|nickt|zwinkert|räuspert sich|hustet|flüstert|kichert|
  rit|rires?|sourit|soupire|hoche la tête|chuchote|tousse|
  ríe|risas|se ríe|sonríe|suspira|asiente|susurra|tose|
  ride|risata|sorride|sospira|annuisce|sussurra|tossisce|
  glimlacht|grinnikt|zucht|knikt|knipoogt|fluistert|hoest|
  ri|risos|sorri|acena|sussurra|tosse`.replace(/\s*\n\s*/gu, "");
const directions = new RegExp(
  String.raw`(?:\*{1,2}|_{1,2}|[[(])(?:\p{L}+ )?(?:${ACTIONS})(?: [\p{L} ]{1,30})?(?:\*{1,2}|_{1,2}|[\])])`,
  "giu",
);

/** Leaves out actions that a model writes instead of words: "*laughs*", "[sighs softly]". */
export const withoutDirections = (text: string): string => text.replace(directions, " ");
