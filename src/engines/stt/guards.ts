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

/** Words of spoken numbers. Those of the second list alone are usually not numbers. */
const NUMBER =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen " +
  "nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million";
const BESIDE_A_NUMBER = "o oh double triple point";
const isNumber = wordIn(NUMBER);
const mayBeNumber = wordIn(`${NUMBER} ${BESIDE_A_NUMBER}`);

/** Longer rounds do not fit three times into a clip. */
const LONGEST_ROUND = 64;
/** Rounds of a number that stay: a caller reads out no longer row of equal digits. */
const MAX_READ_OUT = 24;
/** People say a word five times, a phrase three times and a long sentence twice. */
const roundsOfWords = (words: number): number => (words === 1 ? 6 : words < 8 ? 4 : 3);
/** People write "hmmm", "sooooo" and "hahaha". */
const roundsOfLetters = (letters: number): number => (letters === 1 ? 6 : 4);

/**
 * Cuts a decoder's loops down to their first round: letters and syllables inside a word ("ahhhhhhh", "I-I-I-I-I"), words and
 * sentences. Repeated numbers stay, because callers read out digits.
 */
export function withoutLoop<Item extends { readonly word: string }>(words: readonly Item[]): readonly Item[] {
  const shortened = words.map((item) => {
    const word = withoutLoopOfLetters(item.word);
    return word === item.word ? item : { ...item, word };
  });
  const isLoop = (round: readonly Item[], rounds: number) =>
    rounds >= roundsOfWords(round.length) && (rounds > MAX_READ_OUT || !isReadOut(round));
  return withoutRepetition(shortened, ({ word }) => lettersOf(word), isLoop);
}

function withoutLoopOfLetters(word: string): string {
  const isLoop = (round: readonly string[], rounds: number) =>
    rounds >= roundsOfLetters(round.length) && (rounds > MAX_READ_OUT || !/\p{Nd}/u.test(round.join("")));
  const letters = Array.from(word);
  const kept = withoutRepetition(letters, (letter) => letter.toLowerCase(), isLoop);
  return kept.length === letters.length ? word : kept.join("").replace(/-$/u, "");
}

const lettersOf = (word: string): string => word.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{Nd}]/gu, "") || word;

/** Keeps one round of each repetition that `isLoop` finds. At the end of the text, an unfinished round goes too. */
function withoutRepetition<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  isLoop: (round: readonly Item[], rounds: number) => boolean,
): readonly Item[] {
  const keys = items.map(keyOf);
  const kept: Item[] = [];
  for (let start = 0; start < items.length;) {
    const { period, end } = loopAt(start) ?? { period: 1, end: start + 1 };
    kept.push(...items.slice(start, start + period));
    start = end;
  }
  return kept;

  function loopAt(start: number): { readonly period: number; readonly end: number } | undefined {
    for (let period = 1; period <= LONGEST_ROUND && start + 2 * period <= items.length; period++) {
      let end = start + period;
      while (end < items.length && isAgain(end, period)) end++;
      const rounds = Math.floor((end - start) / period);
      if (rounds > 1 && isLoop(items.slice(start, start + period), rounds))
        return { period, end: end === items.length ? end : start + rounds * period };
    }
    return undefined;
  }

  function isAgain(at: number, period: number): boolean {
    const [key = "", earlier = ""] = [keys[at], keys[at - period]];
    return key === earlier || (at === keys.length - 1 && earlier.startsWith(key));
  }
}

/** Rounds and tokens of a loop while it is written. Read-out numbers have fewer. */
const MIN_ROUNDS = 4;
const MIN_LOOP_TOKENS = 24;

/** True when the last tokens repeat, with any period. For decoders that can stop: call it after each token. */
export function isLooping(tokens: readonly number[]): boolean {
  for (let period = 1; period * MIN_ROUNDS <= tokens.length; period++) {
    const length = Math.max(MIN_LOOP_TOKENS, period * MIN_ROUNDS);
    let same = period;
    while (same < length && tokens.at(-1 - same) === tokens.at(period - 1 - same)) same++;
    if (same === length) return true;
  }
  return false;
}

function isReadOut(round: readonly { readonly word: string }[]): boolean {
  return round.some(({ word }) => isNumber.test(word)) && round.every(({ word }) => mayBeNumber.test(word));
}

/** Matches digits and the words of `list`, also hyphenated and with punctuation. */
function wordIn(list: string): RegExp {
  const one = String.raw`(?:\p{Nd}+|${list.replaceAll(" ", "|")})`;
  return new RegExp(String.raw`^[^\p{L}\p{Nd}]*${one}(?:[^\p{L}\p{Nd}]+${one})*[^\p{L}\p{Nd}]*$`, "iu");
}
