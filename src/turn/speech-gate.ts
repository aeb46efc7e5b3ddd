/** How far under the threshold a frame must fall before speech is taken to have stopped. */
const EXIT_MARGIN = 0.15;

/**
 * Hysteresis over frame probabilities: a frame is voiced when it reaches the threshold,
 * and stays voiced until it falls `EXIT_MARGIN` below.
 */
export function isVoiced(wasVoiced: boolean, probability: number, threshold: number): boolean {
  return probability >= (wasVoiced ? Math.max(threshold - EXIT_MARGIN, threshold / 2) : threshold);
}
