import { afterAll, beforeAll, expect, test } from "vitest";
import { callOf } from "../../../bench/turns/call.ts";
import { hear } from "../../../bench/turns/hearing.ts";
import { replay } from "../../../bench/turns/replay.ts";
import { overTelephone } from "../../../bench/telephone-line.ts";
import { MODEL_HZ } from "../../../src/audio/format.ts";
import { loadServerConfig } from "../../../src/config/server-config.ts";
import { DEFAULT_SETTINGS } from "../../../src/config/settings/session-settings.ts";
import { turnPolicy } from "../../../src/conversation/turn/evidence/policy.ts";
import { loadSilero } from "../../../src/engines/vad/silero.ts";
import { rejectTones } from "../../../src/engines/vad/tone-rejection.ts";
import type { SoundKind, VadEngine } from "../../../src/engines/vad/voice-activity-detector.ts";
import { noise, tune } from "../../audio/signals.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { clip16k } from "../stt/support.ts";

let silero: VadEngine;
let vad: VadEngine;
const cacheDir = temporaryFolder();
beforeAll(async () => {
  silero = await loadSilero(loadServerConfig(undefined, {}).config.models.vad.path);
  vad = rejectTones(silero);
});
afterAll(() => vad.close());

type Sound = (seconds: number) => number;
const sines =
  (...hz: readonly number[]): Sound =>
  (at) =>
    hz.reduce((sum, each) => sum + Math.sin(2 * Math.PI * each * at), 0) / hz.length;
const bursts =
  (onSeconds: number, offSeconds: number, sound: Sound): Sound =>
  (at) =>
    at % (onSeconds + offSeconds) < onSeconds ? sound(at) : 0;
const hum =
  (hz: number, ...harmonics: readonly number[]): Sound =>
  (at) =>
    harmonics.reduce((sum, harmonic) => sum + Math.sin(2 * Math.PI * hz * harmonic * at) / harmonic, 0);

const sounds: Readonly<Record<string, Sound>> = {
  "US ring": bursts(2, 4, sines(440, 480)),
  "US busy": bursts(0.5, 0.5, sines(480, 620)),
  "US reorder": bursts(0.25, 0.25, sines(480, 620)),
  "European ring": bursts(1, 4, sines(425)),
  "European busy": bursts(0.48, 0.48, sines(425)),
  "UK ring": (at) => bursts(0.4, 0.2, sines(400, 450))(at % 3) * (at % 3 < 1 ? 1 : 0),
  dial: sines(350, 440),
  "special information": (at) => bursts(1, 1, sines([950, 1400, 1800][Math.floor((at % 2) * 3)] ?? 0))(at),
  "fax calling": bursts(0.5, 3, sines(1100)),
  "fax answering": sines(2100),
  keys: bursts(0.2, 0.2, sines(770, 1336)),
  "hum of 50 Hz": hum(50, 1, 2, 3, 4, 5, 6, 7),
  "hum from 100 Hz": hum(50, 2, 4, 6, 8),
  "hum from 120 Hz": hum(60, 2, 4, 6, 8, 10),
};

const line = noise(9 * MODEL_HZ, 0.0015);
/** A ring repeats after up to 6 s, the other sounds after 3.5 s at most. */
const secondsOf = (name: string) => (name.endsWith("ring") ? 9 : 5);
const callWith = (sound: Sound, amplitude: number, seconds: number) =>
  line.subarray(0, seconds * MODEL_HZ).map((hiss, at) => hiss + amplitude * sound(at / MODEL_HZ));

async function turnsIn(samples: Float32Array, engine: VadEngine): Promise<number> {
  const seconds = Array.from({ length: Math.ceil(samples.length / MODEL_HZ) }, (_, at) => ({
    name: "",
    startMs: 1000 * at,
    endMs: 1000 * at,
    untilMs: 1000 * (at + 1),
  }));
  const call = { caller: "", samples, turns: seconds };
  const heard = await hear(call, { vad: engine, model: undefined, modelPath: "" }, temporaryFolder());
  const outcomes = await replay(call, heard, turnPolicy(DEFAULT_SETTINGS.turnDetection));
  return outcomes.filter(({ kind }) => kind !== "unheard").length;
}

const levels = [0.4, 0.1, 0.02];
test.each(Object.entries(sounds))("%s opens no turn, wide band and over a telephone", async (name, sound) => {
  for (const amplitude of levels) {
    const samples = callWith(sound, amplitude, secondsOf(name));
    expect(await turnsIn(samples, vad), `amplitude ${String(amplitude)}`).toBe(0);
    expect(await turnsIn(overTelephone(samples), vad), `telephone, amplitude ${String(amplitude)}`).toBe(0);
  }
});

test("Silero alone takes a busy tone for turns", async () => {
  expect(await turnsIn(callWith(sounds["European busy"]!, 0.1, 5), silero)).toBeGreaterThan(0);
});

/** The kind of each frame. */
function kindsIn(samples: Float32Array): readonly (SoundKind | undefined)[] {
  const detector = vad.open();
  return Array.from({ length: Math.floor(samples.length / detector.frameSamples) }, (_, frame) => {
    detector.speechProbability(samples.subarray(frame * detector.frameSamples, (frame + 1) * detector.frameSamples));
    return detector.kind;
  });
}
const shareOf = (kind: SoundKind, samples: Float32Array) =>
  kindsIn(samples).filter((each) => each === kind).length / kindsIn(samples).length;

const voices = ["stt-reading.wav", "flite-lights.wav", "kathleen-a0005.wav"];

test("tones are named, voices are not", () => {
  expect(shareOf("tone", callWith(sines(350, 440), 0.1, 5))).toBeGreaterThan(0.9);
  expect(shareOf("tone", line)).toBe(0);
  for (const name of voices) expect(shareOf("tone", clip16k(name)), name).toBeLessThan(0.02);
});

test("music is named after 4 s, at all levels and over a telephone", () => {
  for (const amplitude of [0.05, 0.005]) {
    const music = tune(MODEL_HZ, 10 * MODEL_HZ, amplitude);
    for (const samples of [music, overTelephone(music)]) {
      const frames = kindsIn(samples);
      expect(frames.indexOf("music")).toBeGreaterThan(90);
      expect(frames.slice(125).every((kind) => kind === "music")).toBe(true);
    }
  }
});

test("voices, noise, tones and chords that do not change are not music", () => {
  for (const name of voices) expect(shareOf("music", clip16k(name)), name).toBe(0);
  expect(shareOf("music", line)).toBe(0);
  for (const [name, sound] of Object.entries(sounds)) expect(shareOf("music", callWith(sound, 0.1, 9)), name).toBe(0);
  expect(shareOf("music", callWith(sines(262, 330, 392, 524, 660, 784, 1048), 0.1, 9))).toBe(0);
});

test("music with a voice is not named until the voice has been away for 3 s", () => {
  const voice = clip16k("stt-reading.wav");
  const music = tune(MODEL_HZ, voice.length + 10 * MODEL_HZ, 0.01);
  const frames = kindsIn(music.map((sample, at) => sample + (voice[at - 5 * MODEL_HZ] ?? 0)));
  const from = Math.ceil((5.5 * MODEL_HZ) / 512);
  const until = Math.floor((5 * MODEL_HZ + voice.length) / 512);
  expect(frames.slice(from, until + 30)).not.toContain("music");
  expect(frames[from - 30]).toBe("music");
  expect(frames.at(-1)).toBe("music");
});

test("voices are heard as without the rejection", async () => {
  const call = callOf(
    "caller",
    ["stt-reading.wav", "flite-lights.wav"].map((name) => ({ name, samples: clip16k(name) })),
  );
  const outcomes = async (engine: VadEngine, folder: string) => {
    const heard = await hear(call, { vad: engine, model: undefined, modelPath: "" }, folder);
    return replay(call, heard, turnPolicy(DEFAULT_SETTINGS.turnDetection));
  };
  expect(await outcomes(vad, temporaryFolder())).toEqual(await outcomes(silero, cacheDir));
});
