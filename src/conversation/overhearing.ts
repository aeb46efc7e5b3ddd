import type { SampleRing } from "../audio/ring-buffer.ts";
import { AbortScope } from "../shared/abort-scope.ts";
import type { Serial } from "../shared/serial.ts";
import type { SpeechRecognizer, Transcript } from "../stt/contract.ts";
import { sortOverheard, type Overheard } from "../turn/overheard.ts";
import type { PartialBudget } from "./partial-budget.ts";
import type { Hypothesis } from "./turn-transcriber.ts";

const RATE_HZ = 16_000;
/** Audio around the voiced part that belongs to its words. */
const LEAD_IN_SAMPLES = 0.2 * RATE_HZ;
const TAIL_SAMPLES = 0.1 * RATE_HZ;
/** Of a sound that goes on for longer, its end. */
const WINDOW_SAMPLES = 6 * RATE_HZ;

export interface OverhearingOptions {
  readonly recognizer: SpeechRecognizer;
  /** The recogniser takes one request at a time, over all turns of the session. */
  readonly serial: Serial;
  /** Shared with the turns' partials. */
  readonly partials: PartialBudget;
  readonly ring: SampleRing;
  readonly language: string;
  readonly signal: AbortSignal;
  /** The reply's own words, when the microphone hears them too. */
  readonly ownWords: () => ReadonlySet<string>;
}

/** Decodes what is said over the reply, before it is known whether it is a turn. */
export class Overhearing {
  readonly #options: OverhearingOptions;
  #scope: AbortScope | undefined;
  #startSample: number | undefined;
  #last: Hypothesis | undefined;

  constructor(options: OverhearingOptions) {
    this.#options = options;
  }

  /**
   * "undecoded" when it was left out under load, the recogniser failed, or the budget for partials is used up and the voice
   * goes on; undefined when nobody asks any more.
   */
  async listen(startSample: number, untilSample: number, ended: boolean): Promise<Overheard | undefined> {
    const { language, recognizer, ring, serial, partials, ownWords } = this.#options;
    if (startSample !== this.#startSample) this.stop();
    this.#startSample = startSample;
    if (!ended && !partials.isFree) return "undecoded";
    this.#scope?.abort();
    using scope = new AbortScope(this.#options.signal);
    this.#scope = scope;
    const from = Math.max(startSample - LEAD_IN_SAMPLES, untilSample - WINDOW_SAMPLES, ring.start);
    const decoded = partials.begin();
    try {
      const transcript = await serial.run(async () => {
        scope.signal.throwIfAborted();
        const samples = ring.read(from, untilSample + (ended ? TAIL_SAMPLES : 0));
        return recognizer.transcribe({ samples, kind: ended ? "final" : "partial", language }, scope.signal);
      });
      this.#last = atSessionTime(transcript, from / RATE_HZ);
      return sortOverheard(transcript.text, ended, ownWords());
    } catch {
      return scope.signal.aborted ? undefined : "undecoded";
    } finally {
      decoded();
    }
  }

  /** The words of the sound that was just let go, or of none; forgets them. */
  stop(): Hypothesis | undefined {
    this.#scope?.abort();
    const last = this.#last;
    this.#last = undefined;
    this.#startSample = undefined;
    return last?.text === "" ? undefined : last;
  }
}

function atSessionTime({ text, confidence, words }: Transcript, offset: number): Hypothesis {
  const shifted = words.map((word) => ({ ...word, start: word.start + offset, end: word.end + offset }));
  return { text, confidence, words: shifted, accumulated: text };
}
