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
  #heard: Overheard = "unclear";
  #last: Hypothesis | undefined;

  constructor(options: OverhearingOptions) {
    this.#options = options;
  }

  /**
   * What was heard before, "unclear" at first, when the sound could not be decoded, or the budget for partials is used up and
   * the voice goes on; undefined when nobody asks any more.
   */
  async listen(startSample: number, untilSample: number, ended: boolean): Promise<Overheard | undefined> {
    const { language, recognizer, ring, serial, partials, ownWords } = this.#options;
    if (startSample !== this.#startSample) this.stop();
    this.#startSample = startSample;
    if (!ended && !partials.isFree) return this.#heard;
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
      this.#heard = sortOverheard(transcript.text, ended, ownWords());
      return this.#heard;
    } catch {
      // Left out under load, or the recogniser failed: what was understood before stands, and duration decides.
      return scope.signal.aborted ? undefined : this.#heard;
    } finally {
      decoded();
    }
  }

  /** The words of the sound that was just let go, or of none; forgets them. */
  stop(): Hypothesis | undefined {
    this.#scope?.abort();
    const last = this.#last;
    this.#last = undefined;
    this.#heard = "unclear";
    this.#startSample = undefined;
    return last?.text === "" ? undefined : last;
  }
}

function atSessionTime({ text, confidence, words }: Transcript, offset: number): Hypothesis {
  const shifted = words.map((word) => ({ ...word, start: word.start + offset, end: word.end + offset }));
  return { text, confidence, words: shifted, accumulated: text };
}
