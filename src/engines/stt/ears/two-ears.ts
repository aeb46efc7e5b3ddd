import { MODEL_HZ } from "../../../audio/format.ts";
import { AbortScope } from "../../../shared/abort-scope.ts";
import { OakError } from "../../../shared/errors.ts";
import type { Heard } from "../decoded.ts";
import type { SpeechRecognizer, SpeechToText, TranscribeRequest, Transcript } from "../speech-to-text.ts";
import { chooseText, readingsOf, type Candidate, type ChosenWord } from "./choose-text.ts";
import {
  confidenceOf,
  isFairlySure,
  isPlausible,
  isSure,
  isUnsureOfSpeech,
  speechOdds,
  verdictOn,
} from "./certainty.ts";
import type { FastEar, FastRecognizer, Proposals, SecondOpinion, SureEar, SureRecognizer } from "./ear.ts";
import { likenessOf } from "./likeness.ts";
import {
  COMMANDS,
  DIGIT_WORDS,
  dictatedNumber,
  MOST_DIGITS,
  isNumberAnswer,
  likelyAnswers,
  overlapAdvantage,
  SIGNS_OF_LISTENING,
  type LikelyAnswer,
} from "./likely-answers.ts";
import { PHRASE_ADVANTAGE, phraseReadings } from "./phrase-readings.ts";
import { logProbabilityOf, type ScoredText } from "./scored-text.ts";
import { SureEarLoad } from "./sure-ear-load.ts";
import { spanOf } from "./word-times.ts";

/** The fast ear's language. */
const FAST_LANGUAGE = "en";
/** Voice of a whole answer of one or two words. */
const SHORT_SECONDS = 1;
const MOST_ANSWERS = 3;
/** "Stop", "no wait", "mm-hmm": over a reply they must not wait for the sure ear. */
const MOST_COMMAND_WORDS = 2;
/** A likely answer that the fast ear finds less likely than its best text by this natural logarithm is not scored by the sure ear. */
const HOPELESS = 12;
/** A command that was not written needs this confidence. */
const SURE_COMMAND = 0.7;

/**
 * Two recognisers as one. The fast ear hears partials, and finals of which it is sure. For other finals the sure ear writes a text
 * too, both ears score the texts and those between them, and the likeliest is kept (docs/decisions/0089-two-ears.md). The sure ear
 * alone hears other languages.
 */
export function twoEars(fast: FastEar, sure: SureEar): SpeechToText {
  const load = new SureEarLoad(sure.lanes);
  return {
    threads: sure.threads,
    open: () => new TwoEars(fast.open(), sure.open(), load),
    close: async () => void (await Promise.all([fast.close(), sure.close()])),
  };
}

class TwoEars implements SpeechRecognizer {
  readonly #fast: FastRecognizer;
  readonly #sure: SureRecognizer;
  readonly #load: SureEarLoad;
  readonly identifyLanguage?: NonNullable<SpeechRecognizer["identifyLanguage"]>;

  constructor(fast: FastRecognizer, sure: SureRecognizer, load: SureEarLoad) {
    this.#fast = fast;
    this.#sure = sure;
    this.#load = load;
    if (sure.identifyLanguage !== undefined) this.identifyLanguage = sure.identifyLanguage.bind(sure);
  }

  async transcribe(
    request: TranscribeRequest,
    signal: AbortSignal,
    early?: (transcript: Transcript) => void,
  ): Promise<Transcript> {
    if (request.language !== FAST_LANGUAGE) return this.#hearOtherLanguage(request, signal);
    if (request.isUrgent === true) {
      const heard = await this.#hearOverlap(request, signal);
      const isDecided = request.kind === "partial" || heard.words.length <= MOST_COMMAND_WORDS;
      return isDecided ? doubted(heard) : this.#final(request, Promise.resolve(heard), signal);
    }
    if (request.kind === "final") return this.#final(request, this.#fast.transcribe(request, signal), signal, early);
    if (this.#load.isFull) throw new OakError("Finals need all of the recogniser.", { code: "STT_BUSY" });
    return doubted(await this.#fast.transcribe(request, signal));
  }

  async #hearOtherLanguage(request: TranscribeRequest, signal: AbortSignal): Promise<Transcript> {
    using _ = request.kind === "final" ? this.#load.begin() : undefined;
    return await this.#sure.transcribe(request, signal);
  }

  /** Both ears write at the same time. When the sure one has other work, it waits for the fast one's words, and may be left out. */
  async #final(
    request: TranscribeRequest,
    hearing: Promise<Heard>,
    signal: AbortSignal,
    early?: (transcript: Transcript) => void,
  ): Promise<Transcript> {
    if (this.#load.isFull) {
      const heard = await hearing;
      const { isFull, isCrowded } = this.#load;
      const isAnswer = likelyAnswers(request.expects).some(({ writings }) => writings.includes(heard.text));
      const isEnough = (isFull && isFairlySure(heard, isAnswer)) || (isCrowded && isPlausible(heard));
      if (isEnough && heardWithPhrase(heard, request).length === 0) return doubted(heard);
    }
    using _ = this.#load.begin();
    return await this.#judge(request, hearing, signal, early);
  }

  async #judge(
    request: TranscribeRequest,
    hearing: Promise<Heard>,
    signal: AbortSignal,
    early?: (transcript: Transcript) => void,
  ): Promise<Transcript> {
    using scope = new AbortScope(signal);
    let propose!: (proposals: Proposals) => void;
    const proposals = new Promise<Proposals>((resolve) => (propose = resolve));
    const judging = this.#sure.judge(request, proposals, scope.signal);
    judging.catch(() => undefined); // Its error counts only when its opinion is needed.
    try {
      const heard = await hearing;
      if (heard.evidence.voicedSeconds === 0) return NOTHING;
      const { samples, expects } = request;
      const withPhrase = heardWithPhrase(heard, request);
      if (isSure(heard) && withPhrase.length === 0) return heard;
      const isShort = heard.evidence.voicedSeconds <= SHORT_SECONDS;
      if (!isShort) early?.(doubted(heard));
      const answers = isShort ? likelyAnswers(expects) : [];
      const number = expects === "number" ? await this.#number(samples, heard.text, scope.signal) : undefined;
      const others = await this.#promising(samples, heard.text, answers, withPhrase, scope.signal);
      propose({ fast: heard.text, others: [...others, ...(number?.writings ?? [])] });
      const opinion = await judging;
      if (opinion.scored.length === 0) return opinion;
      const texts = opinion.scored.map(({ text }) => text);
      const scores = await this.#fast.score(samples, texts, scope.signal);
      return decide(request, { heard, opinion, scores, answers, withPhrase, number });
    } finally {
      scope.abort();
    }
  }

  /** The digits that the fast ear hears when it may write nothing else. */
  async #number(samples: Float32Array, written: string, signal: AbortSignal): Promise<LikelyAnswer | undefined> {
    const own = dictatedNumber(written);
    if (own !== undefined || written.split(" ").length > MOST_DIGITS) return own;
    return dictatedNumber(await this.#fast.dictated(samples, DIGIT_WORDS, signal));
  }

  /** The text of the fast ear for a sound over a reply, or the sign of listening or the command that is likelier there. */
  async #hearOverlap(request: TranscribeRequest, signal: AbortSignal): Promise<Heard> {
    const { samples } = request;
    const heard = await this.#fast.transcribe(request, signal);
    if (heard.text === "" || heard.evidence.voicedSeconds > SHORT_SECONDS) return heard;
    const likely = await this.#fast.likeliest(samples, [SIGNS_OF_LISTENING, COMMANDS], MOST_ANSWERS, signal);
    const texts = [...new Set([heard.text, ...likely])];
    const totals = (await this.#fast.score(samples, texts, signal)).map(
      (score, index) => logProbabilityOf(score) + overlapAdvantage(texts[index] ?? ""),
    );
    const most = Math.max(...totals);
    const best = texts[totals.indexOf(most)] ?? heard.text;
    const confidence = 1 / totals.reduce((sum, total) => sum + Math.exp(total - most), 0);
    const isLikelier = best !== heard.text && (!COMMANDS.includes(best) || confidence >= SURE_COMMAND);
    return isLikelier ? replaced(heard, best, confidence) : heard;
  }

  /** The texts that are worth a score of the sure ear: writings of answers that sound like the clip, and texts with phrases. */
  async #promising(
    samples: Float32Array,
    written: string,
    answers: readonly LikelyAnswer[],
    withPhrase: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    if (answers.length === 0 && withPhrase.length === 0) return [];
    const nearest = answers.length === 0 ? [] : await this.#nearest(samples, answers, signal);
    const likely = [...nearest, ...withPhrase.map(likelyPhrase)].flatMap(({ writings, advantage }) =>
      writings.map((text) => ({ text, advantage })),
    );
    const [own = [], ...scores] = await this.#fast.score(samples, [written, ...likely.map(({ text }) => text)], signal);
    const totals = likely.map(({ advantage }, index) => logProbabilityOf(scores[index] ?? []) + advantage);
    const best = Math.max(logProbabilityOf(own), ...totals);
    return likely.filter((_, index) => (totals[index] ?? -Infinity) >= best - HOPELESS).map(({ text }) => text);
  }

  async #nearest(samples: Float32Array, answers: readonly LikelyAnswer[], signal: AbortSignal) {
    const texts = answers.map(({ writings: [text = ""] }) => text);
    const groups = [texts.filter(isNumberAnswer), texts.filter((text) => !isNumberAnswer(text))];
    const nearest = await this.#fast.likeliest(samples, groups, MOST_ANSWERS, signal);
    return answers.filter(({ writings: [text = ""] }) => nearest.includes(text));
  }

  close(): void {
    this.#fast.close();
    this.#sure.close();
  }
}

/** The evidence of both ears for a final. */
interface Judgement {
  readonly heard: Heard;
  readonly opinion: SecondOpinion;
  /** The fast ear's, of the texts that the sure ear scored. */
  readonly scores: readonly ScoredText[];
  readonly answers: readonly LikelyAnswer[];
  /** Texts of the fast ear with a phrase. */
  readonly withPhrase: readonly string[];
  /** The dictated number that the clip may hold. */
  readonly number: LikelyAnswer | undefined;
}

function decide(
  { samples, expects }: TranscribeRequest,
  { heard, opinion, scores, answers, withPhrase, number }: Judgement,
): Transcript {
  // A likely answer needs a word that an ear wrote.
  if (heard.text === "" && opinion.text === "") return NOTHING;
  const candidates = new Map(
    opinion.scored.map(({ text, score }, index): [string, Candidate] => [
      text,
      { text, sure: score, fast: scores[index] ?? [] },
    ]),
  );
  const chosen = chooseText(readingsOf(opinion.text, heard.text), candidates, {
    answers,
    phrases: [
      ...[...withPhrase, ...opinion.phraseReadings].map(likelyPhrase),
      ...(number === undefined ? [] : [number]),
    ],
  });
  const likeness = likenessOf(heard.text, opinion.text);
  const odds = speechOdds({ fast: heard.evidence, sure: opinion.evidence, likeness });
  const text = chosen.words.map(({ word }) => word).join(" ");
  const isNumber = isNumberAnswer(chosen.answer ?? "") || (number !== undefined && dictatedNumber(text) !== undefined);
  const { isSpeech, isDoubtful } = verdictOn(odds, isNumber, isNumber && expects === "number");
  return isSpeech ? transcriptOf(chosen.words, heard, samples.length / MODEL_HZ, isDoubtful) : NOTHING;
}

const heardWithPhrase = ({ text }: Heard, { phrases = [] }: TranscribeRequest) => phraseReadings(text, phrases);

const doubted = (heard: Heard): Transcript => ({ ...heard, isDoubtful: isUnsureOfSpeech(heard.evidence) });

/** The transcript with another text, whose words share the time of the sound. */
function replaced(heard: Heard, text: string, confidence: number): Heard {
  const [start, end] = [heard.words[0]?.start ?? 0, heard.words.at(-1)?.end ?? 0];
  const words = text.split(" ").map((word, at, { length }) => ({
    word,
    start: start + ((end - start) * at) / length,
    end: start + ((end - start) * (at + 1)) / length,
    confidence,
  }));
  return { ...heard, text, words, confidence };
}

const likelyPhrase = (reading: string): LikelyAnswer => ({ writings: [reading], advantage: PHRASE_ADVANTAGE });

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
