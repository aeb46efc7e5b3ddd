import { afterAll, beforeAll, expect, test } from "vitest";
import { loadSpeakerEncoder } from "../../../src/engines/speaker/onnx-speaker-encoder.ts";
import { CLIP_SAMPLES } from "../../../src/engines/speaker/voice-bands.ts";
import { cosine, normalise, type SpeakerEncoder } from "../../../src/engines/speaker/speaker-encoder.ts";
import { startSpeakerEncoder } from "../../../src/engines/speaker/speaker-engine.ts";
import { silentLog } from "../../../src/shared/log.ts";
import { clipSamples } from "../../support/audio.ts";

const MODEL = "models/starter/speaker/speaker.onnx";
const { signal } = new AbortController();
let encoder: SpeakerEncoder;
beforeAll(async () => void (encoder = await startSpeakerEncoder(MODEL, silentLog, signal, 60_000)));
afterAll(() => encoder.close());

/** The mean of the clip's windows, as a call makes it. */
async function voiceOf(clip: Float32Array): Promise<Float32Array> {
  const sum = new Float32Array(256);
  for (let at = 0; at + CLIP_SAMPLES <= clip.length; at += CLIP_SAMPLES / 2)
    (await encoder.embed(clip.slice(at, at + CLIP_SAMPLES), signal)).forEach((value, i) => (sum[i]! += value));
  return normalise(sum);
}

test("clips of one voice are alike, and those of two voices are not", async () => {
  const names = ["stt-reading.wav", "caller-1898-a.wav", "other-voice.wav", "kathleen-a0005.wav"];
  const [first, second, other, third] = await Promise.all(names.map((name) => voiceOf(clipSamples(name))));
  expect(cosine(first!, first!)).toBeCloseTo(1, 4);
  expect(cosine(first!, second!)).toBeGreaterThan(0.8);
  expect(cosine(first!, other!)).toBeLessThan(0.6);
  expect(cosine(first!, third!)).toBeLessThan(0.6);
});

test("the level of a clip does not matter", async () => {
  const clip = clipSamples("stt-reading.wav").slice(0, CLIP_SAMPLES);
  const soft = clip.map((sample) => sample / 8);
  expect(cosine(await encoder.embed(clip, signal), await encoder.embed(soft, signal))).toBeGreaterThan(0.98);
});

test("a clip that is too short, too long or cancelled fails alone", async () => {
  await expect(encoder.embed(new Float32Array(800), signal)).rejects.toThrow("1600 to 13152 samples are needed");
  const reason = new Error("the caller hung up");
  await expect(encoder.embed(new Float32Array(CLIP_SAMPLES), AbortSignal.abort(reason))).rejects.toBe(reason);
});

test("silence has a vector too", async () => {
  expect(await encoder.embed(new Float32Array(CLIP_SAMPLES), signal)).toHaveLength(256);
});

test("a missing or wrong model is reported", async () => {
  await expect(loadSpeakerEncoder("nowhere.onnx")).rejects.toMatchObject({ code: "MODEL_MISSING" });
  await expect(loadSpeakerEncoder("models/starter/emotion/emotion.onnx")).rejects.toMatchObject({
    code: "MODEL_BROKEN",
  });
});
