import { expect, test } from "vitest";
import { CALL_HZ } from "../../../src/audio/format.ts";
import { samplesOf } from "../../../src/audio/pcm16.ts";
import { AudioInput } from "../../../src/conversation/ear/audio-input.ts";
import type { FrameEvent } from "../../../src/conversation/turn/machine/turn-state.ts";
import { noise } from "../../audio/signals.ts";
import { clip } from "../../support/audio.ts";
import { disturbances } from "../../support/disturbances.ts";
import { faults } from "../../support/faults.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** Highest noise floor of a caller's audio in dBFS, without its first second. */
async function highestFloor(pcm: Int16Array): Promise<number> {
  const frames: FrameEvent[] = [];
  const input = new AudioInput({
    detector: { frameSamples: 512, speechProbability: () => 0 },
    clock: new VirtualClock(),
    signal: new AbortController().signal,
    onFrame: (frame) => frames.push(frame) < 0,
    onFailure: (error) => expect.fail(String(error)),
    faults,
  });
  input.push(pcm);
  for (let turns = 0; turns < 100; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  return Math.max(...frames.slice(32).map(({ noiseFloorDbfs }) => noiseFloorDbfs ?? 0));
}

const hiss = noise(2 * CALL_HZ, 30).map(Math.round);
const speech = [...hiss, ...samplesOf(clip("stt-reading.wav")), ...hiss];

test.each(Object.entries(disturbances))("%s does not raise the noise floor of a call", async (_, add) => {
  const floor = (disturbance: (at: number) => number) =>
    highestFloor(Int16Array.from(speech, (sample, at) => Math.round(sample * 0.7 + disturbance(at))));
  expect((await floor(add)) - (await floor(() => 0)), "dB").toBeLessThan(8);
});
