/** Tells the end of a turn from a pause inside it, by what was heard. */
export interface EndOfTurnModel {
  /** Samples of the past that it looks at, at 16 kHz. */
  readonly windowSamples: number;
  /**
   * Probability (0-1, calibrated) that nothing more is said in this turn. `samples`: mono, -1 to 1, 16 kHz, ending now;
   * less than the window counts as silence before it. `silentMs`: since the last voiced frame; it knows silences up to a
   * length, and longer ones count as that.
   * One call takes a few milliseconds of the calling thread.
   */
  probabilityOver(samples: Float32Array, silentMs: number): Promise<number>;
  /**
   * What the words of the turn so far add to the log odds that it is over, -2.5 to 2. `confidence` (0-1): the recogniser's;
   * words that it guessed say nothing. `isAnswer`: they follow a question, and may be few. English.
   */
  oddsByWords(text: string, confidence: number, isAnswer: boolean): number;
  close(): Promise<void>;
}
