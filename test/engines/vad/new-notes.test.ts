import { expect, test } from "vitest";
import { MODEL_HZ } from "../../../src/audio/format.ts";
import { SpectralPeaks, WINDOW_SAMPLES } from "../../../src/audio/spectral-peaks.ts";
import { NewNotes } from "../../../src/engines/vad/new-notes.ts";
import { noise, sine, tune } from "../../audio/signals.ts";

/** New notes after each window of 128 ms. */
function countsOf(samples: Float32Array): readonly number[] {
  const peaks = new SpectralPeaks();
  const notes = new NewNotes();
  return Array.from({ length: Math.floor(samples.length / WINDOW_SAMPLES) }, (_, window) => {
    peaks.transform(samples.subarray(window * WINDOW_SAMPLES, (window + 1) * WINDOW_SAMPLES));
    notes.hear(peaks.power);
    return notes.count;
  });
}

test("a note that begins counts in its first second, and no longer than 3 s", () => {
  const hiss = noise(6 * MODEL_HZ, 0.01, 3);
  const counts = countsOf(sine(440, MODEL_HZ, 6 * MODEL_HZ).map((sample, at) => sample + hiss[at]!));
  const ofHiss = countsOf(hiss);
  const ofNote = counts.map((count, window) => count - ofHiss[window]!);
  expect(ofNote.slice(0, 12)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7, 7]);
  expect(Math.abs(ofNote.at(-1)!)).toBeLessThan(4);
});

test("a tune has more new notes than noise, and silence after it has none", () => {
  const [seconds, hiss] = [4, noise(12 * MODEL_HZ, 0.001)];
  const music = tune(MODEL_HZ, seconds * MODEL_HZ);
  const counts = countsOf(hiss.map((sample, at) => sample + (music[at] ?? 0)));
  expect(counts[Math.floor((seconds * MODEL_HZ) / WINDOW_SAMPLES) - 1]).toBeGreaterThan(60);
  expect(counts.at(-1)).toBeLessThan(20);
  expect(Math.max(...countsOf(noise(12 * MODEL_HZ)))).toBeLessThan(20);
});
