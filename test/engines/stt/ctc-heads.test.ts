import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadAddon, type DecodeOptions } from "../../../src/engines/stt/addon.ts";
import { readCtcHeads, type CtcHead, type CtcHeads } from "../../../src/engines/stt/ctc-heads.ts";
import { SoundNetwork } from "../../../src/engines/stt/sound-network.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { clip16k, noise, STARTER_MODEL } from "./support.ts";

const HEAD = { symbols: ["a", "b"], biases: [0, 1, 2], weights: [[1], [2], [3]] };
const HEADS = { letters: HEAD, sounds: ["aa", "ae"], lettersShare: 0.2, soundsShare: 0.3, wordsShare: 0.4 };

function beside(heads: unknown): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "model.heads.json"), typeof heads === "string" ? heads : JSON.stringify(heads));
  return join(folder, "model.bin");
}

it("are read from the file beside a model, and absent without it", () => {
  const path = beside(HEADS);
  const head = { symbols: ["a", "b"], biases: Float32Array.of(0, 1, 2), weights: Float32Array.of(1, 2, 3) };
  expect(readCtcHeads(path)).toEqual({
    ...HEADS,
    letters: head,
    wordsFile: path.replace(".bin", ".words"),
    soundsFile: path.replace(".bin", ".sounds.onnx"),
  });
  expect(readCtcHeads(join(temporaryFolder(), "model.bin"))).toBeUndefined();
  expect(readCtcHeads(STARTER_MODEL)?.letters.symbols).toContain("a");
});

it.each([
  ["no JSON", "{"],
  ["a share above 1", { ...HEADS, wordsShare: 2 }],
  ["shares of more than 1 together", { ...HEADS, lettersShare: 0.8 }],
  ["a missing row", { ...HEADS, letters: { ...HEAD, weights: [[1], [2]] } }],
  ["a missing bias", { ...HEADS, letters: { ...HEAD, biases: [0, 1] } }],
  ["rows of two lengths", { ...HEADS, letters: { ...HEAD, weights: [[1], [2], [3, 4]] } }],
  ["no sounds", { ...HEADS, sounds: [] }],
])("with %s are refused with their path", (_, heads) => {
  expect(() => readCtcHeads(beside(heads))).toThrow(/model\.heads\.json/u);
});

const addon = loadAddon();
const loading = { alignment: "all", alignmentLayers: 1, flashAttention: false, gpu: false };
const options: DecodeOptions = { audioContext: 192, threads: 1, beams: 5, temperatureStep: 0, language: "en" };
const load = (heads: CtcHeads | undefined) => addon.loadModel(STARTER_MODEL, { ...loading, heads });

async function heard(heads: CtcHeads | undefined, clip: Float32Array, sounds?: Float32Array): Promise<string> {
  const { tokens } = await load(heads)
    .createLane()
    .transcribe(clip, { ...options, sounds });
  return tokens.map(({ bytes }) => bytes).join("");
}

/** A head that hears the same at each position of any clip. `none`: how much likelier no symbol is than each symbol (log). */
const indifferent = (head: CtcHead, none: number): CtcHead => ({
  ...head,
  weights: head.weights.map(() => 0),
  biases: head.biases.map((_, symbol) => (symbol === 0 ? none : 0)),
});

describe("the heads of the starter model", () => {
  let heads: CtcHeads;
  let network: SoundNetwork;
  /** The sounds of a clip in which each sound is as likely as another one. `none`: how much likelier no sound is (log). */
  const anySounds = (none: number) => {
    const position = [Math.exp(none), ...heads.sounds.map(() => 1)];
    const total = position.reduce((sum, part) => sum + part);
    return Float32Array.from(Array.from({ length: 40 }, () => position.map((part) => part / total)).flat());
  };
  // The hiss makes the model unsure, so that the texts of the beams differ in length.
  const hiss = noise(4, 0.02);
  const clip = clip16k("flite-timer.wav").map((sample, at) => sample + (hiss[at] ?? 0));

  beforeAll(async () => {
    const own = readCtcHeads(STARTER_MODEL);
    if (own === undefined) throw new Error("the starter model has no heads");
    heads = own;
    network = await SoundNetwork.open(heads.soundsFile, heads.sounds.length);
  });

  it("decide between the texts of a beam search where the sounds are given", async () => {
    // Where all letters are equally likely, more of them have more alignments.
    const shares = { lettersShare: 1, soundsShare: 0, wordsShare: 0 };
    const anything = { ...heads, ...shares, letters: indifferent(heads.letters, 0) };
    expect((await heard(anything, clip, anySounds(0))).length).toBeGreaterThan((await heard(undefined, clip)).length);
    expect(await heard(anything, clip)).toBe(await heard(undefined, clip));
  });

  it("drop a text whose letters or sounds are less probable than none", async () => {
    expect(await heard(heads, clip, network.hear(clip))).not.toBe("");
    expect(await heard({ ...heads, letters: indifferent(heads.letters, 9) }, clip, network.hear(clip))).toBe("");
    expect(await heard(heads, clip, anySounds(9))).toBe("");
  });

  it("find the text by its sounds alone, with its times", async () => {
    const shares = { lettersShare: 0, soundsShare: 1, wordsShare: 0.5 };
    const spoken = clip16k("flite-timer.wav");
    const { tokens } = await load({ ...heads, ...shares })
      .createLane()
      .transcribe(spoken, { ...options, sounds: network.hear(spoken) });
    expect(tokens.map(({ bytes }) => bytes).join("")).toBe(" set a timer for ten minutes");
    const times = tokens.map(({ alignedSeconds }) => alignedSeconds);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.every((seconds) => seconds >= 0 && seconds <= spoken.length / 16_000)).toBe(true);
  });

  it("leave a lane usable after an abort", async () => {
    const lane = load(heads).createLane();
    const withSounds = { ...options, sounds: network.hear(clip) };
    const aborted = lane.transcribe(clip, withSounds);
    lane.abort();
    await expect(aborted).rejects.toMatchObject({ code: "ABORTED" });
    expect((await lane.transcribe(clip, withSounds)).tokens.length).toBeGreaterThan(0);
  });

  it("refuse sounds of another network, and a model without heads refuses all", () => {
    const sounds = new Float32Array(42);
    expect(() =>
      load(heads)
        .createLane()
        .transcribe(clip, { ...options, sounds }),
    ).toThrow(/not those of this model/u);
    expect(() =>
      load(undefined)
        .createLane()
        .transcribe(clip, { ...options, sounds }),
    ).toThrow(/not those of this model/u);
  });
});

describe("the sound network", () => {
  it("is refused with its path when it is missing, damaged, or knows other sounds", async () => {
    const path = readCtcHeads(STARTER_MODEL)?.soundsFile ?? "";
    const missing = join(temporaryFolder(), "model.sounds.onnx");
    await expect(SoundNetwork.open(missing, 40)).rejects.toThrow(missing);
    writeFileSync(missing, readFileSync(path).subarray(0, 1000));
    await expect(SoundNetwork.open(missing, 40)).rejects.toThrow(missing);
    await expect(SoundNetwork.open(path, 39)).rejects.toThrow(/it knows 40 sounds instead of 39/u);
  });

  it("hears a position each 30 ms, with probabilities", async () => {
    const heads = readCtcHeads(STARTER_MODEL);
    const network = await SoundNetwork.open(heads?.soundsFile ?? "", 40);
    const sounds = network.hear(clip16k("flite-timer.wav").subarray(0, 16_000));
    // 1 s, 0.5 s of silence after it, and the first position.
    expect(sounds.length).toBe((1500 / 30 + 1) * 41);
    expect(sounds.subarray(0, 41).reduce((sum, part) => sum + part)).toBeCloseTo(1, 4);
  });
});

it("without a sound of the words are refused with its name", () => {
  const heads = readCtcHeads(STARTER_MODEL);
  if (heads === undefined) throw new Error("the starter model has no heads");
  const sounds = heads.sounds.map((sound) => (sound === "zh" ? "other" : sound));
  expect(() => load({ ...heads, sounds })).toThrow(/a sound .* does not hear: zh/u);
});

it("for a model of another width are refused", () => {
  expect(() => load(readCtcHeads(beside(HEADS)))).toThrow(/width 1/u);
});

it.each([
  ["missing", undefined],
  ["of another kind", () => Buffer.from("OAKNGRAMS")],
  ["empty", () => Buffer.alloc(0)],
  ["cut", (whole: Buffer) => whole.subarray(0, whole.length - 1)],
  ["with a count of words that is too large", (whole: Buffer) => withCount(whole, 8, 0xffffffff)],
  ["with a count of texts that is too large", (whole: Buffer) => withCount(whole, 20, 0xffffffff)],
])("a file of words that is %s is refused with its path", (_, damage) => {
  const path = beside(JSON.parse(readFileSync(STARTER_MODEL.replace(".bin", ".heads.json"), "utf8")));
  copyFileSync(STARTER_MODEL, path);
  const words = path.replace(".bin", ".words");
  if (damage !== undefined) writeFileSync(words, damage(readFileSync(STARTER_MODEL.replace(".bin", ".words"))));
  expect(() => load(readCtcHeads(path))).toThrow(`${words} is missing or damaged`);
});

function withCount(whole: Buffer, at: number, count: number): Buffer {
  whole.writeUInt32LE(count, at);
  return whole;
}
