import { MODEL_HZ } from "../../../audio/format.ts";
import type { Heard } from "../decoded.ts";
import type { SpeechRecognizer, SpeechToText, TranscribeRequest, Transcript } from "../speech-to-text.ts";
import { chooseText, readingsOf, type Candidate, type ChosenWord } from "./choose-text.ts";
import { confidenceOf, isSure, isUnsureOfSpeech, speechOdds, verdictOn } from "./certainty.ts";
import { likenessOf } from "./likeness.ts";
import { isNumberAnswer, likelyAnswers, type LikelyAnswer } from "./likely-answers.ts";
import { PHRASE_ADVANTAGE, phraseReadings } from "./phrase-readings.ts";
import type { ScoredText } from "./scored-text.ts";
import { spanOf } from "./word-times.ts";

/** Texts for a clip that the other ear and the callers' habits propose. */
export interface Proposals {
  /** The fast ear's text. */
  readonly fast: string;
  readonly answers: readonly string[];
}

/** A transcript, and scores of the proposed texts and those between them and its own. */
export interface SecondOpinion extends Heard {
  readonly scored: readonly { readonly text: string; readonly score: ScoredText }[];
}

/** Hears at once, but knows one language and takes any sound for speech. */
export interface FastEar extends SpeechToText {
  open(): FastRecognizer;
}

export interface FastRecognizer extends SpeechRecognizer {
  transcribe(request: TranscribeRequest, signal: AbortSignal): Promise<Heard>;
  score(samples: Float32Array, texts: readonly string[], signal: AbortSignal): Promise<readonly ScoredText[]>;
  /** Those `most` texts of each group that the clip fits best. */
  likeliest(
    samples: Float32Array,
    groups: readonly (readonly string[])[],
    most: number,
    signal: AbortSignal,
  ): Promise<readonly string[]>;
}

/** Hears better and several languages, but later. */
export interface SureEar extends SpeechToText {
  open(): SureRecognizer;
}

export interface SureRecognizer extends SpeechRecognizer {
  transcribe(request: TranscribeRequest, signal: AbortSignal): Promise<Heard>;
  judge(request: TranscribeRequest, proposals: Proposals, signal: AbortSignal): Promise<SecondOpinion>;
}

/** The fast ear's language. */
const FAST_LANGUAGE = "en";
/** Voice of a whole answer of one or two words. */
const SHORT_SECONDS = 1;
const MOST_ANSWERS = 3;
/** "Stop", "no wait", "mm-hmm": over a reply they must not wait for the sure ear. */
const MOST_COMMAND_WORDS = 2;

/**
 * Two recognisers as one. The fast ear hears partials, and finals of which it is sure. For other finals the sure ear writes a text
 * too, both ears score the texts and those between them, and the likeliest is kept (docs/decisions/0089-two-ears.md). The sure ear
 * alone hears other languages.
 */
export function twoEars(fast: FastEar, sure: SureEar): SpeechToText {
  return {
    threads: sure.threads,
    open: () => new TwoEars(fast.open(), sure.open()),
    close: async () => void (await Promise.all([fast.close(), sure.close()])),
  };
}

class TwoEars implements SpeechRecognizer {
  readonly #fast: FastRecognizer;
  readonly #sure: SureRecognizer;
  readonly identifyLanguage?: NonNullable<SpeechRecognizer["identifyLanguage"]>;

  constructor(fast: FastRecognizer, sure: SureRecognizer) {
    this.#fast = fast;
    this.#sure = sure;
    if (sure.identifyLanguage !== undefined) this.identifyLanguage = sure.identifyLanguage.bind(sure);
  }

  async transcribe(request: TranscribeRequest, signal: AbortSignal): Promise<Transcript> {
    if (request.language !== FAST_LANGUAGE) return this.#sure.transcribe(request, signal);
    const heard = await this.#fast.transcribe(request, signal);
    const isCommand = request.isUrgent === true && heard.words.length <= MOST_COMMAND_WORDS;
    if (request.kind === "partial" || isCommand) return { ...heard, isDoubtful: isUnsureOfSpeech(heard.evidence) };
    if (heard.evidence.voicedSeconds === 0) return NOTHING;
    const { samples, expects, phrases = [] } = request;
    if (isSure(heard) && phraseReadings(heard.text, phrases).length === 0) return heard;
    const answers = heard.evidence.voicedSeconds > SHORT_SECONDS ? [] : likelyAnswers(expects);
    const proposed = await this.#nearest(samples, answers, signal);
    const opinion = await this.#sure.judge(request, { fast: heard.text, answers: proposed }, signal);
    if (opinion.scored.length === 0) return opinion;
    // A likely answer needs a word that an ear wrote.
    if (heard.text === "" && opinion.text === "") return NOTHING;
    const texts = opinion.scored.map(({ text }) => text);
    const scores = await this.#fast.score(samples, texts, signal);
    const candidates = new Map(
      opinion.scored.map(({ text, score }, index): [string, Candidate] => [
        text,
        { text, sure: score, fast: scores[index] ?? [] },
      ]),
    );
    const chosen = chooseText(readingsOf(opinion.text, heard.text), candidates, {
      answers,
      phrases: [heard.text, opinion.text].flatMap((text) => likelyPhrases(text, phrases)),
    });
    const likeness = likenessOf(heard.text, opinion.text);
    const odds = speechOdds({ fast: heard.evidence, sure: opinion.evidence, likeness });
    const isNumber = chosen.answer !== undefined && isNumberAnswer(chosen.answer);
    const { isSpeech, isDoubtful } = verdictOn(odds, isNumber, isNumber && expects === "number");
    return isSpeech ? transcriptOf(chosen.words, heard, samples.length / MODEL_HZ, isDoubtful) : NOTHING;
  }

  /** All writings of those answers that sound most like the clip: numbers, and others. */
  async #nearest(samples: Float32Array, answers: readonly LikelyAnswer[], signal: AbortSignal) {
    if (answers.length === 0) return [];
    const texts = answers.map(({ writings: [text = ""] }) => text);
    const groups = [texts.filter(isNumberAnswer), texts.filter((text) => !isNumberAnswer(text))];
    const nearest = await this.#fast.likeliest(samples, groups, MOST_ANSWERS, signal);
    return answers.filter(({ writings: [text = ""] }) => nearest.includes(text)).flatMap(({ writings }) => writings);
  }

  close(): void {
    this.#fast.close();
    this.#sure.close();
  }
}

const likelyPhrases = (text: string, phrases: readonly string[]): readonly LikelyAnswer[] =>
  phraseReadings(text, phrases).map((reading) => ({ writings: [reading], advantage: PHRASE_ADVANTAGE }));

/** The times are the fast ear's: its attention follows words four times closer than Whisper's. */
function transcriptOf(
  chosen: readonly ChosenWord[],
  fast: Heard,
  clipSeconds: number,
  isDoubtful: boolean,
): Transcript {
  const words = chosen.map((each) => ({
    word: each.word,
    ...spanOf(each, fast.words, clipSeconds),
    confidence: confidenceOf(each),
  }));
  const confidence = words.reduce((sum, word) => sum + word.confidence, 0) / Math.max(1, words.length);
  return { text: words.map(({ word }) => word).join(" "), confidence, words, isDoubtful };
}

const NOTHING: Transcript = { text: "", confidence: 0, words: [], isDoubtful: false };
