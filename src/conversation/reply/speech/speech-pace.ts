/** Characters after which a measurement counts half. */
const HALF_LIFE_CHARS = 200;
/** Characters that must be measured before the rate says something. */
const MIN_CHARS = 8;

/** A mean of ms per character in which recent work counts most. */
class Rate {
  #ms = 0;
  #chars = 0;
  #measured = 0;

  add(ms: number, chars: number): void {
    const kept = 0.5 ** (chars / HALF_LIFE_CHARS);
    this.#ms = this.#ms * kept + ms;
    this.#chars = this.#chars * kept + chars;
    this.#measured += chars;
  }

  /** Undefined until enough was measured. */
  get msPerChar(): number | undefined {
    return this.#measured < MIN_CHARS ? undefined : this.#ms / this.#chars;
  }
}

/** How fast replies are written, synthesised and spoken, ms per character. */
export interface Pace {
  readonly write: number;
  readonly synthesis: number;
  readonly speech: number;
}

/** About 150 words a minute. */
const USUAL_SPEECH_MS = 65;
/** Unless measured: about five times as fast as speech. */
const USUAL_SYNTHESIS_MS = 13;

/** The pace of the language model and of the voice, measured over all replies. */
export class SpeechPace {
  /** Time from one piece of text to the next. The prompt's evaluation does not count. */
  readonly writing = new Rate();
  readonly synthesis = new Rate();
  readonly speech = new Rate();

  /** Undefined until the pace of writing is known: nothing is held back or cut short by guess. */
  get current(): Pace | undefined {
    const write = this.writing.msPerChar;
    if (write === undefined) return undefined;
    return {
      write,
      synthesis: this.synthesis.msPerChar ?? USUAL_SYNTHESIS_MS,
      speech: this.speech.msPerChar ?? USUAL_SPEECH_MS,
    };
  }
}
