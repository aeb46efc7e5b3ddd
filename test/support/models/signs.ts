import { seededRandom } from "../../../src/simulated-callers/random.ts";

/** A row that no other number's row is like: each value is `magnitude` or its negative. */
export function signs(number: number, length: number, magnitude: number): Float32Array {
  const random = seededRandom(1_000_003 * (number + 1));
  return Float32Array.from({ length }, () => (random() < 0.5 ? -magnitude : magnitude));
}
