/** Attention of one token's heads over the positions of a clip. */
export type Attention = readonly Float32Array[];

/**
 * The position at which each token begins: the cheapest path through the attention that never goes back (dynamic time warping, as
 * Whisper aligns its words). `attention[token]`: that token's attention, one number a position.
 */
export function tokenStarts(attention: Attention): readonly number[] {
  const tokens = attention.length;
  const positions = attention[0]?.length ?? 0;
  if (tokens === 0 || positions === 0) return [];
  // Cost of the best path to each cell, and where it came from: 0 along the token, 1 from the token before.
  let above = new Float64Array(positions).fill(Infinity);
  const steps: Uint8Array[] = [];
  for (const [token, weights] of attention.entries()) {
    const row = new Float64Array(positions);
    const step = new Uint8Array(positions);
    for (let at = 0; at < positions; at++) {
      const along = at === 0 ? (token === 0 ? 0 : Infinity) : (row[at - 1] ?? Infinity);
      const diagonal = token === 0 || at === 0 ? Infinity : (above[at - 1] ?? Infinity);
      step[at] = diagonal <= along ? 1 : 0;
      row[at] = Math.min(along, diagonal) - (weights[at] ?? 0);
    }
    steps.push(step);
    above = row;
  }
  const starts = Array.from({ length: tokens }, () => 0);
  let token = tokens - 1;
  for (let at = positions - 1; at >= 0 && token >= 0; at--) {
    starts[token] = at;
    if (steps[token]?.[at] === 1) token -= 1;
  }
  return starts;
}
