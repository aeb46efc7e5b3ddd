/** Words an English sentence does not end in: after one, a pause is thinking, not waiting for an answer. */
const OPEN_WORDS = new Set(
  (
    "a an and are as at because but by can could did do does for from if in into is its like may might my of on or our " +
    "shall should so than that the their then this to um uh er was were when where which while who will with would your"
  ).split(" "),
);
/** Endings that look open but are said as whole sentences. */
const CLOSED_ENDINGS =
  /\b(?:i think so|yes i (?:can|could|did|do|will|would|should)|like that|like this|do that|do this|what is that|what is this|come in|turn (?:it|that|them) on|(?:light|lights|lamp|heating) on)$/;

/** True when the words so far sound as if more must follow. */
export function soundsUnfinished(text: string): boolean {
  const words = text
    .toLowerCase()
    .replace(/[^a-z' ]+/g, " ")
    .trim();
  if (words === "") return false;
  if (text.trim().endsWith(",")) return true;
  const last = words.slice(words.lastIndexOf(" ") + 1);
  return OPEN_WORDS.has(last) && !CLOSED_ENDINGS.test(words);
}
