import { CALL_SAMPLES_PER_MS } from "../../../audio/format.ts";
import type { SpokenSpan } from "../../events.ts";

/** Number of characters of `text` that were heard when `heardMs` of its speech were played, cut back to whole words. */
export function heardChars(text: string, spans: Iterable<SpokenSpan>, heardMs: number): number {
  const played = heardMs * CALL_SAMPLES_PER_MS;
  let start = 0;
  let heard = 0;
  for (const { samples, fromChar, toChar } of spans) {
    if (played >= start + samples) heard = toChar;
    else if (played > start) {
      const fraction = (played - start) / samples;
      const cut = fromChar + Math.floor((toChar - fromChar) * fraction);
      return Math.max(heard, lastWordEnd(text, fromChar, cut));
    }
    start += samples;
  }
  return heard;
}

/** The end of the last word that ends at or before `cut`. */
function lastWordEnd(text: string, from: number, cut: number): number {
  let end = cut;
  if (/\S/.test(text[end] ?? " ")) while (end > from && /\S/.test(text[end - 1] ?? " ")) end -= 1;
  while (end > from && /\s/.test(text[end - 1] ?? "")) end -= 1;
  return end;
}
