/**
 * What a sound over the reply is: not decoded yet, decoded but not clear, no speech, a sign that one listens, one or more words
 * that say something, or an order to stop.
 */
export type Overheard = "undecoded" | "unclear" | "nothing" | "backchannel" | "word" | "words" | "command";

/** Said to show that one listens: they do not ask for the floor. */
const BACKCHANNELS = new Set(
  (
    "mm mhm mmhmm hm hmm hmmm mmm uh huh uhhuh um ah aha oh ooh yeah yep yup ya yes okay ok kay right sure good great nice " +
    "cool fine well wow really exactly absolutely definitely indeed alright understood gotcha true interesting perfect thanks"
  ).split(" "),
);
const BACKCHANNEL_PHRASES =
  /\b(?:i see|got it|of course|all right|that's (?:right|good|great|true|fine|nice)|that is (?:right|good|great|true|fine)|sounds good|thank you|very good|oh my|no problem|no way|i know|makes sense)\b/g;
/** Alone they say nothing, and are what a recogniser makes of a hum or of half a word. */
const FUNCTION_WORDS = new Set(
  (
    "a an the i i'm i'd i'll it it's its is am are was be been you you're your he she we they them that this these of to in on " +
    "at for and or but so if as with by from do does did can could will would have has had my me us our er eh"
  ).split(" "),
);
/** These ask the box to stop talking, whatever comes after them. */
const COMMANDS = new Set("stop wait no cancel quiet hold enough pause nope hey shush".split(" "));

/**
 * Sorts what was recognised over the reply. While the voice goes on (`ended` false) the newest word is cut short and often
 * taken for another one, so it only counts when it is an order. `ownWords`: words of the reply itself, when its echo is in
 * the microphone; they are no evidence of another speaker.
 */
export function sortOverheard(text: string, ended: boolean, ownWords: ReadonlySet<string> = NONE): Overheard {
  const words = overheardWords(text.toLowerCase().replace(/[’`]/g, "'").replace(BACKCHANNEL_PHRASES, " mm "));
  const said = words.filter((word) => !ownWords.has(word));
  if (said.some((word) => COMMANDS.has(word))) return "command";
  const whole = ended ? said : said.slice(0, -1);
  const count = whole.filter((word) => !BACKCHANNELS.has(word) && !FUNCTION_WORDS.has(word)).length;
  if (count > 0) return count > 1 ? "words" : "word";
  if (said.length === 0) return "nothing";
  return (whole.length > 0 ? whole : said).some((word) => BACKCHANNELS.has(word)) ? "backchannel" : "unclear";
}

/** The words of a text, lower case, without punctuation; "mm-hmm" is two. */
export function overheardWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
}

const NONE: ReadonlySet<string> = new Set();
