import type { SampleRing } from "../audio/ring-buffer.ts";
import { Serial } from "../shared/serial.ts";
import type { SpeechRecognizer, TranscribeRequest, Transcript } from "../stt/contract.ts";
import type { PartialBudget } from "./partial-budget.ts";
import { HEARING_HZ } from "./session-time.ts";

/** What all turns of a session, and all sounds over its replies, are decoded with. */
export interface Decoding {
  readonly decoder: Decoder;
  readonly partials: PartialBudget;
  readonly signal: AbortSignal;
}

/** Decodes spans of a session's audio, one at a time: its recogniser takes one request at a time. */
export class Decoder {
  readonly #recognizer: SpeechRecognizer;
  readonly #ring: SampleRing;
  readonly #language: string;
  readonly #serial = new Serial();

  constructor(recognizer: SpeechRecognizer, ring: SampleRing, language: string) {
    this.#recognizer = recognizer;
    this.#ring = ring;
    this.#language = language;
  }

  /** `from` (inclusive), `to` (exclusive): samples since the session's first, and so are the words' times, in seconds. */
  decode(kind: TranscribeRequest["kind"], from: number, to: number, signal: AbortSignal): Promise<Transcript> {
    return this.#serial.run(async () => {
      signal.throwIfAborted();
      const start = Math.max(from, this.#ring.start);
      const request = { samples: this.#ring.read(start, to), kind, language: this.#language };
      const transcript = await this.#recognizer.transcribe(request, signal);
      const offset = start / HEARING_HZ;
      const words = transcript.words.map((word) => ({ ...word, start: word.start + offset, end: word.end + offset }));
      return { ...transcript, words };
    });
  }
}
