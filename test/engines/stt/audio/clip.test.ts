import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contextsFrom, cutClip, withQuietEnd } from "../../../../src/engines/stt/audio/clip.ts";
import { noise } from "../support.ts";

const contexts = [128, 192, 512, 768];

describe("contextsFrom", () => {
  it("goes from the floor to the full context", () => {
    expect(contextsFrom(26, 1500)).toEqual([1344, 1408, 1472, 1500]);
    expect(contextsFrom(30, 1500)).toEqual([1500]);
  });
});

describe("cutClip", () => {
  it("uses the smallest context that holds the clip", () => {
    const fitted = (samples: number) => cutClip(new Float32Array(samples), contexts).map((piece) => piece.audioContext);
    expect(fitted(16_000 * 2.56)).toEqual([128]);
    expect(fitted(16_000 * 2.56 + 1)).toEqual([192]);
  });

  it.each([
    [1, 512],
    [8.24, 512],
    [8.25, 576],
    [27.9, 1500],
    [30, 1500],
  ])("leaves a margin after a clip of %d s: context %d", (seconds, audioContext) => {
    const pieces = cutClip(new Float32Array(16_000 * seconds), contextsFrom(10, 1500), 2);
    expect(pieces.map((piece) => piece.audioContext)).toEqual([audioContext]);
  });

  it.each([
    ["a click", 100, 17_600],
    ["a word", 12_000, 21_600],
    ["a phrase", 17_599, 27_199],
  ])("gives %s silence before and after", (_what, length, longer) => {
    const [piece] = cutClip(new Float32Array(length).fill(0.5), contexts);
    expect(piece?.startSeconds).toBe(-0.3);
    expect(piece?.samples).toHaveLength(longer);
    expect(piece?.samples.subarray(4_800, 4_800 + length).every((sample) => sample === 0.5)).toBe(true);
    expect(piece?.samples.filter((sample) => sample !== 0)).toHaveLength(length);
  });

  it("leaves a clip of 1.1 s as it is", () => {
    const clip = new Float32Array(17_600).fill(0.5);
    expect(cutClip(clip, contexts)).toEqual([{ samples: clip, startSeconds: 0, audioContext: 128 }]);
  });

  it("cuts a long clip where it is quietest", () => {
    const clip = noise(20, 0.5);
    clip.fill(0, 16_000 * 11, 16_000 * 12);
    const pieces = cutClip(clip, contexts);
    expect(pieces).toHaveLength(2);
    expect(pieces[1]?.startSeconds).toBeGreaterThan(11);
    expect(pieces[1]?.startSeconds).toBeLessThan(12);
  });

  it("loses no sample and makes no piece longer than its context, for any length", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 35 * 16_000 }),
        fc.constantFrom<readonly number[]>(contexts, [1500]),
        (length, sizes) => {
          const pieces = cutClip(new Float32Array(length), sizes);
          const last = pieces.at(-1);
          const covered = Math.round((last?.startSeconds ?? 0) * 16_000) + (last?.samples.length ?? 0);
          expect(covered).toBeGreaterThanOrEqual(length);
          pieces.forEach(({ samples, audioContext, startSeconds }, index) => {
            expect(samples.length).toBeLessThanOrEqual(audioContext * 320);
            const next = pieces[index + 1];
            if (next !== undefined)
              expect(Math.round(startSeconds * 16_000) + samples.length).toBe(Math.round(next.startSeconds * 16_000));
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  it("returns no pieces for an empty clip", () => {
    expect(cutClip(new Float32Array(0), contexts)).toEqual([]);
  });
});

describe("withQuietEnd", () => {
  it.each([
    [0, 0.3],
    [0.1, 0.2],
    [0.3, 0],
    [1, 0],
  ])("adds to %d s of silence at the end of a sound %d s", (quiet, added) => {
    const clip = new Float32Array(32_000).fill(0.5, 0, 32_000 - quiet * 16_000);
    const longer = withQuietEnd(clip);
    expect(longer.length - clip.length).toBe(Math.round(added * 16_000));
    expect(longer.subarray(0, clip.length)).toEqual(clip);
    expect(longer.subarray(clip.length).every((sample) => sample === 0)).toBe(true);
  });
});
