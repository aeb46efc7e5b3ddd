import { MODEL_HZ } from "../../src/audio/format.ts";
import { expect, test } from "vitest";
import { BandLevels, BANDS, FLOOR_DB, HOP_SAMPLES } from "../../src/audio/band-levels.ts";
import { noise, sine } from "./signals.ts";

const SIZE = 256;

function rowsOf(samples: Float32Array, chunk: number): number[][] {
  const bands = new BandLevels();
  const rows: number[][] = [];
  for (let at = 0; at < samples.length; at += chunk)
    bands.push(samples.subarray(at, at + chunk), (levels) => rows.push([...levels]));
  return rows;
}

/** The same levels by the definition of the transform. The bands have equal widths in log frequency from 200 to 6400 Hz. */
function byDefinition(window: Float32Array): number[] {
  const power = (bin: number): number => {
    let [re, im] = [0, 0];
    window.forEach((sample, i) => {
      const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / SIZE);
      re += sample * hann * Math.cos((2 * Math.PI * i * bin) / SIZE);
      im += sample * hann * Math.sin((2 * Math.PI * i * bin) / SIZE);
    });
    return re ** 2 + im ** 2;
  };
  const edge = (band: number) => Math.round((200 * 32 ** (band / BANDS)) / (MODEL_HZ / SIZE));
  return Array.from({ length: BANDS }, (_, band) => {
    let sum = 0;
    for (let bin = edge(band); bin < edge(band + 1); bin++) sum += power(bin);
    return Math.max(FLOOR_DB, 10 * Math.log10((sum * 4) / SIZE ** 2));
  });
}

test("the levels of the newest 256 samples match the definition of the transform every 10 ms", () => {
  const samples = noise(MODEL_HZ / 10, 0.3);
  const rows = rowsOf(samples, samples.length);
  expect(rows).toHaveLength(10);
  for (let row = 1; row < rows.length; row++) {
    const end = (row + 1) * HOP_SAMPLES;
    byDefinition(samples.subarray(end - SIZE, end)).forEach((level, band) => {
      expect(rows[row]![band]).toBeCloseTo(level, 4);
    });
  }
});

test("the chunk size does not change the result", () => {
  const samples = noise(MODEL_HZ / 10, 0.3);
  expect(rowsOf(samples, 33)).toEqual(rowsOf(samples, samples.length));
});

test("a tone is in its own band; silence is the floor", () => {
  const [levels] = rowsOf(sine(1000, MODEL_HZ, MODEL_HZ / 10, 0.5), MODEL_HZ / 10).slice(-1);
  // The fourth of eight bands covers 733 to 1131 Hz.
  expect(levels!.indexOf(Math.max(...levels!))).toBe(3);
  expect(rowsOf(new Float32Array(MODEL_HZ / 10), MODEL_HZ / 10).flat()).toEqual(
    Array<number>(10 * BANDS).fill(FLOOR_DB),
  );
});
