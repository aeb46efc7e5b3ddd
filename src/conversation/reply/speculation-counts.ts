/** What preparing replies before the turn is over has brought, and cost, since the start; for the metrics. */
export class SpeculationCounts {
  started = 0;
  /** Became the reply. Every one that was started is kept or dropped in the end. */
  kept = 0;
  dropped = 0;
  /** Time the language model and the voice worked on what was dropped, ms. */
  wastedMs = 0;
}
