import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { levelled } from "../../../bench/turns/noises.ts";
import { turnsThrough } from "../../../bench/turns/through-caller-gate.ts";
import { MODEL_HZ } from "../../../src/audio/format.ts";
import { loadSpeakerEncoder } from "../../../src/engines/speaker/onnx-speaker-encoder.ts";
import type { SpeakerEncoder } from "../../../src/engines/speaker/speaker-encoder.ts";
import { loadSilero } from "../../../src/engines/vad/silero.ts";
import type { VadEngine } from "../../../src/engines/vad/voice-activity-detector.ts";
import { loadServerConfig } from "../../../src/config/server-config.ts";
import { KnownVoices } from "../../../src/conversation/ear/front-end/known-voices.ts";
import { clipSamples } from "../../support/audio.ts";

const CALLER_DBFS = -26;
const GAP = 1.5 * MODEL_HZ;
const LEARNING = ["stt-reading.wav", "caller-1898-a.wav", "caller-1898-b.wav"];

let vad: VadEngine;
let encoder: SpeakerEncoder;
beforeAll(async () => {
  vad = await loadSilero(loadServerConfig(undefined, {}).config.models.vad.path);
  encoder = await loadSpeakerEncoder("models/starter/speaker/speaker.onnx");
});
/** A busy machine takes minutes for a call. */
vi.setConfig({ testTimeout: 300_000 });
afterAll(() => Promise.all([vad.close(), encoder.close()]));

type Said = readonly [name: string, dbfs: number];
const learning = LEARNING.map((name): Said => [name, CALLER_DBFS]);

/** Clips one after the other, in a quiet room. `heard`: the first turn of each clip, and the power that is left of its sound. */
async function call(said: readonly Said[], gate: SpeakerEncoder | undefined) {
  const clips = said.map(([name, dbfs]) => levelled(clipSamples(name), dbfs));
  const samples = new Float32Array(clips.reduce((sum, { length }) => sum + length + GAP, 0));
  let position = 0;
  const places = clips.map((clip) => {
    samples.set(clip, position);
    const from = position;
    position += clip.length + GAP;
    return [from, from + clip.length] as const;
  });
  for (let at = 0; at < samples.length; at++) samples[at]! += 0.001 * Math.sin(at * at);
  const { turns, ring } = await turnsThrough(samples, vad, gate);
  return places.map(([from, to]) => {
    const sound = ring.read(from, to);
    return {
      turn: turns.find(({ startMs }) => startMs >= from / 16 - 400 && startMs < to / 16),
      share: sound.filter((sample) => sample !== 0).length / sound.length,
      startMs: from / 16,
    };
  });
}

test("once the caller is known, another voice opens no turn and leaves no sound, and the caller does", async () => {
  const said = [...learning, ["other-voice.wav", CALLER_DBFS - 6], ["caller-1898-c.wav", CALLER_DBFS]] as const;
  const open = await call(said, undefined);
  expect(open.map(({ turn }) => turn !== undefined)).toEqual([true, true, true, true, true]);

  const gated = await call(said, encoder);
  expect(gated.map(({ turn }) => turn !== undefined)).toEqual([true, true, true, false, true]);
  expect(gated[3]!.share).toBeLessThan(0.4);
  expect(gated[4]!.share).toBeGreaterThan(0.95);
  // The beginning of the caller's turn is the same.
  expect(Math.abs(gated[4]!.turn!.startMs - open[4]!.turn!.startMs)).toBeLessThan(100);
  expect(gated[4]!.turn!.openedMs - gated[4]!.startMs).toBeLessThan(1800);
});

test("before the caller is known, nothing is refused and nothing waits", async () => {
  const said = [learning[0]!, ["other-voice.wav", CALLER_DBFS - 6]] as const;
  const [open, gated] = [await call(said, undefined), await call(said, encoder)];
  expect(gated.map(({ turn }) => turn)).toEqual(open.map(({ turn }) => turn));
});

test("another person who speaks into the microphone is a caller from their second turn on", async () => {
  const said = [
    ...learning,
    ["other-voice.wav", CALLER_DBFS + 2],
    ["other-voice.wav", CALLER_DBFS - 4],
    ["caller-1898-c.wav", CALLER_DBFS],
  ] as const;
  const heard = await call(said, encoder);
  expect(heard.slice(4).map(({ turn }) => turn !== undefined)).toEqual([true, true]);
});

test("a soft beginning of the caller's sentence is not lost", async () => {
  const heard = await call([...learning, ["caller-1898-c.wav", CALLER_DBFS - 6]], encoder);
  expect(heard[3]!.turn).toBeDefined();
});

test("the voices of a call are erased at its end, and another call does not know them", async () => {
  const vectors: Float32Array[] = [];
  const watched: SpeakerEncoder = {
    embed: async (samples, signal) => {
      const vector = await encoder.embed(samples, signal);
      vectors.push(vector);
      return vector;
    },
    close: async () => undefined,
  };
  const erased = vi.spyOn(KnownVoices.prototype, "forget");
  const said = [...learning, ["caller-1898-c.wav", CALLER_DBFS]] as const;
  await call(said, watched);
  expect(vectors.length).toBeGreaterThan(5);
  expect(vectors.every((vector) => vector.every((value) => value === 0))).toBe(true);
  expect(erased).toHaveBeenCalledTimes(1);
  erased.mockRestore();

  const [first] = await call([["other-voice.wav", CALLER_DBFS - 6]], encoder);
  expect(first!.turn).toBeDefined();
});

test("a model that fails lets all voices through, and says so once", async () => {
  const errors: unknown[] = [];
  let looks = 0;
  const failing: SpeakerEncoder = {
    embed: async (samples, signal) => {
      looks += 1;
      if (looks > 4) throw new Error("the process ended");
      return encoder.embed(samples, signal);
    },
    close: async () => undefined,
  };
  const said = [...learning, ["other-voice.wav", CALLER_DBFS - 6], ["other-voice.wav", CALLER_DBFS - 6]] as const;
  const clips = await turnsThrough(
    Float32Array.from(said.flatMap(([name, dbfs]) => [...levelled(clipSamples(name), dbfs), ...new Float32Array(GAP)])),
    vad,
    failing,
    (error) => errors.push(error),
  );
  expect(clips.turns.length).toBeGreaterThanOrEqual(5);
  expect(errors).toHaveLength(1);
});
