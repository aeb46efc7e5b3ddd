import { afterAll, beforeAll, expect, test } from "vitest";
import { callOf, type Call } from "../../../bench/turns/call.ts";
import { hear } from "../../../bench/turns/hearing.ts";
import { seededRandom } from "../../../src/simulated-callers/random.ts";
import { replay, type Outcome } from "../../../bench/turns/replay.ts";
import { roomTone } from "../../../bench/turns/room-tone.ts";
import { resampleAll } from "../../../src/audio/resampler.ts";
import { loadModelCatalog, modelFor, modelPath } from "../../../src/config/model-catalog.ts";
import type { EndOfTurnModel } from "../../../src/engines/end-of-turn/end-of-turn-model.ts";
import { loadEndOfTurn } from "../../../src/engines/end-of-turn/onnx-end-of-turn.ts";
import { DEFAULT_SETTINGS, type TurnSettings } from "../../../src/config/settings/session-settings.ts";
import type { Expectation } from "../../../src/language/expectation.ts";
import { MODEL_HZ } from "../../../src/audio/format.ts";
import { turnPolicy } from "../../../src/conversation/turn/evidence/policy.ts";
import { loadSilero } from "../../../src/engines/vad/silero.ts";
import type { VadEngine } from "../../../src/engines/vad/voice-activity-detector.ts";
import { clip16k } from "../../engines/stt/support.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

// The effect of each setting on recordings, through the speech gate, end-of-turn model and turn machine, without a socket.
const catalog = loadModelCatalog();
const turnModelPath = modelPath(modelFor(catalog, "turn", "starter"), "");
const cacheDir = temporaryFolder();
let vad: VadEngine;
let model: EndOfTurnModel;

beforeAll(async () => {
  vad = await loadSilero(modelPath(modelFor(catalog, "vad", "starter"), ""));
  model = await loadEndOfTurn(turnModelPath);
});

afterAll(async () => {
  await Promise.all([vad.close(), model.close()]);
});

type Settings = Partial<TurnSettings>;

async function outcomes(call: Call, settings: Settings, expectation?: Expectation): Promise<readonly Outcome[]> {
  const heard = await hear(call, { vad, model, modelPath: turnModelPath }, cacheDir);
  return replay(call, heard, turnPolicy({ ...DEFAULT_SETTINGS.turnDetection, ...settings }, expectation));
}

const kinds = (found: readonly Outcome[]) => found.map(({ kind }) => kind);
const delayOf = (outcome: Outcome | undefined) => (outcome?.kind === "ended" ? outcome.delayMs : Number.NaN);

/** Inserts `seconds` of room noise at `atSeconds`, as if the speaker stopped to think. */
function stopping(samples: Float32Array, atSeconds: number, seconds: number): Float32Array {
  const at = Math.round(atSeconds * MODEL_HZ);
  const tone = roomTone(samples, Math.round(seconds * MODEL_HZ), seededRandom(3));
  const out = new Float32Array(samples.length + tone.length);
  out.set(samples.subarray(0, at));
  out.set(tone, at);
  out.set(samples.subarray(at), at + tone.length);
  return out;
}

const turn = (name: string, samples: Float32Array) => ({ name, samples });
const READING = clip16k("stt-reading.wav");
const REQUEST = clip16k("flite-lights.wav");
const QUESTION = clip16k("kathleen-a0005.wav");
const OFF = { naturalPauses: false, speakingRateAdaptation: false } as const;

test("natural_pauses: waits for a speaker who stops to think, and ends the turn of one that has finished sooner", async () => {
  const thinking = callOf("caller", [turn("thinking", stopping(READING, 1.5, 0.7))]);
  expect(kinds(await outcomes(thinking, { naturalPauses: true }))).toEqual(["ended"]);
  expect(kinds(await outcomes(thinking, { naturalPauses: false }))).toEqual(["cut-off"]);
  const finished = callOf("caller", [turn("finished", REQUEST)]);
  const [on, off] = await Promise.all(
    [true, false].map((naturalPauses) => outcomes(finished, { naturalPauses, silenceThresholdMs: 1200 })),
  );
  expect(delayOf(on?.[0])).toBeLessThan(delayOf(off?.[0]) - 100);
});

test("mode: a pause that ends the turn in aggressive does not end it in conservative", async () => {
  const call = callOf("caller", [turn("thinking", stopping(READING, 1.9, 0.45))]);
  const found = await Promise.all(
    (["aggressive", "conservative"] as const).map((mode) => outcomes(call, { ...OFF, mode })),
  );
  expect(found.map(kinds)).toEqual([["cut-off"], ["ended"]]);
});

test("silence_threshold: a larger value ends turns later and allows longer pauses", async () => {
  const call = callOf("caller", [turn("thinking", stopping(READING, 1.5, 0.7)), turn("finished", READING)]);
  const found = await Promise.all(
    [500, 1500].map((silenceThresholdMs) => outcomes(call, { ...OFF, silenceThresholdMs })),
  );
  expect(found.map(kinds)).toEqual([
    ["cut-off", "ended"],
    ["ended", "ended"],
  ]);
  expect(delayOf(found[1]?.[1]) - delayOf(found[0]?.[1])).toBeGreaterThan(900);
});

test("adaptive: learns a caller's long pauses in a few turns, standard cuts the caller off each time", async () => {
  const slow = Array.from({ length: 12 }, (_, n) => turn(`slow ${String(n)}`, stopping(READING, 1.9, 0.62)));
  const call = callOf("slow caller", slow);
  const [adaptive, standard] = await Promise.all(
    (["adaptive", "standard"] as const).map((mode) => outcomes(call, { ...OFF, mode })),
  );
  expect(new Set(kinds(standard ?? []))).toEqual(new Set(["cut-off"]));
  expect(kinds(adaptive ?? []).slice(-3)).toEqual(["ended", "ended", "ended"]);
});

test("speaking_rate_adaptation: waits longer for a slow speaker and shorter for a quick one", async () => {
  const waits = async (pace: number, speakingRateAdaptation: boolean) => {
    const said = resampleAll(READING, MODEL_HZ, Math.round(MODEL_HZ * pace));
    const call = callOf(String(pace), [turn("first", said), turn("second", said)]);
    return delayOf((await outcomes(call, { ...OFF, silenceThresholdMs: 1000, speakingRateAdaptation }))[1]);
  };
  const change = async (pace: number) => (await waits(pace, true)) - (await waits(pace, false));
  expect(await change(1.7)).toBeGreaterThan(await change(0.8));
  expect(await change(1.7)).toBeGreaterThan(50);
});

test("context_awareness: a pause in a dictated number does not end the turn", async () => {
  const call = callOf("caller", [turn("number", stopping(READING, 1.9, 0.7))]);
  const contextAwareness = { enabled: true, conversationStyle: "", userPreferences: "" };
  expect(kinds(await outcomes(call, { ...OFF, contextAwareness }, "dictation"))).toEqual(["ended"]);
  expect(kinds(await outcomes(call, { ...OFF, contextAwareness }, "brief"))).toEqual(["cut-off"]);
  expect(kinds(await outcomes(call, OFF, "dictation"))).toEqual(["cut-off"]);
});

test("max_turn_duration: ends a turn that goes on under any other settings", async () => {
  const call = callOf("caller", [turn("long", READING)]);
  expect(await outcomes(call, { mode: "conservative", maxTurnMs: 2000 })).toMatchObject([
    { kind: "cut-off", confidence: 0 },
  ]);
  expect(kinds(await outcomes(call, { mode: "conservative" }))).toEqual(["ended"]);
});

test("turns end by silence alone without the end-of-turn model", async () => {
  const call = callOf("caller", [turn("finished", QUESTION)]);
  const heard = await hear(call, { vad, model: undefined, modelPath: turnModelPath }, cacheDir);
  const policy = turnPolicy(DEFAULT_SETTINGS.turnDetection);
  expect(kinds(await replay(call, heard, policy))).toEqual(["ended"]);
});
