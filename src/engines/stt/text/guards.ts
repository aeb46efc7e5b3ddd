/** The fastest digits of people were four words a second of voice (AN4). */
const MAX_WORDS_PER_SECOND = 8;
const MAX_WORDS_WITHOUT_TIME = 3;
/** A click is shorter, and the shortest of 900 digits of people has 0.1 s of voice. */
const MIN_VOICED_SECONDS = 0.05;

/**
 * The words that a caller can have said: without descriptions of sounds, without loops, and none when more words are written than
 * fit the voiced time.
 */
export function guarded<Item extends { readonly word: string }>(
  words: readonly Item[],
  voicedSeconds: number,
): readonly Item[] {
  const kept = withoutDoubling(withoutLoop(withoutSoundTags(words)), voicedSeconds);
  const fits = kept.length <= MAX_WORDS_WITHOUT_TIME + MAX_WORDS_PER_SECOND * voicedSeconds;
  return fits && voicedSeconds >= MIN_VOICED_SECONDS ? kept : [];
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
      while (end < items.length && isAgain(keys, end, period)) end++;
      const rounds = Math.floor((end - start) / period);
      if (rounds > 1 && isLoop(items.slice(start, start + period), rounds))
        return { period, end: end === items.length ? end : start + rounds * period };
    }
    return undefined;
  }
}

/** True when the key equals that of the round before. A decoder may have stopped inside the last word of a phrase. */
function isAgain(keys: readonly string[], at: number, period: number): boolean {
  const [key = "", earlier = ""] = [keys[at], keys[at - period]];
  return key === earlier || (period > 1 && at === keys.length - 1 && earlier.startsWith(key));
}

/** Least time of a word that is said again, alone and in a phrase. */
const SECONDS_PER_REPEATED_WORD = 0.28;
const SECONDS_PER_WORD_OF_PHRASE = 0.2;

/** Whisper hears a short word twice ("8 8"). A text that only repeats itself keeps the rounds that fit the voiced time. */
export function withoutDoubling<Item extends { readonly word: string }>(
  words: readonly Item[],
  voicedSeconds: number,
): readonly Item[] {
  const keys = words.map(({ word }) => lettersOf(word));
  const period = keys.findIndex(
    (_, at) => at > 0 && keys.every((_key, index) => index < at || isAgain(keys, index, at)),
  );
  if (period < 1) return words;
  const seconds = period === 1 ? SECONDS_PER_REPEATED_WORD : period * SECONDS_PER_WORD_OF_PHRASE;
  const rounds = Math.max(1, Math.floor(voicedSeconds / seconds));
  return words.slice(0, Math.min(words.length, rounds * period));
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
