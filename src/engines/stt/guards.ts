import { deflateRawSync } from "node:zlib";
import type { Decoded } from "./addon.ts";

/** No-speech probability above which a decode may count as silence ... */
const MAX_NO_SPEECH_PROBABILITY = 0.6;
/** ... if the mean log-probability of its tokens is also below this. */
const UNSURE_LOG_PROBABILITY = -1;
/** Mean log-probability below which a decode counts as silence at any no-speech probability. */
const MIN_LOG_PROBABILITY = -1.5;

/** True when the decode should count as silence. */
export const isHallucination = (decoded: Decoded): boolean =>
  countsAsSilence(meanLogProbability(decoded), decoded.noSpeechProbability);

/** The same for the mean log-probability of a decode's tokens. */
export const countsAsSilence = (logProbability: number, noSpeechProbability: number): boolean =>
  logProbability < MIN_LOG_PROBABILITY ||
  (noSpeechProbability > MAX_NO_SPEECH_PROBABILITY && logProbability < UNSURE_LOG_PROBABILITY);

/** True when a decode at a shortened context should be repeated at the full one: it loops, or the model is unsure. */
export function needsFullContext(decoded: Decoded, words: readonly { readonly word: string }[]): boolean {
  return meanLogProbability(decoded) < UNSURE_LOG_PROBABILITY || withoutLoop(words).length < words.length;
}

function meanLogProbability({ tokens }: Decoded): number {
  return tokens.length === 0 ? 0 : tokens.reduce((sum, token) => sum + token.logProbability, 0) / tokens.length;
}

const SOUNDS =
  /^(?:(?:soft|upbeat|gentle|dramatic|background|no|loud|heavy) )?(?:music|applause|laughter|laughs|silence|blank|noise|static|speech|sighs?|cough(?:s|ing)?|breathing|inaudible|foreign|typing|beep(?:ing|s)?)(?: playing)?$/iu;

/** Removes descriptions of sounds: `[BLANK_AUDIO]`, `(upbeat music)`, `*laughs*`, notes. */
export function withoutSoundTags<Item extends { readonly word: string }>(words: readonly Item[]): Item[] {
  const kept: Item[] = [];
  for (let index = 0; index < words.length;) {
    const length = tagLength(words, index);
    const item = words[index];
    if (length === 0 && item !== undefined && !/^[♪♫♩♬]+$/u.test(item.word)) kept.push(item);
    index += Math.max(1, length);
  }
  return kept;
}

/** Number of words from `start` on that form one tag, or 0. */
function tagLength(words: readonly { readonly word: string }[], start: number): number {
  for (let length = 1; length <= 4 && start + length <= words.length; length++) {
    const text = words
      .slice(start, start + length)
      .map(({ word }) => word)
      .join(" ");
    if (/^\[[^\]]*\][.,!?]?$/u.test(text)) return length;
    const inner = /^[(*]+([^()*]*)[)*]+[.,!?]?$/u.exec(text)?.[1];
    if (inner !== undefined && SOUNDS.test(inner)) return length;
  }
  return 0;
}

/** Loops compress far better than speech. The limit is Whisper's. */
const MAX_COMPRESSION = 2.4;
const MAX_PERIOD_WORDS = 8;

/** Words of spoken numbers. Those of the second list alone are usually not numbers. */
const NUMBER =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen " +
  "nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million";
const BESIDE_A_NUMBER = "o oh double triple point";
const isNumber = wordIn(NUMBER);
const mayBeNumber = wordIn(`${NUMBER} ${BESIDE_A_NUMBER}`);

/**
 * Cuts a decoder's loop at the end of the text ("thank you thank you thank you ...") down to its first round. Repeated numbers
 * stay, because callers read out digits.
 */
export function withoutLoop<Item extends { readonly word: string }>(words: readonly Item[]): readonly Item[] {
  const text = Buffer.from(words.map(({ word }) => word.toLowerCase()).join(" "));
  if (text.length / deflateRawSync(text).length <= MAX_COMPRESSION) return words;
  for (let period = 1; period <= MAX_PERIOD_WORDS; period++) {
    const rounds = roundsAtEnd(words, period);
    if (rounds >= 4 && !isReadOut(words.slice(-period))) return words.slice(0, words.length - (rounds - 1) * period);
  }
  return words;
}

function roundsAtEnd(words: readonly { readonly word: string }[], period: number): number {
  let same = 0;
  for (let index = words.length - 1; index >= period; index--) {
    if (words[index]?.word.toLowerCase() !== words[index - period]?.word.toLowerCase()) break;
    same++;
  }
  return Math.floor(same / period) + 1;
}

function isReadOut(round: readonly { readonly word: string }[]): boolean {
  return round.some(({ word }) => isNumber.test(word)) && round.every(({ word }) => mayBeNumber.test(word));
}

/** Matches digits and the words of `list`, also hyphenated and with punctuation. */
function wordIn(list: string): RegExp {
  const one = String.raw`(?:\p{Nd}+|${list.replaceAll(" ", "|")})`;
  return new RegExp(String.raw`^[^\p{L}\p{Nd}]*${one}(?:[^\p{L}\p{Nd}]+${one})*[^\p{L}\p{Nd}]*$`, "iu");
}
