/** Energies of second differences stand for high frequencies, where a click has most of its energy. */
const FRAME_SECONDS = 0.0005;
/** A click is this much above the sound of 10 ms before and after it. A pulse of the voice is not. */
const CLICK_RATIO = 3000;
const NEIGHBOURS = 20;
/** Second differences below this are not heard. */
const QUIETEST_CLICK = 0.02;
const EDGE_SECONDS = 0.01;

/** Number of clicks: single moments far above their surroundings. */
export function countClicks(samples: Float32Array, sampleRateHz: number): number {
  const frame = Math.round(FRAME_SECONDS * sampleRateHz);
  const energies = Array.from({ length: Math.floor((samples.length - 2) / frame) }, (_, index) => {
    let energy = 0;
    for (let at = index * frame; at < (index + 1) * frame; at++)
      energy = Math.max(energy, ((samples[at] ?? 0) - 2 * (samples[at + 1] ?? 0) + (samples[at + 2] ?? 0)) ** 2);
    return energy;
  });
  let clicks = 0;
  for (const [index, energy] of energies.entries()) {
    if (energy < QUIETEST_CLICK ** 2) continue;
    const around = energies.slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS + 1);
    const besides = around.filter((_, at) => Math.abs(at - Math.min(index, NEIGHBOURS)) > 1);
    if (energy > CLICK_RATIO * Math.max(median(besides), 1e-9)) clicks += 1;
  }
  return clicks;
}

/** Level of the speech, dB under full scale. Silence between words does not count. */
export function speechLevel(samples: Float32Array): number {
  const frame = 480;
  const levels = Array.from({ length: Math.floor(samples.length / frame) }, (_, index) =>
    meanSquare(samples.subarray(index * frame, (index + 1) * frame)),
  );
  const loudest = Math.max(...levels, 1e-12);
  const speech = levels.filter((level) => level > loudest / 1000);
  return 10 * Math.log10(speech.reduce((sum, level) => sum + level, 0) / Math.max(1, speech.length) + 1e-12);
}

/** Whether the first or the last 10 ms are loud: part of the sound is missing then. */
export function isCut(samples: Float32Array, sampleRateHz: number): boolean {
  const edge = Math.round(EDGE_SECONDS * sampleRateHz);
  const edges = [samples.subarray(0, edge), samples.subarray(Math.max(0, samples.length - edge))];
  const limit = speechLevel(samples) - 30;
  return edges.some((part) => 10 * Math.log10(meanSquare(part) + 1e-12) > limit);
}

export const meanSquare = (samples: Float32Array): number =>
  samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length);

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}
