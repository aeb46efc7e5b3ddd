import type { Span } from "../audio/loudness.ts";
import type { Word } from "../speech-to-text.ts";
import type { ChosenWord } from "./choose-text.ts";

/** Seconds of a chosen word: those of the fast ear's word in its place, or an equal part of the place's time. */
export function spanOf({ place }: Pick<ChosenWord, "place">, fast: readonly Word[], clipSeconds: number): Span {
  const { first, count, at, of } = place;
  const before = fast[first - 1]?.end ?? 0;
  const start = count === 0 ? before : (fast[first]?.start ?? before);
  const after = fast[first + count]?.start ?? clipSeconds;
  const end = count === 0 ? after : (fast[first + count - 1]?.end ?? after);
  const own = count === of ? fast[first + at] : undefined;
  const length = Math.max(0, end - start) / of;
  return { start: own?.start ?? start + at * length, end: own?.end ?? start + (at + 1) * length };
}
