import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MODEL_HZ } from "../../../src/audio/format.ts";
import { LOUD, tone } from "../../support/scripted-call.ts";
import { scriptedRealtime } from "../../support/scripted-realtime.ts";

/** Part of a press, but not a voice for the fake detector. */
const QUIET = 2_000;
/** The resampler and the filter change the edges of a part. */
const EDGE_MS = 60;

type Part = readonly [level: number, ms: number];

/** A call without voice detection. `press` sends audio and commits it. It returns the audio that the recogniser got for the item. */
function pushToTalk() {
  const finals: Float32Array[] = [];
  const { update, send, settle } = scriptedRealtime({
    transcribe: async ({ samples, kind }) => {
      if (kind === "final") finals.push(samples);
      return "words";
    },
  });
  update({ audio: { input: { turn_detection: null, transcription: {} } } });
  const append = (level: number, ms: number) =>
    send("input_audio_buffer.append", { audio: Buffer.from(tone(level, ms).buffer).toString("base64") });
  return {
    send,
    press: async (parts: readonly Part[]) => {
      const before = finals.length;
      for (const [level, ms] of parts) append(level, ms);
      send("input_audio_buffer.commit");
      await settle();
      return finals.length > before ? finals.at(-1) : undefined;
    },
  };
}

/** How long the audio has about this level, in ms. */
function msAt(samples: Float32Array | undefined, level: number): number {
  const step = MODEL_HZ / 100;
  let ms = 0;
  for (let from = 0; samples !== undefined && from + step <= samples.length; from += step) {
    const power = samples.subarray(from, from + step).reduce((sum, sample) => sum + sample * sample, 0) / step;
    if (Math.abs(20 * Math.log10((Math.sqrt(power) * 32_768) / level + 1e-9)) < 4) ms += 10;
  }
  return ms;
}

const total = (parts: readonly Part[], level: number): number =>
  parts.reduce((sum, [each, ms]) => sum + (each === level ? ms : 0), 0);

const presses: Record<string, readonly Part[]> = {
  "loud, then a quiet end": [
    [LOUD, 500],
    [QUIET, 1_500],
  ],
  "a quiet beginning, then loud": [
    [QUIET, 1_500],
    [LOUD, 500],
  ],
  "loud, a pause, a quiet word": [
    [LOUD, 500],
    [0, 800],
    [QUIET, 700],
  ],
  "released in mid-voice": [[LOUD, 2_000]],
  "only quiet": [[QUIET, 1_500]],
};

test.each(Object.entries(presses))("%s: the item has all of it, and the next item nothing", async (_, parts) => {
  const { press } = pushToTalk();
  const first = await press(parts);
  for (const level of [LOUD, QUIET]) expect(msAt(first, level)).toBeGreaterThan(total(parts, level) - EDGE_MS);
  const second = await press([[0, 1_000]]);
  expect(msAt(second, LOUD) + msAt(second, QUIET)).toBeLessThan(EDGE_MS);
});

test("property: each item has the audio since the commit before it", async () => {
  const part = fc.tuple(
    fc.constantFrom(0, QUIET, LOUD),
    fc.integer({ min: 2, max: 9 }).map((tenths) => tenths * 100),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(part, { minLength: 1, maxLength: 4 }), { maxLength: 4 }), async (all) => {
      const { press } = pushToTalk();
      for (const parts of all) {
        const item = await press(parts);
        for (const level of [LOUD, QUIET]) {
          const edges = EDGE_MS * (parts.length + 1);
          expect(Math.abs(msAt(item, level) - total(parts, level))).toBeLessThan(edges);
        }
      }
    }),
    { numRuns: 30 },
  );
});

test("audio that the client clears is in no item", async () => {
  const { press, send } = pushToTalk();
  await press([[LOUD, 500]]);
  send("input_audio_buffer.append", {
    audio: Buffer.from(tone(LOUD, 1_000).buffer).toString("base64"),
  });
  send("input_audio_buffer.clear");
  expect(msAt(await press([[QUIET, 500]]), LOUD)).toBeLessThan(EDGE_MS);
});
