import type { Heard } from "../decoded.ts";
import type { SpeechRecognizer, SpeechToText, TranscribeRequest } from "../speech-to-text.ts";
import type { ScoredText } from "./scored-text.ts";

/** Texts for a clip that the other ear and the callers' habits propose. */
export interface Proposals {
  /** The fast ear's text. */
  readonly fast: string;
  readonly others: readonly string[];
}

/** A transcript, and scores of the proposed texts and those between them and its own. */
export interface SecondOpinion extends Heard {
  /** Its text with a configured phrase in the place of words that sound like it. */
  readonly phraseReadings: readonly string[];
  readonly scored: readonly { readonly text: string; readonly score: ScoredText }[];
}

/** Hears at once, but knows one language and takes any sound for speech. */
export interface FastEar extends SpeechToText {
  open(): FastRecognizer;
}

export interface FastRecognizer extends SpeechRecognizer {
  transcribe(request: TranscribeRequest, signal: AbortSignal): Promise<Heard>;
  score(samples: Float32Array, texts: readonly string[], signal: AbortSignal): Promise<readonly ScoredText[]>;
  /** The text of these words alone, in any order and number, that the clip fits best. `words`: lower case, with spaces between. */
  dictated(samples: Float32Array, words: string, signal: AbortSignal): Promise<string>;
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
  /** Clips that it hears at the same time. */
  readonly lanes: number;
  open(): SureRecognizer;
}

export interface SureRecognizer extends SpeechRecognizer {
  transcribe(request: TranscribeRequest, signal: AbortSignal): Promise<Heard>;
  /** Begins to write at once, and scores when the proposals are there. `signal` must abort when they never come. */
  judge(request: TranscribeRequest, proposals: Promise<Proposals>, signal: AbortSignal): Promise<SecondOpinion>;
}
