import { writeFileSync } from "node:fs";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadAddon, type NativeModel } from "../../../../src/engines/stt/whisper/addon.ts";
import { type DecodeOptions } from "../../../../src/engines/stt/decoded.ts";
import { clip16k, STARTER_MODEL } from "../support.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const addon = loadAddon();
const loading = { alignment: "all", alignmentLayers: 1, flashAttention: false, gpu: false };
const options: DecodeOptions = {
  audioContext: 512,
  threads: 1,
  beams: 1,
  maxTokens: 0,
  alignsWords: true,
  language: "en",
};
let folder: string;
let model: NativeModel;

beforeAll(() => {
  folder = temporaryFolder();
  model = addon.loadModel(STARTER_MODEL, loading);
});

describe("loadModel", () => {
  const file = (name: string, content: Uint8Array): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  it("throws an error that says what is wrong with a file, and the process survives", () => {
    const whole = readFileSync(STARTER_MODEL);
    expect(() => addon.loadModel(join(folder, "missing.bin"), loading)).toThrow(/failed to open/u);
    expect(() => addon.loadModel(file("text.bin", Buffer.from("not a model".repeat(100))), loading)).toThrow(
      /bad magic/u,
    );
    expect(() => addon.loadModel(file("empty.bin", new Uint8Array()), loading)).toThrow(/bad magic/u);
    expect(() => addon.loadModel(file("short.bin", whole.subarray(0, whole.length / 2)), loading)).toThrow(
      /not all tensors loaded|failed to load/u,
    );
    expect(addon.loadModel(STARTER_MODEL, loading).facts.audioContext).toBe(1500);
  });

  it("refuses an unknown alignment", () => {
    expect(() => addon.loadModel(STARTER_MODEL, { ...loading, alignment: "huge" })).toThrow(/alignment/u);
  });
});

describe("Lane", () => {
  const clip = clip16k("flite-lights.wav");

  it("returns no words of a longer clip before", async () => {
    const lane = model.createLane();
    const loud = Float32Array.from({ length: 10 * 16_000 }, (_, at) => Math.sin(at / 7) * Math.sin(at / 911));
    await lane.transcribe(loud, { ...options, audioContext: 768 });
    const after = await lane.transcribe(clip, options);
    expect(after).toEqual(await model.createLane().transcribe(clip, options));
  });

  it("returns tokens with probabilities and times in the order of speech", async () => {
    const { tokens } = await model.createLane().transcribe(clip, options);
    expect(tokens.length).toBeGreaterThan(0);
    let latest = 0;
    for (const { probability, logProbability, alignedSeconds } of tokens) {
      expect(probability).toBeGreaterThan(0);
      expect(probability).toBeLessThanOrEqual(1);
      expect(logProbability).toBeCloseTo(Math.log(probability), 3);
      expect(alignedSeconds).toBeGreaterThanOrEqual(latest);
      expect(alignedSeconds).toBeLessThanOrEqual(clip.length / 16_000);
      latest = alignedSeconds;
    }
  });

  it("returns the same tokens without times when words are not aligned, and with times after that", async () => {
    const lane = model.createLane();
    const aligned = await lane.transcribe(clip, options);
    const plain = await lane.transcribe(clip, { ...options, alignsWords: false });
    expect(plain.tokens).toEqual(aligned.tokens.map((token) => ({ ...token, alignedSeconds: -1 })));
    expect(await lane.transcribe(clip, options)).toEqual(aligned);
  });

  it.each([1, 2])("hears the sentence with %d beams", async (beams) => {
    const { tokens } = await model.createLane().transcribe(clip, { ...options, beams });
    expect(tokens.map(({ bytes }) => bytes).join("")).toBe(" Turn on the lights in the kitchen.");
  });

  it("decodes the same text in parallel as alone", async () => {
    const others = [clip, clip16k("flite-time.wav"), clip16k("flite-timer.wav")];
    const lanes = others.map(() => model.createLane());
    const alone: unknown[] = [];
    for (const samples of others) alone.push(await model.createLane().transcribe(samples, options));
    const together = await Promise.all(
      others.map(async (samples, index) => lanes[index]?.transcribe(samples, options)),
    );
    expect(together).toEqual(alone);
  });

  it("identifies the language of a clip, after a transcription and after an abort", async () => {
    const lane = model.createLane();
    await lane.transcribe(clip, options);
    const identifying = lane.identifyLanguage(clip, { audioContext: 512, threads: 1 });
    lane.abort();
    await expect(identifying).rejects.toMatchObject({ code: "ABORTED" });
    const scores = await lane.identifyLanguage(clip, { audioContext: 512, threads: 1 });
    const sum = Object.values(scores).reduce((before, score) => before + score, 0);
    expect(sum).toBeCloseTo(1, 2);
    expect(Object.entries(scores).toSorted((one, other) => other[1] - one[1])[0]?.[0]).toBe("en");
  });

  it("scores texts together as alone, more than fit one pass and one that is too long", async () => {
    const lane = model.createLane();
    await lane.transcribe(clip, options);
    const said = "Turn on the lights in the kitchen.";
    const texts = [said, "Turn off the lights.", ...Array.from("abcdefghij"), "on ".repeat(80), "on ".repeat(600)];
    const together = await lane.score(texts, { language: "en", threads: 1 });
    expect(together.map((tokens) => tokens.length > 0)).toEqual(texts.map((text) => text.length < 1000));
    const total = (tokens: (typeof together)[number] = []) =>
      tokens.reduce((sum, { logProbability }) => sum + logProbability, 0);
    expect(total(together[0])).toBeGreaterThan(total(together[1]) + 5);
    for (const [at, text] of texts.slice(0, 13).entries()) {
      const [alone = []] = await lane.score([text], { language: "en", threads: 1 });
      expect(together[at]?.map(({ id }) => id)).toEqual(alone.map(({ id }) => id));
      expect(total(together[at])).toBeCloseTo(total(alone), 0);
    }
    // The lane transcribes as before.
    expect(await lane.transcribe(clip, options)).toEqual(await model.createLane().transcribe(clip, options));
  });

  it("scores its own text, its beginning and another end from the steps of the decoding as from the start", async () => {
    const lane = model.createLane();
    const { tokens } = await lane.transcribe(clip, { ...options, alignsWords: false });
    const own = tokens.map(({ bytes }) => bytes).join("");
    const texts = [own.trim(), "Turn on the lights", "Turn on the lights in the attic and wait.", "Four"];
    const kept = await lane.score(texts, { language: "en", threads: 1 });
    const fromStart = await lane.score(texts, { language: "en", threads: 1 });
    expect(kept.map((text) => text.map(({ bytes }) => bytes))).toEqual(
      fromStart.map((text) => text.map(({ bytes }) => bytes)),
    );
    for (const [at, text] of kept.entries())
      for (const [place, { logProbability }] of text.entries())
        expect(Math.abs(logProbability - fromStart[at]![place]!.logProbability)).toBeLessThan(0.05);
    // Other work of the lane replaces the steps.
    await lane.transcribe(clip, { ...options, alignsWords: false });
    await lane.identifyLanguage(clip, { audioContext: 512, threads: 1 });
    expect(await lane.score(texts, { language: "en", threads: 1 })).toEqual(fromStart);
    const sure = kept[0]!.filter(({ probability }) => probability > 0.5);
    expect(sure.length).toBeGreaterThan(5);
  });

  it("rejects an aborted transcription and can be used again", async () => {
    const lane = model.createLane();
    const before = await lane.transcribe(clip, options);
    const running = lane.transcribe(clip, { ...options, audioContext: 768 });
    lane.abort();
    await expect(running).rejects.toMatchObject({ code: "ABORTED" });
    expect(await lane.transcribe(clip, options)).toEqual(before);
  });

  it("does not block the event loop while it decodes", async () => {
    let turns = 0;
    let done = false;
    const turn = (): void => {
      turns += 1;
      if (!done) setImmediate(turn);
    };
    turn();
    await model.createLane().transcribe(clip, { ...options, audioContext: 768 });
    done = true;
    expect(turns).toBeGreaterThan(10);
  });

  it("refuses arguments for which whisper.cpp would end the process", () => {
    const lane = model.createLane();
    expect(() => lane.transcribe(new Float32Array(512 * 320 + 1), options)).toThrow(/longer than the audio context/u);
    expect(() => lane.transcribe(new Float32Array(100), options)).toThrow(/shorter/u);
    expect(() => lane.transcribe(clip, { ...options, audioContext: 1501 })).toThrow(/audioContext/u);
    expect(() => lane.transcribe(clip, { ...options, threads: 0 })).toThrow(/threads/u);
    expect(() => lane.transcribe(clip, { ...options, language: "klingon" })).toThrow(/language/u);
    expect(() => lane.transcribe(new Int16Array(16_000) as never, options)).toThrow(/Float32Array/u);
  });

  it("accepts one transcription at a time", async () => {
    const lane = model.createLane();
    const running = lane.transcribe(clip, options);
    expect(() => lane.transcribe(clip, options)).toThrow(/already/u);
    await running;
  });
});
