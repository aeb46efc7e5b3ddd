import type { Word } from "../engines/stt/speech-to-text.ts";

/** Text of a turn so far. Times of words are session time in seconds. */
export interface Hypothesis {
  readonly text: string;
  readonly confidence: number;
  readonly words: readonly Word[];
  /** Text of the whole turn, earlier segments included. */
  readonly accumulated: string;
  /** None of the words was surely said. Such a turn is not the caller's and starts no reply. Absent: false. */
  readonly isDoubtful?: boolean;
}
