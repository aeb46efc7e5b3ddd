import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLog } from "../../../../src/shared/log.ts";
import type { Heard } from "../../../../src/engines/stt/decoded.ts";
import type { SureRecognizer } from "../../../../src/engines/stt/ears/ear.ts";
import type { SpeechToTextProcess } from "../../../../src/engines/stt/recognizer.ts";
import { fittedContext, startWhisperCpp } from "../../../../src/engines/stt/whisper/whisper-cpp.ts";
import { BAD_TENSOR_TYPE, CUT_BETWEEN_TENSORS } from "../damaged-models.ts";
import { clip16k, expectOrderedWords, noise, STARTER_MODEL, wordErrors } from "../support.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const never = new AbortController().signal;
let stt: SpeechToTextProcess<SureRecognizer>;

beforeAll(async () => {
  stt = await startWhisperCpp({ path: STARTER_MODEL, lanes: 2, deadlineSeconds: 120 }, silentLog);
});
afterAll(async () => stt.close());

const final = async (samples: Float32Array): Promise<Heard> =>
  stt.open().transcribe({ samples, kind: "final", language: "en" }, never);

describe("whisper.cpp on the starter model", () => {
  it.each([
    ["flite-time.wav", "what time is it"],
    ["flite-lights.wav", "turn on the lights in the kitchen"],
    ["flite-timer.wav", "set a timer for ten minutes"],
  ])("recognises %s", async (name, said) => {
    const samples = clip16k(name);
    const heard = await final(samples);
    const { text, confidence } = heard;
    expect(wordErrors(said, text), text).toBeLessThanOrEqual(1);
    expect(confidence).toBeGreaterThan(0.3);
    expectOrderedWords(heard, samples);
  });

  it("gives the evidence of a decode", async () => {
    const recognizer = stt.open();
    const said = { samples: clip16k("flite-time.wav"), kind: "final", language: "en" } as const;
    const { isDoubtful, evidence } = await recognizer.transcribe(said, never);
    expect(isDoubtful).toBe(false);
    expect(evidence.tokens).toBeGreaterThan(3);
    expect(evidence.logProbability).toBeLessThan(0);
    expect(evidence.voicedSeconds).toBeGreaterThan(0.5);
  });

  it("returns the same text for the same clip after any other decode", async () => {
    const unclear = clip16k("flite-timer.wav").toReversed();
    const first = await final(unclear);
    for (const other of ["flite-time.wav", "flite-lights.wav"]) {
      await final(clip16k(other));
      expect(await final(unclear)).toEqual(first);
    }
  });

  it("returns the same words for the same clip with several beams", async () => {
    const samples = clip16k("flite-timer.wav");
    const decode = async () => stt.open().transcribe({ samples, kind: "final", language: "de" }, never);
    const first = await decode();
    expect(first.words.length).toBeGreaterThan(2);
    for (let again = 0; again < 2; again++) {
      const { text, words } = await decode();
      expect(text).toBe(first.text);
      expect(words.map(({ start, end }) => [start, end])).toEqual(first.words.map(({ start, end }) => [start, end]));
    }
  });

  it("returns the times of words", async () => {
    const samples = clip16k("flite-lights.wav");
    const later = new Float32Array(samples.length + 16_000);
    later.set(samples, 16_000);
    const [early, shifted] = [await final(samples), await final(later)];
    const shift = (shifted.words[0]?.start ?? 0) - (early.words[0]?.start ?? 0);
    expect(Math.abs(shift - 1)).toBeLessThan(0.25);
  });

  it("returns each word with the time at which the synthetic voice spoke it", async () => {
    const begins = [0.286, 0.577, 0.781, 0.853, 1.262, 1.384, 1.462]; // flite's own phone times
    const { words } = await final(clip16k("flite-lights.wav"));
    expect(words).toHaveLength(begins.length);
    const off = words.map(({ start }, index) => Math.abs(start - (begins[index] ?? 0))).toSorted((a, b) => a - b);
    expect(off[3], "median").toBeLessThan(0.25);
    expect(off.at(-1), "largest").toBeLessThan(0.6);
  });

  it.each([
    ["silence", new Float32Array(32_000)],
    ["a breath of noise", noise(2, 0.003)],
    ["nothing at all", new Float32Array(0)],
    ["a click", Float32Array.from({ length: 800 }, (_, index) => (index === 400 ? 0.9 : 0))],
  ])("returns no words for %s", async (_name, samples) => {
    expect(await final(samples)).toMatchObject({ text: "", confidence: 0, words: [], isDoubtful: false });
  });

  it("accepts a clip that is longer than any context", async () => {
    const samples = clip16k("flite-timer.wav");
    const gap = 16_000;
    const long = new Float32Array(35 * 16_000);
    for (let start = 0; start + samples.length < long.length; start += samples.length + gap) long.set(samples, start);
    const { words, text } = await final(long);
    expect(text).toContain("timer");
    expect(words.at(-1)?.start).toBeGreaterThan(25);
    expect(words.at(-1)?.end).toBeLessThanOrEqual(35);
  });
});

describe("a context with a floor and a margin", () => {
  it("returns the same sentence", async () => {
    const contextRule = { floorSeconds: 5, marginSeconds: 1 };
    const engine = await startWhisperCpp({ path: STARTER_MODEL, lanes: 1, contextRule }, silentLog);
    try {
      const request = { samples: clip16k("flite-time.wav"), kind: "final", language: "en" } as const;
      const { text } = await engine.open().transcribe(request, never);
      expect(wordErrors("what time is it", text), text).toBeLessThanOrEqual(1);
    } finally {
      await engine.close();
    }
  });
});

describe("the engine under load", () => {
  const clip = clip16k("flite-lights.wav");
  const long = new Float32Array(14 * 16_000).map((_, index) => clip[index % clip.length] ?? 0);

  it("rejects an aborted request with the caller's reason, and serves the next one", async () => {
    const recognizer = stt.open();
    const abort = new AbortController();
    const running = recognizer.transcribe({ samples: long, kind: "final", language: "en" }, abort.signal);
    await nextTurn();
    abort.abort(new Error("the user went on"));
    await expect(running).rejects.toThrow("the user went on");
    expect((await recognizer.transcribe({ samples: clip, kind: "final", language: "en" }, never)).text).not.toBe("");
  });

  it("skips partials when finals take every lane, and returns each caller's own text", async () => {
    const finals = [clip16k("flite-time.wav"), clip, clip16k("flite-timer.wav"), long].map(final);
    const partial = stt.open().transcribe({ samples: clip, kind: "partial", language: "en" }, never);
    await expect(partial).rejects.toMatchObject({ code: "STT_BUSY", retryable: true });
    const texts = (await Promise.all(finals)).map(({ text }) => text);
    expect(texts[0]).toBe((await final(clip16k("flite-time.wav"))).text);
    expect(texts[1]).toBe((await final(clip)).text);
  });

  it("decodes a partial like a final when a lane is free", async () => {
    const partial = await stt.open().transcribe({ samples: clip, kind: "partial", language: "en" }, never);
    expect(partial).toEqual(await final(clip));
  });

  it.each([
    ["samples that are no numbers", new Float32Array(32_000).fill(NaN), "en"],
    ["samples beyond all measure", noise(2, 1e30), "en"],
    ["a language that Whisper does not know", clip, "xx"],
  ])("refuses %s, and serves the next request", async (_what, samples, language) => {
    const recognizer = stt.open();
    const refused = recognizer.transcribe({ samples, kind: "final", language }, never);
    await expect(refused).rejects.toMatchObject({ code: "STT_FAILED", retryable: false });
    expect((await recognizer.transcribe({ samples: clip, kind: "final", language: "en" }, never)).text).not.toBe("");
  });

  it("close ends a recogniser's running request and refuses new ones", async () => {
    const recognizer = stt.open();
    const running = recognizer.transcribe({ samples: long, kind: "final", language: "en" }, never);
    recognizer.close();
    await expect(running).rejects.toMatchObject({ code: "STT_CLOSED" });
    await expect(recognizer.transcribe({ samples: clip, kind: "final", language: "en" }, never)).rejects.toMatchObject({
      code: "STT_CLOSED",
    });
  });
});

describe("startWhisperCpp", () => {
  it("the error names a missing file", async () => {
    await expect(startWhisperCpp({ path: "/nowhere/model.bin" }, silentLog)).rejects.toThrow(/\/nowhere\/model\.bin/u);
  });

  describe("with a file that", () => {
    let folder: string;
    beforeAll(() => (folder = temporaryFolder()));

    const says = async (name: string, content: Buffer, reason: RegExp) => {
      const path = join(folder, name);
      writeFileSync(path, content);
      const start = startWhisperCpp({ path }, silentLog);
      await expect(start).rejects.toThrow(reason);
      await expect(start).rejects.toThrow(path);
    };

    it("has a damaged tensor, reports the damage", async () =>
      says("ggml-model.bin", BAD_TENSOR_TYPE, /tensor 4 is damaged/u));
    it("lacks tensors, reports the missing tensors", async () =>
      says("ggml-model.bin", CUT_BETWEEN_TENSORS, /not all tensors|failed to load/u));
  });

  it("fits the context to the clip, by the model's rule", () => {
    const acft = { path: "ggml-base.en-acft-q8_0.bin", contextRule: { floorSeconds: 3.2, marginSeconds: 0.64 } };
    expect([1, 3, 5, 30].map((seconds) => fittedContext(acft, seconds))).toEqual([192, 192, 320, 1_500]);
    const published = { path: "ggml-base.en-q8_0.bin", contextRule: { floorSeconds: 10, marginSeconds: 2 } };
    expect([1, 9, 30].map((seconds) => fittedContext(published, seconds))).toEqual([512, 576, 1_500]);
    expect(fittedContext({ ...published, contextRule: "full" }, 1)).toBe(1_500);
    expect(fittedContext({ path: "own-width.bin" }, 1)).toBe(1_500);
  });
});
