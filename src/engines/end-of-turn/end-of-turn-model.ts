/** Distinguishes the end of a turn from a pause inside it. */
export interface EndOfTurnModel {
  /** Languages that it was trained on. Undefined: not known, and it is used for all. */
  readonly languages?: readonly string[] | undefined;
  /** Samples of the past that the model uses, at 16 kHz. */
  readonly windowSamples: number;
  /** Most samples of the past that `melodyOdds` uses, at 16 kHz. */
  readonly melodySamples: number;
  /**
   * Log odds that the turn is over by the melody of its last words, -5 to 5; undefined without a melody model. `samples`: the turn
   * from its beginning until early in the pause, mono, -1 to 1, 16 kHz. One call takes 5 to 14 ms on the calling thread, so it is made once a pause.
   */
  melodyOdds(samples: Float32Array): Promise<number | undefined>;
  /**
   * Calibrated probability (0 to 1) that the turn is over. `samples`: mono, -1 to 1, 16 kHz, ending now; missing samples count as
   * silence before them. `silentMs`: time since the last voiced frame, clamped to the longest silence that the model knows.
   * `melodyOdds`: the answer of `melodyOdds` in this pause. One call takes a few milliseconds on the calling thread.
   */
  probabilityOver(samples: Float32Array, silentMs: number, melodyOdds?: number): Promise<number>;
  /**
   * Change of the log odds that the turn is over by its words so far, -2.5 to 2. `confidence` (0-1) is the recogniser's.
   * Words with a low confidence change nothing. `isAnswer`: the words follow a question, and may be few. English.
   */
  oddsByWords(text: string, confidence: number, isAnswer: boolean): number;
  close(): Promise<void>;
}
