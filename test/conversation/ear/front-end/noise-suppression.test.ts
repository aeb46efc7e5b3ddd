import { afterEach, beforeAll, expect, test } from "vitest";
import { CALL_HZ } from "../../../../src/audio/format.ts";
import { samplesOf } from "../../../../src/audio/pcm16.ts";
import { loadServerConfig } from "../../../../src/config/server-config.ts";
import { DEFAULT_SETTINGS } from "../../../../src/config/settings/session-settings.ts";
import { AudioInput } from "../../../../src/conversation/ear/audio-input.ts";
import { turnPolicy } from "../../../../src/conversation/turn/evidence/policy.ts";
import { isVoiced } from "../../../../src/conversation/turn/evidence/speech-gate.ts";
import type { FrameEvent } from "../../../../src/conversation/turn/machine/turn-state.ts";
import { loadDeepFilter } from "../../../../src/engines/enhancement/deep-filter.ts";
import type { NoiseSuppressionEngine } from "../../../../src/engines/enhancement/noise-suppressor.ts";
import { loadSilero } from "../../../../src/engines/vad/silero.ts";
import type { VadEngine } from "../../../../src/engines/vad/voice-activity-detector.ts";
import { noise } from "../../../audio/signals.ts";
import { clip } from "../../../support/audio.ts";
import { faults } from "../../../support/faults.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

let engine: NoiseSuppressionEngine;
let vad: VadEngine;
let opened = 0;
beforeAll(async () => {
  const model = await loadDeepFilter("models/starter/enhancement/deep-filter.onnx");
  engine = {
    open: () => {
      opened += 1;
      return model.open();
    },
  };
  vad = await loadSilero(loadServerConfig(undefined, {}).config.models.vad.path);
});

let scope = new AbortController();
afterEach(() => {
  scope.abort();
  scope = new AbortController();
});

const reading = samplesOf(clip("stt-reading.wav"));
const SECOND = new Int16Array(CALL_HZ);
/** Five seconds of the room, a reading, one second of the room. */
const QUIET_CALL = Int16Array.from([...SECOND, ...SECOND, ...SECOND, ...SECOND, ...SECOND, ...reading, ...SECOND]);
const HISS = noise(QUIET_CALL.length, 1);
const inHiss = (amplitude: number) => QUIET_CALL.map((sample, at) => Math.round(sample + amplitude * HISS[at]!));

function earOf(isOn: () => boolean, onFailure = (error: unknown): void => expect.fail(String(error))) {
  const frames: FrameEvent[] = [];
  const input = new AudioInput({
    detector: vad.open(),
    suppression: { engine, vad, isOn },
    clock: new VirtualClock(),
    signal: scope.signal,
    onFrame: (frame) => frames.push({ ...frame }) < 0,
    onFailure,
    faults,
  });
  return { frames, input };
}

async function hear(call: Int16Array, isOn = true): Promise<readonly FrameEvent[]> {
  opened = 0;
  const { frames, input } = earOf(() => isOn);
  for (let at = 0; at < call.length; at += 480) input.push(call.subarray(at, at + 480));
  for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  return frames;
}

const policy = turnPolicy(DEFAULT_SETTINGS.turnDetection);
function voicedTimes(frames: readonly FrameEvent[]): ReadonlySet<number> {
  let isVoice = false;
  return new Set(frames.filter((frame) => (isVoice = isVoiced(isVoice, frame, policy))).map(({ atMs }) => atMs));
}

test("a voice in loud hiss is voiced where it is voiced in a quiet room", async () => {
  const clean = voicedTimes(await hear(QUIET_CALL));
  const share = (heard: ReadonlySet<number>) => [...clean].filter((atMs) => heard.has(atMs)).length / clean.size;
  const loud = inHiss(2_500);
  const without = voicedTimes(await hear(loud, false));
  const suppressed = voicedTimes(await hear(loud));
  expect(share(suppressed)).toBeGreaterThan(0.85);
  expect(share(suppressed)).toBeGreaterThan(share(without) + 0.1);
  // Nothing else became a voice, and no frame is early or late.
  expect([...suppressed].filter((atMs) => !clean.has(atMs)).length).toBeLessThan(8);
});

test("a quiet room is not touched, and costs nothing", async () => {
  const faint = Int16Array.from([...SECOND, ...samplesOf(clip("kathleen-a0005.wav")), ...SECOND], (sample, at) =>
    Math.round(sample + 20 * HISS[at]!),
  );
  expect(await hear(faint)).toEqual(await hear(faint, false));
  await hear(faint);
  expect(opened).toBe(0);
});

test("in a room full of voices the sound is judged as it is", async () => {
  const names = ["stt-reading.wav", "kathleen-a0005.wav", "flite-doctor.wav", "flite-lights.wav", "flite-timer.wav"];
  const voices = names.map((name) => samplesOf(clip(name)));
  const babble = Int16Array.from({ length: 10 * CALL_HZ }, (_, at) =>
    voices.reduce((sum, voice, which) => sum + 0.2 * voice[(at + 5_000 * which) % voice.length]!, 100 * HISS[at]!),
  );
  const plain = await hear(babble, false);
  const frames = await hear(babble);
  expect(opened).toBeGreaterThan(0);
  // The newest frame waits for its suppressed sound.
  expect(frames.length).toBeGreaterThan(plain.length - 2);
  expect(frames).toEqual(plain.slice(0, frames.length));
});

test("every frame comes once, in order, while suppression starts and stops", async () => {
  const changing = inHiss(2_500);
  for (let at = 0; at < changing.length; at++) if (at % (8 * CALL_HZ) > 4 * CALL_HZ) changing[at] = QUIET_CALL[at]!;
  const frames = await hear(changing);
  const count = Math.floor((QUIET_CALL.length * 2) / 3 / 512);
  expect(frames.map(({ atMs }) => atMs).slice(0, count - 2)).toEqual(
    Array.from({ length: count - 2 }, (_, at) => 32 * (at + 1)),
  );
});

test("a call whose suppression has no memory goes on without it, and says so once", async () => {
  const loud = inHiss(2_500);
  const plain = await hear(loud, false);
  const working = engine;
  engine = { open: () => raise(new Error("no memory for another caller")) };
  const failures: unknown[] = [];
  const { frames, input } = earOf(
    () => true,
    (error) => failures.push(error),
  );
  engine = working;
  for (let at = 0; at < loud.length; at += 480) input.push(loud.subarray(at, at + 480));
  for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(failures).toMatchObject([{ message: "no memory for another caller" }]);
  expect(frames).toEqual(plain);
});

test("a client's mark does not wait for suppressed sound", async () => {
  const { input } = earOf(() => true);
  input.push(inHiss(2_500).subarray(0, 4.5 * CALL_HZ));
  for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  let heardMs = 0;
  input.whenHeard((atMs) => (heardMs = atMs));
  expect(heardMs).toBeGreaterThan(4_400);
});

function raise(error: Error): never {
  throw error;
}

test("a caller's suppression starts and stops when the server has room for it", async () => {
  opened = 0;
  const room = { mayStart: () => false, mustStop: () => false };
  const model = engine;
  engine = { open: () => model.open(), room };
  const call = inHiss(2000);
  const unsuppressed = await hear(call, false);
  expect(await hear(call)).toEqual(unsuppressed);
  expect(opened).toBe(0);
  room.mayStart = () => true;
  expect(await hear(call)).not.toEqual(unsuppressed);
  room.mustStop = () => true;
  expect(await hear(call)).toEqual(unsuppressed);
  engine = model;
});
