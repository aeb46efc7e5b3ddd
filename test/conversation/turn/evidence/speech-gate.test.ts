import { MODEL_HZ } from "../../../../src/audio/format.ts";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { LevelMeter } from "../../../../src/audio/level.ts";
import { resampleAll } from "../../../../src/audio/resampler.ts";
import { readWav } from "../../../../src/audio/wav.ts";
import { loadServerConfig } from "../../../../src/config/server-config.ts";
import { DEFAULT_SETTINGS, type TurnSettings } from "../../../../src/config/settings/session-settings.ts";
import { initialTurnState, type TurnEvent } from "../../../../src/conversation/turn/machine/turn-state.ts";
import { step } from "../../../../src/conversation/turn/machine/machine.ts";
import { turnPolicy } from "../../../../src/conversation/turn/evidence/policy.ts";
import { isVoiced, type GateFrame } from "../../../../src/conversation/turn/evidence/speech-gate.ts";
import type { VadEngine } from "../../../../src/engines/vad/voice-activity-detector.ts";
import { loadSilero } from "../../../../src/engines/vad/silero.ts";
import { noise, rmsOf } from "../../../audio/signals.ts";
import { clipSamples } from "../../../support/audio.ts";

// Each setting of voice detection, tested with recorded speech and the real detector.

let vad: VadEngine;
beforeAll(async () => {
  vad = await loadSilero(loadServerConfig(undefined, {}).config.models.vad.path);
});

type Frame = TurnEvent & { type: "frame" };

async function framesOf(sound: Float32Array): Promise<Frame[]> {
  const detector = vad.open();
  const { frameSamples } = detector;
  const frameMs = (frameSamples * 1000) / MODEL_HZ;
  const meter = new LevelMeter(frameSamples / MODEL_HZ);
  const frames: Frame[] = [];
  for (let at = 0; at + frameSamples <= sound.length; at += frameSamples) {
    const frame = sound.subarray(at, at + frameSamples);
    const probability = detector.speechProbability(frame);
    meter.update(frame);
    const { levelDbfs, noiseFloorDbfs } = meter;
    const atMs = ((at + frameSamples) * 1000) / MODEL_HZ;
    frames.push({
      type: "frame",
      atMs,
      frameMs,
      probability,
      aboveNoiseDb: levelDbfs - noiseFloorDbfs,
      noiseFloorDbfs,
    });
  }
  return frames;
}

/** First and last voiced moment of each turn, seconds. A turn that is open at the end has no last moment. */
function turnsIn(frames: readonly Frame[], settings: Partial<TurnSettings>) {
  const policy = turnPolicy({ ...DEFAULT_SETTINGS.turnDetection, naturalPauses: false, ...settings });
  const turns: { start: number; end?: number }[] = [];
  let state = initialTurnState;
  for (const frame of frames) {
    const next = step(state, frame, policy);
    state = next.state;
    for (const effect of next.effects) {
      if (effect.type === "open-turn") turns.push({ start: effect.startMs / 1000 });
      const last = turns.at(-1);
      if (effect.type === "commit-turn" && last !== undefined) last.end = effect.endMs / 1000;
    }
  }
  return turns;
}

const CLIPS = ["flite-lights.wav", "kathleen-a0005.wav", "flite-timer.wav", "flite-time.wav", "stt-reading.wav"];

/** The clip at the level of ordinary speech, without the silence at its ends. */
function voice(name: string): Float32Array {
  const { samples, sampleRateHz } = readWav(readFileSync(new URL(`../../../audio/${name}`, import.meta.url)));
  const sound = resampleAll(samples, sampleRateHz, MODEL_HZ);
  const threshold = Math.max(...sound.map(Math.abs)) / 30;
  const first = sound.findIndex((sample) => Math.abs(sample) > threshold);
  const last = sound.findLastIndex((sample) => Math.abs(sample) > threshold);
  return atLevel(sound.slice(first, last + 1), -25);
}

function atLevel(sound: Float32Array, dbfs: number): Float32Array {
  const gain = 10 ** (dbfs / 20) / rmsOf(sound);
  return sound.map((sample) => sample * gain);
}

function mix(...sounds: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(Math.max(...sounds.map(({ length }) => length)));
  for (const sound of sounds) sound.forEach((sample, at) => (sum[at] = (sum[at] ?? 0) + sample));
  return sum;
}

/** Three sentences of three voices, with two seconds of silence before each and after the last. */
function conversation(): { sound: Float32Array; sentences: { start: number; end: number }[] } {
  const sentences: { start: number; end: number }[] = [];
  const parts: number[] = [];
  const gap = Array.from({ length: 2 * MODEL_HZ }, () => 0);
  for (const name of CLIPS.slice(0, 3)) {
    parts.push(...gap);
    const start = parts.length / MODEL_HZ;
    parts.push(...voice(name));
    sentences.push({ start, end: parts.length / MODEL_HZ });
  }
  parts.push(...gap);
  return { sound: Float32Array.from(parts), sentences };
}

/** The sound of a fan: low noise that swells four times a second, and a motor. */
function fan(samples: number, dbfs: number): Float32Array {
  let low = 0;
  const sound = noise(samples, 1).map((white, at) => {
    low += 0.03 * (white - low);
    const seconds = at / MODEL_HZ;
    return low * (1 + 0.4 * Math.sin(8 * Math.PI * seconds)) + 0.03 * Math.sin(200 * Math.PI * seconds);
  });
  return atLevel(sound, dbfs);
}

/** The sound of a full room: many voices at once, none in front. */
function babble(samples: number, dbfs: number): Float32Array {
  const sum = new Float32Array(samples);
  for (let talker = 0; talker < 20; talker += 1) {
    const sound = voice(CLIPS[talker % CLIPS.length] ?? "");
    const offset = (talker * 7919 * 3) % sound.length;
    for (let at = 0; at < samples; at += 1) sum[at] = (sum[at] ?? 0) + (sound[(at + offset) % sound.length] ?? 0);
  }
  return atLevel(sum, dbfs);
}

/** Expects one turn for each sentence, with the same start and end. */
function expectTurns(
  turns: ReturnType<typeof turnsIn>,
  sentences: readonly { start: number; end: number }[],
  endsWithin = 0.3,
): void {
  expect(turns).toHaveLength(sentences.length);
  for (const [index, { start, end }] of sentences.entries()) {
    expect(Math.abs((turns[index]?.start ?? Infinity) - start)).toBeLessThan(0.2);
    expect(Math.abs((turns[index]?.end ?? Infinity) - end)).toBeLessThan(endsWithin);
  }
}

describe("background_noise_adaptation", () => {
  const on = { backgroundNoiseAdaptation: true };
  const off = { backgroundNoiseAdaptation: false };

  test("on: turns end with their sentences beside a fan. off: the fan keeps turns open and opens one", async () => {
    const { sound, sentences } = conversation();
    const frames = await framesOf(mix(sound, fan(sound.length, -37)));
    expectTurns(turnsIn(frames, on), sentences);
    const without = turnsIn(frames, off);
    expect(without.length).toBeGreaterThan(sentences.length);
    const first = without.find(({ start }) => Math.abs(start - (sentences[0]?.start ?? 0)) < 0.2);
    expect((first?.end ?? Infinity) - (sentences[0]?.end ?? 0)).toBeGreaterThan(0.5);
  });

  test("on: a room full of voices opens no turn. off: it opens one that does not end", async () => {
    const frames = await framesOf(babble(12 * MODEL_HZ, -45));
    expect(turnsIn(frames, on)).toEqual([]);
    expect(turnsIn(frames, off)).toEqual([{ start: expect.any(Number) }]);
  });

  test("on: a louder room opens no turn after the first 1.5 s", async () => {
    for (const dbfs of [-40, -30]) {
      const turns = turnsIn(await framesOf(babble(12 * MODEL_HZ, dbfs)), on);
      expect(turns.filter(({ start, end }) => start > 1.5 || end === undefined)).toEqual([]);
    }
  });

  test("on: a caller 15 dB above a room full of voices is heard. off: the first turn does not end", async () => {
    const { sound, sentences } = conversation();
    const frames = await framesOf(mix(sound, babble(sound.length, -40)));
    expectTurns(
      turnsIn(frames, on).filter(({ start }) => start > 1.5),
      sentences,
      0.5,
    );
    expect(turnsIn(frames, off)).toEqual([{ start: expect.any(Number) }]);
  });

  test("on: turns in a quiet room are found from the first word on", async () => {
    const { sound, sentences } = conversation();
    const room = mix(sound, atLevel(noise(sound.length), -65));
    expectTurns(turnsIn(await framesOf(room), on), sentences);
    const atOnce = turnsIn(await framesOf(room.subarray((sentences[0]?.start ?? 0) * MODEL_HZ)), on);
    expect(atOnce).toHaveLength(sentences.length);
    expect(atOnce[0]?.start).toBeLessThan(0.2);
  });

  test("on: a whisper in a quiet room is heard", async () => {
    const { sound, sentences } = conversation();
    const soft = mix(atLevel(sound, -48), atLevel(noise(sound.length), -75));
    expect(turnsIn(await framesOf(soft), on)).toHaveLength(sentences.length);
  });
});

test("speech_threshold: a higher value needs clearer speech", async () => {
  const { sound, sentences } = conversation();
  const frames = await framesOf(mix(sound, atLevel(noise(sound.length), -31)));
  const heard = [0.3, 0.5, 0.9, 0.99].map(
    (speechThreshold) => turnsIn(frames, { speechThreshold, backgroundNoiseAdaptation: false }).length,
  );
  expect(heard[0]).toBe(sentences.length);
  expect(heard).toEqual(heard.toSorted((a, b) => b - a));
  expect(heard.at(-1)).toBe(0);
});

test("min_speaking_time: shorter speech is not a turn", async () => {
  const frames = await framesOf(mix(voice("flite-okay.wav"), new Float32Array(2 * MODEL_HZ)));
  expect(turnsIn(frames, { minSpeakingMs: 300 })).toHaveLength(1);
  expect(turnsIn(frames, { minSpeakingMs: 600 })).toHaveLength(0);
  const sentence = await framesOf(mix(voice("flite-timer.wav"), new Float32Array(3 * MODEL_HZ)));
  expect(turnsIn(sentence, { minSpeakingMs: 600 })).toHaveLength(1);
});

test("a call may begin with a word: a sound from the start on counts as room noise only after 1.5 s", () => {
  const policy = turnPolicy(DEFAULT_SETTINGS.turnDetection);
  const voiced = [1000, 2000].map((atMs) =>
    isVoiced(false, { atMs, probability: 0.9, noiseFloorDbfs: -30, aboveNoiseDb: 3 }, policy),
  );
  expect(voiced).toEqual([true, false]);
});

describe("a quiet caller in a silent room", () => {
  const policy = { speechThreshold: 0.3, noiseAdaptation: true };
  const frame = (levelDbfs: number, noiseFloorDbfs: number, probability: number): GateFrame => ({
    atMs: 5_000,
    probability,
    noiseFloorDbfs,
    aboveNoiseDb: levelDbfs - noiseFloorDbfs,
  });

  test.each([
    [-52, -80],
    [-55, -85],
    [-54, -72],
  ])("a frame of %d dBFS over a floor of %d dBFS is voiced when the detector is sure", (level, floor) => {
    expect(isVoiced(false, frame(level, floor, 0.95), policy)).toBe(true);
  });

  test.each([
    [-58, -90, 0.4],
    [-50, -55, 0.95],
  ])("a frame of %d dBFS over a floor of %d dBFS with the probability %d is not", (level, floor, probability) => {
    expect(isVoiced(false, frame(level, floor, probability), policy)).toBe(false);
  });

  test("a request with a peak of -39 dBFS is voiced", async () => {
    const speech = clipSamples("flite-timer.wav");
    const loudest = speech.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    const quiet = new Float32Array(speech.length + 2 * MODEL_HZ);
    quiet.set(
      speech.map((sample) => (sample / loudest) * 10 ** (-39 / 20)),
      MODEL_HZ,
    );
    expect(turnsIn(await framesOf(quiet), {})).toHaveLength(1);
  });
});
