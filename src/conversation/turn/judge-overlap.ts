/**
 * What a sound over the reply is: not decoded yet, decoded but not clear, no speech, a sign that one listens, one or more words
 * that say something, or an order to stop.
 */
export type OverlapKind = "undecoded" | "unclear" | "nothing" | "backchannel" | "word" | "words" | "command";

/** Said to show that one listens: they do not ask for the floor. */
const BACKCHANNELS = new Set(
  (
    "mm mhm mmhmm hm hmm hmmm mmm uh huh uhhuh um ah aha oh ooh yeah yep yup ya yes okay ok kay right sure good great nice " +
    "cool fine well wow really exactly absolutely definitely indeed alright understood gotcha true interesting perfect thanks"
  ).split(" "),
);
const BACKCHANNEL_PHRASES = [
  ..."i see|got it|of course|all right|sounds good|thank you|very good|oh my|no problem|no way|i know|makes sense".split(
    "|",
  ),
  ...["that's", "that is"].flatMap((that) =>
    ["right", "good", "great", "true", "fine", "nice"].map((so) => `${that} ${so}`),
  ),
];
const BACKCHANNEL_PHRASE = new RegExp(`\\b(?:${BACKCHANNEL_PHRASES.join("|")})\\b`, "g");
/** Alone they say nothing, and are what a recogniser makes of a hum or of half a word. */
const FUNCTION_WORDS = new Set(
  (
    "a an the i i'm i'd i'll it it's its is am are was be been you you're your he she we they them that this these of to in on " +
    "at for and or but so if as with by from do does did can could will would have has had my me us our er eh"
  ).split(" "),
);
/** These ask the box to stop talking, whatever comes after them. */
const COMMANDS = new Set("stop wait no cancel quiet hold enough pause nope hey shush".split(" "));

/** How sure (0-1) the recogniser is of the newest word of a voice that goes on, for it to count; an order is obeyed sooner. */
const SURE = 0.97;
export const SURE_ORDER = 0.5;

export interface Circumstances {
  /** The voice has stopped: no word is cut short. */
  readonly ended: boolean;
  /** 0-1: how sure the recogniser is of the newest word. */
  readonly sureOfNewest: number;
  /** What the reply itself says, while its echo may be in the microphone: that is no evidence of another speaker. */
  readonly ownSpeech?: string;
}

/**
 * Sorts what was recognised over the reply. While the voice goes on the newest word is cut short and often taken for another
 * one: it counts only when the recogniser is sure of it. What may begin a back-channel ("sounds") is one, with the newest word or,
 * of an unsure one, without it; "makes", then silence, too: it is no interruption by itself.
 */
export function judgeOverlap(text: string, { ended, sureOfNewest, ownSpeech = "" }: Circumstances): OverlapKind {
  const plain = text.toLowerCase().replace(/[’`]/g, "'");
  const ownWords = new Set(wordsOf(ownSpeech));
  const said = wordsOf(plain.replace(BACKCHANNEL_PHRASE, " mm ")).filter((word) => !ownWords.has(word));
  const counts = (sure: number) => ended || (sureOfNewest >= sure && !beginsWord(said.at(-1) ?? ""));
  const sureFrom = (sure: number) => (counts(sure) ? said : said.slice(0, -1));
  if (sureFrom(SURE_ORDER).some((word) => COMMANDS.has(word))) return "command";
  const heard = wordsOf(plain);
  if (isEcho(ownSpeech, heard)) return "nothing";
  const beginnings = ended ? [[...heard, ""]] : counts(SURE) ? [heard] : [heard, heard.slice(0, -1)];
  if (beginnings.some(beginsPhrase)) return "backchannel";
  const count = sureFrom(SURE).filter(says).length;
  if (count > 0) return count > 1 ? "words" : "word";
  if (said.length === 0) return "nothing";
  const whole = ended || said.length === 1 ? said : said.slice(0, -1);
  return whole.some((word) => BACKCHANNELS.has(word)) ? "backchannel" : "unclear";
}

/** True of the first words of a phrase that is a back-channel, when they are more than a letter; after "" the last of them is whole. */
function beginsPhrase(words: readonly string[]): boolean {
  const begun = words.join(" ");
  return begun.length > 1 && BACKCHANNEL_PHRASES.some((phrase) => phrase.startsWith(begun));
}

/** True of the first letters of a back-channel: "re". */
function beginsWord(word: string): boolean {
  for (const whole of BACKCHANNELS) if (whole !== word && whole.startsWith(word)) return true;
  return false;
}

const says = (word: string): boolean => !BACKCHANNELS.has(word) && !FUNCTION_WORDS.has(word);

/** The words of a text, lower case, without punctuation; "mm-hmm" is two. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
}

const FEWEST_LETTERS = 6;
/** Fewer than this of the letters may be misheard. */
const MISHEARD_SHARE = 1 / 3;

/** A caller's words after exact words of the reply's echo have at least this many letters. Fewer may be a misheard word. */
const FEWEST_LETTERS_AFTER_ECHO = 12;

/** True when the recogniser may have made these words from the echo of `speech` alone. */
function isEcho(speech: string, words: readonly string[]): boolean {
  if (!isPartOf(speech, words)) return false;
  const rest = words.slice(echoedWords(speech, words));
  return rest.join("").length < FEWEST_LETTERS_AFTER_ECHO || isPartOf(speech, rest);
}

/** Number of the first words that follow each other in `speech` too. */
function echoedWords(speech: string, words: readonly string[]): number {
  const own = ` ${wordsOf(speech).join(" ")} `;
  let count = 0;
  while (count < words.length && own.includes(` ${words.slice(0, count + 1).join(" ")} `)) count += 1;
  return count;
}

/** True when these words resemble a part of `speech`: few letters differ. Short texts never do: their words decide. */
function isPartOf(speech: string, words: readonly string[]): boolean {
  const heard = words.join("");
  if (heard.length < FEWEST_LETTERS) return false;
  // Edits between all that was heard and what ends at each letter of the speech, wherever that begins.
  let edits = Array.from(heard, (_, at) => at + 1);
  let fewest = edits.length;
  for (const letter of wordsOf(speech).join("")) {
    let beforeBoth = 0;
    let beforeHeard = 0;
    edits = edits.map((beforeLetter, at) => {
      const now = Math.min(beforeBoth + (heard[at] === letter ? 0 : 1), beforeHeard + 1, beforeLetter + 1);
      beforeBoth = beforeLetter;
      beforeHeard = now;
      return now;
    });
    fewest = Math.min(fewest, edits.at(-1) ?? fewest);
  }
  return fewest < MISHEARD_SHARE * heard.length;
}
