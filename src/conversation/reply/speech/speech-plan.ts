import type { Pace } from "./speech-pace.ts";

/** A clause that is not synthesised yet. */
export interface AwaitedClause {
  readonly chars: number;
  /** Characters of it that are still to be written. */
  readonly unwrittenChars: number;
}

/**
 * The silence before each awaited clause, in ms, if `readyMs` of speech is played from now on and the clauses follow as soon
 * as they can. Clauses are written and synthesised one after another. `synthesizingMs`: how long the first one has been in
 * synthesis.
 */
export function stallsMs(readyMs: number, awaited: readonly AwaitedClause[], pace: Pace, synthesizingMs = 0): number[] {
  let writtenAtMs = 0;
  let readyAtMs = -synthesizingMs;
  let playedOutAtMs = readyMs;
  return awaited.map(({ chars, unwrittenChars }) => {
    writtenAtMs += unwrittenChars * pace.write;
    const startsAtMs = unwrittenChars > 0 ? Math.max(readyAtMs, writtenAtMs) : readyAtMs;
    // A clause that takes longer than expected may be ready at any moment.
    readyAtMs = Math.max(0, startsAtMs + chars * pace.synthesis);
    const stallMs = Math.max(0, readyAtMs - playedOutAtMs);
    playedOutAtMs += stallMs + chars * pace.speech;
    return stallMs;
  });
}
