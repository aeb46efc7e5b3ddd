import { MODEL_HZ } from "../../audio/format.ts";
import { addAbortListener } from "node:events";
import type { SampleRing } from "../../audio/ring-buffer.ts";
import { Serial } from "../../shared/serial.ts";
import type {
  LanguageScores,
  SpeechContext,
  SpeechRecognizer,
  TranscribeRequest,
  Transcript,
} from "../../engines/stt/speech-to-text.ts";
import { askEngine } from "../../engines/ask-engine.ts";
import type { PartialBudget } from "./partial-budget.ts";

const NO_SAMPLES = new Float32Array(0);

/** Shared by all turns of a session and all sounds over its replies. */
export interface Decoding {
  readonly decoder: Decoder;
  readonly partials: PartialBudget;
  readonly signal: AbortSignal;
}

export interface DecodeOptions {
  /** See `TranscribeRequest`. */
  readonly isUrgent?: boolean;
  /** See `SpeechRecognizer.transcribe`. */
  readonly early?: ((decoded: Decoded) => void) | undefined;
}

export interface Decoded extends Transcript {
  /** Position of the first decoded sample: later than requested when the ring no longer held the beginning. */
  readonly fromSample: number;
}

/** Decodes spans of a session's audio, one at a time, because the recogniser takes one request at a time. */
export class Decoder {
  readonly #recognizer: SpeechRecognizer;
  readonly #ring: SampleRing;
  readonly #context: () => SpeechContext;
  /** A final waits for it, so that its language is known. */
  readonly #ready: () => Promise<void>;
  readonly #serial = new Serial();

  constructor(
    recognizer: SpeechRecognizer,
    ring: SampleRing,
    context: () => SpeechContext,
    ready: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.#recognizer = recognizer;
    this.#ring = ring;
    this.#context = context;
    this.#ready = ready;
  }

  /** Undefined when the recogniser cannot identify languages. Positions are session samples. */
  get identifyLanguage(): ((from: number, to: number, signal: AbortSignal) => Promise<LanguageScores>) | undefined {
    const recognizer = this.#recognizer;
    if (recognizer.identifyLanguage === undefined) return undefined;
    const identify = recognizer.identifyLanguage.bind(recognizer);
    return (from, to, signal) => {
      const samples = this.#ring.read(Math.max(from, this.#ring.start), to);
      return this.#serial.run(async () => {
        signal.throwIfAborted();
        return await askEngine(() => identify(samples, signal), 0);
      });
    };
  }

  /**
   * `from` (inclusive) and `to` (exclusive) are session samples. Times of words are session time in seconds. A final is decoded
   * once more when the recogniser's process ended during it.
   */
  decode(
    kind: TranscribeRequest["kind"],
    from: number,
    to: number,
    signal: AbortSignal,
    { isUrgent = false, early }: DecodeOptions = {},
  ): Promise<Decoded> {
    const fromSample = Math.max(from, this.#ring.start);
    // Copied now, because audio leaves the ring while a request waits for its turn.
    let samples = this.#ring.read(fromSample, to);
    const release = () => void (samples = NO_SAMPLES);
    const onAbort = addAbortListener(signal, release);
    const decoded = this.#serial.run(async () => {
      if (kind === "final") await this.#ready();
      signal.throwIfAborted();
      if (samples.length === 0) return { text: "", confidence: 0, words: [], fromSample };
      const request = { ...this.#context(), samples, kind, isUrgent };
      const placed = (transcript: Transcript): Decoded => ({
        ...transcript,
        words: wordsFrom(transcript, fromSample),
        fromSample,
      });
      const onEarly = (transcript: Transcript) => {
        if (!signal.aborted) early?.(placed(transcript));
      };
      const retries = kind === "final" ? 1 : 0;
      return placed(await askEngine(() => this.#recognizer.transcribe(request, signal, onEarly), retries));
    });
    return decoded.finally(() => {
      onAbort[Symbol.dispose]();
      release();
    });
  }
}

/** The words with times of the session, when the clip's first sample is `fromSample`. */
function wordsFrom({ words }: Transcript, fromSample: number): Decoded["words"] {
  const offset = fromSample / MODEL_HZ;
  return words.map((word) => ({ ...word, start: word.start + offset, end: word.end + offset }));
}
