import type { Hypothesis } from "../hypothesis.ts";
import { MODEL_HZ } from "../../audio/format.ts";
import type { Language } from "../../language/language.ts";
import type { Word } from "../../engines/stt/speech-to-text.ts";
import {
  agree,
  append,
  type ClipStart,
  meanConfidence,
  middle,
  NOTHING_AGREED,
  wordsAfter,
  wordsFrom,
  wordsTakenBack,
  withShownTimes,
} from "./local-agreement.ts";

/** The part of a turn's audio that one clip holds. Positions are session samples. */
export interface Window {
  readonly from: number;
  /** Settled words whose middle lies before this are not in the clip. Between here and `from` they may be in it. */
  readonly knownFrom: number;
}

/** One decode of a window. */
export interface WindowDecode {
  readonly window: Window;
  /** The first decoded sample: later than `window.from` when the beginning was lost. */
  readonly fromSample: number;
  /** Undefined: the decode failed. */
  readonly words: readonly Word[] | undefined;
  readonly isDoubtful?: boolean | undefined;
}

/**
 * The words of one turn: the words that partials showed, which only grow, and the settled words, which are those of a window's last
 * decode. Partials come from the recogniser's fast ear, and the last decode from both (docs/decisions/0089-two-ears.md).
 */
export class TurnWords {
  readonly #spelling: () => Language["spelled"];
  #agreement = NOTHING_AGREED;
  #settled: readonly Word[] = [];
  #segment = { firstShown: 0, fromSeconds: 0 };
  #final: readonly Word[] = [];
  /** A decode that was not doubtful had words. */
  #isSure = false;

  /** `spelling`: the written form of spelled words and numbers in the caller's language. */
  constructor(spelling: () => Language["spelled"] = () => undefined) {
    this.#spelling = spelling;
  }

  get shown(): Hypothesis {
    const { published } = this.#agreement;
    return hypothesis(published.slice(this.#segment.firstShown), published);
  }

  get settledText(): string {
    return textOf(this.#settled);
  }

  /** Adds the words of a partial that ends at the sample `to`. True when more words are shown than before. */
  takePartial(window: Window, to: number, words: readonly Word[]): boolean {
    const before = this.#agreement.published.length;
    this.#agreement = agree(this.#agreement, words, to / MODEL_HZ, inSeconds(window));
    return this.#agreement.published.length > before;
  }

  /** Adds the words of a clip that ends in a pause: all of them are whole. True when more words are shown than before. */
  takePause(window: Window, words: readonly Word[]): boolean {
    const { published } = this.#agreement;
    const more = wordsAfter(published, words, inSeconds(window));
    this.#agreement = { published: append(published, more), candidates: [] };
    return more.length > 0;
  }

  /** Settles the words of a closed window whose middle lies before `boundary`. True when more words are shown than before. */
  settle(decode: WindowDecode, boundary: number): boolean {
    const words = this.#wordsOf(decode, boundary);
    this.#noteSure(decode, words);
    const more = wordsAfter(this.#shownIn(decode.window), words);
    this.#settled = joined(this.#settled, words);
    const { published } = this.#agreement;
    this.#agreement = { published: append(published, more), candidates: [] };
    return more.length > 0;
  }

  /** Forgets the shown words of the open window. */
  forgetShown({ from }: Window): void {
    const published = wordsBefore(this.#agreement.published, from);
    this.#agreement = { published, candidates: [] };
    this.#segment = { ...this.#segment, firstShown: Math.min(this.#segment.firstShown, published.length) };
  }

  /** Ends the segment with the words shown so far. */
  closeSegment(): Hypothesis {
    const { shown } = this;
    const { published } = this.#agreement;
    this.#segment = { firstShown: published.length, fromSeconds: published.at(-1)?.end ?? 0 };
    return shown;
  }

  /** The turn's words when `decode` is its last window. */
  final(decode: WindowDecode, confidence: number): Hypothesis {
    const words = this.#wordsOf(decode);
    this.#noteSure(decode, words);
    this.#final = this.#written(words);
    const final = { ...hypothesis(wordsFrom(this.#final, this.#segment.fromSeconds), this.#final), confidence };
    return this.#isSure || this.#final.length === 0 ? final : { ...final, isDoubtful: true };
  }

  /** The text of the turn if `decode` were its last window. */
  textWith(decode: WindowDecode): string {
    return textOf(this.#written(this.#wordsOf(decode)));
  }

  /** The number of shown words, and of those that the final does not have. */
  get counts(): { wordsShown: number; wordsTakenBack: number } {
    const { published } = this.#agreement;
    return { wordsShown: published.length, wordsTakenBack: wordsTakenBack(published, this.#final) };
  }

  /** All words of the turn when these are those of its last window. */
  #written(words: readonly Word[]): readonly Word[] {
    const all = joined(this.#settled, words);
    return this.#spelling()?.(all) ?? all;
  }

  #wordsOf({ window, fromSample, words }: WindowDecode, boundary = Infinity): readonly Word[] {
    const shown = wordsBefore(this.#shownIn(window), boundary);
    if (words === undefined) return shown;
    // Shown words of lost audio are kept.
    const kept = fromSample > window.from ? shown.filter(({ end }) => end * MODEL_HZ <= fromSample) : [];
    const rest = wordsAfter(this.#settled, wordsBefore(words, boundary), inSeconds(window));
    return withShownTimes(shown, [...kept, ...rest]);
  }

  /** The shown words of a window that follow the settled ones. */
  #shownIn(window: Window): readonly Word[] {
    const clip = inSeconds(window);
    return wordsAfter(this.#settled, wordsFrom(this.#agreement.published, clip.knownFrom), clip);
  }

  #noteSure({ isDoubtful = false }: WindowDecode, words: readonly Word[]): void {
    this.#isSure ||= words.length > 0 && !isDoubtful;
  }
}

/** The words before the first one whose middle is at `boundary` or later. Times of a decode may overlap. */
function wordsBefore(words: readonly Word[], boundary: number): readonly Word[] {
  const end = words.findIndex((word) => middle(word) * MODEL_HZ >= boundary);
  return end < 0 ? words : words.slice(0, end);
}

/** Appends a window's words. Drops the full stop that the recogniser put at the cut when they continue in lower case. */
function joined(words: readonly Word[], next: readonly Word[]): readonly Word[] {
  const last = words.at(-1);
  const continues = /^\p{Ll}/u.test(next[0]?.word ?? "");
  if (last === undefined || !continues || !ENDS_WITH_STOP.test(last.word)) return append(words, next);
  return append([...words.slice(0, -1), { ...last, word: last.word.slice(0, -1) }], next);
}

/** Not "..." and not abbreviations such as "p.m." */
const ENDS_WITH_STOP = /^[^.]+\.$/u;

const inSeconds = ({ from, knownFrom }: Window): ClipStart => ({
  from: from / MODEL_HZ,
  knownFrom: knownFrom / MODEL_HZ,
});

const textOf = (words: readonly Word[]): string => words.map(({ word }) => word).join(" ");

function hypothesis(words: readonly Word[], all: readonly Word[]): Hypothesis {
  return { text: textOf(words), confidence: meanConfidence(words), words, accumulated: textOf(all) };
}
