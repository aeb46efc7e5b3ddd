/** Counts of replies that were prepared before the turn was over, since the start. */
export class SpeculationCounts {
  started = 0;
  /** Became the reply. Every started one is kept or dropped in the end. */
  kept = 0;
  dropped = 0;
  /** Work of the language model and the voice on dropped replies, ms. */
  wastedMs = 0;
}
