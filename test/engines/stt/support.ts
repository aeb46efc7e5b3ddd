import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { resampleAll } from "../../../src/audio/resampler.ts";
import { readWav } from "../../../src/audio/wav.ts";
import { expect } from "vitest";
import type { Token } from "../../../src/engines/stt/decoded.ts";
import type { Transcript } from "../../../src/engines/stt/speech-to-text.ts";

export const STARTER_MODEL = fileURLToPath(new URL("../../../models/starter/stt/ggml-base-q8_0.bin", import.meta.url));

/** A clip of test/audio at 16 kHz. */
export function clip16k(name: string): Float32Array {
  const { samples, sampleRateHz } = readWav(readFileSync(new URL(`../../audio/${name}`, import.meta.url)));
  return resampleAll(samples, sampleRateHz, 16_000);
}

export function noise(seconds: number, amplitude: number): Float32Array {
  let state = 7;
  return Float32Array.from({ length: Math.round(seconds * 16_000) }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return amplitude * (state / 2 ** 31 - 1);
  });
}

/** Tokens of a text whose pieces are separated by "|", half a second apart by default. */
export function tokens(text: string, alignedSeconds?: readonly number[]): Token[] {
  return text.split("|").map((piece, index) => ({
    id: index,
    bytes: Buffer.from(piece, "utf8").toString("latin1"),
    probability: 0.8,
    logProbability: Math.log(0.8),
    alignedSeconds: alignedSeconds === undefined ? index * 0.5 : (alignedSeconds[index] ?? -1),
  }));
}

/** The words make up the text, and follow each other inside the clip. */
export function expectOrderedWords({ text, words }: Transcript, samples: Float32Array): void {
  expect(words.map(({ word }) => word).join(" ")).toBe(text);
  let latest = 0;
  for (const { start, end } of words) {
    expect(start).toBeGreaterThanOrEqual(latest);
    expect(end).toBeGreaterThanOrEqual(start);
    latest = end;
  }
  expect(latest).toBeLessThanOrEqual(samples.length / 16_000);
}

/** Insertions, deletions and substitutions against the words of `expected`. */
export function wordErrors(expected: string, heard: string): number {
  const from = expected.split(" ");
  const to = heard
    .toLowerCase()
    .replaceAll(/[^a-z' ]/gu, "")
    .split(" ")
    .filter((word) => word !== "");
  let row = to.map((_, index) => index + 1);
  row.unshift(0);
  for (const [index, word] of from.entries()) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column++) {
      const substituted = (row[column - 1] ?? 0) + (to[column - 1] === word ? 0 : 1);
      next.push(Math.min(substituted, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
