import type { OverlapWords } from "../../../language/overlap-words.ts";
import { wordsOf } from "../../../language/words.ts";

/**
 * Kind of a sound over the reply: not decoded yet, decoded but not clear, no speech, a sign of listening, one or more words
 * of content, or a command to stop.
 */
export type OverlapKind = "undecoded" | "unclear" | "nothing" | "backchannel" | "word" | "words" | "command";

/** Minimum confidence (0-1) of the newest word of a continuing voice. A command needs less. */
const SURE = 0.97;
/** Recognisers write a hum in many ways: "hmm", "NMHMM". */
const HUM = /^[hmn]{2,}$/u;
export const SURE_ORDER = 0.7;

export interface Circumstances {
  /** The voice has stopped, so no word is cut off. */
  readonly ended: boolean;
  /** The recogniser's confidence (0-1) of the newest word. */
  readonly sureOfNewest: number;
  /** Text of the reply while its echo may be in the microphone. Its words are not evidence of another speaker. */
  readonly ownSpeech?: string;
}

/**
 * Classifies the words that were recognised over the reply. While the voice goes on, the newest word is cut off and often misheard,
 * so it counts only with a high confidence. A possible beginning of a back-channel ("sounds") counts as a back-channel, with the
 * newest word or, at a low confidence, without it. "makes" before silence counts as one too, because it does not interrupt by itself.
 * Without words of the language, the length of the sound decides.
 */
export function judgeOverlap(
  text: string,
  { ended, sureOfNewest, ownSpeech = "" }: Circumstances,
  language: OverlapWords | undefined,
): OverlapKind {
  const heard = wordsOf(text);
  if (language === undefined) return heard.length === 0 || isEcho(ownSpeech, heard) ? "nothing" : "undecoded";
  const { backchannels, backchannelPhrases, functionWords, commands } = language;
  const ownWords = wordsOf(ownSpeech);
  const said = wordsOf(heard.join(" ").replace(language.backchannelPhrase, " mm "))
    .map((word) => word.replace(HUM, "mm"))
    // A command that only resembles a word of the reply still counts: "wait" over "waits".
    .filter((word) => !ownWords.some((own) => (commands.has(word) ? word === own : resembles(word, own))));
  const counts = (sure: number) => ended || (sureOfNewest >= sure && !beginsOne(backchannels, said.at(-1) ?? ""));
  const sureFrom = (sure: number) => (counts(sure) ? said : said.slice(0, -1));
  if (sureFrom(SURE_ORDER).some((word) => commands.has(word))) return "command";
  if (isEcho(ownSpeech, heard)) return "nothing";
  if (holdsCommand(ended || sureOfNewest >= SURE_ORDER ? heard : heard.slice(0, -1), ownSpeech, language))
    return "command";
  const beginnings = ended ? [[...heard, ""]] : counts(SURE) ? [heard] : [heard, heard.slice(0, -1)];
  if (beginnings.some((words) => beginsPhrase(backchannelPhrases, words))) return "backchannel";
  const count = sureFrom(SURE).filter((word) => !backchannels.has(word) && !functionWords.has(word)).length;
  if (count > 1) return "words";
  // One word among words of the reply is probably misheard.
  if (count === 1) return said.length < heard.length && ownSpeech !== "" ? "unclear" : "word";
  if (said.length === 0) return "nothing";
  const whole = ended || said.length === 1 ? said : said.slice(0, -1);
  return whole.some((word) => backchannels.has(word)) ? "backchannel" : "unclear";
}

/** Longest beginning or ending by which a misheard word of the reply differs: "fours" for "four", "day" for "today". */
const MISHEARD_PART = 2;
const SHORTEST_STEM = 3;

function resembles(word: string, own: string): boolean {
  const [short, long] = word.length < own.length ? [word, own] : [own, word];
  return (
    word === own ||
    (short.length >= SHORTEST_STEM &&
      (long.startsWith(short) || long.endsWith(short)) &&
      long.length - short.length <= MISHEARD_PART)
  );
}

/** True of a command of several words, unless the reply itself says it. */
function holdsCommand(words: readonly string[], ownSpeech: string, { commandPhrases }: OverlapWords): boolean {
  const heard = ` ${words.join(" ")} `;
  const own = ` ${wordsOf(ownSpeech).join(" ")} `;
  return commandPhrases.some((phrase) => heard.includes(` ${phrase} `) && !own.includes(` ${phrase} `));
}

/** True of the first words of such a phrase, when they are more than a letter. After "" the last of them is whole. */
function beginsPhrase(phrases: readonly string[], words: readonly string[]): boolean {
  const begun = words.join(" ");
  return begun.length > 1 && phrases.some((phrase) => phrase.startsWith(begun));
}

/** True of the first letters of such a word: "re". */
function beginsOne(words: ReadonlySet<string>, begun: string): boolean {
  for (const whole of words) if (whole !== begun && whole.startsWith(begun)) return true;
  return false;
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
