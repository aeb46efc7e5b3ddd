import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadAddon, type DecodeOptions } from "../../../src/engines/stt/addon.ts";
import { readCtcHeads, type CtcHead, type CtcHeads } from "../../../src/engines/stt/ctc-heads.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { clip16k, noise, STARTER_MODEL } from "./support.ts";

const HEAD = { symbols: ["a", "b"], biases: [0, 1, 2], weights: [[1], [2], [3]] };
const HEADS = { letters: HEAD, sounds: HEAD, lettersShare: 0.2, soundsShare: 0.3, wordsShare: 0.4 };

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
    sounds: head,
    wordsFile: path.replace(".bin", ".words"),
  });
  expect(readCtcHeads(join(temporaryFolder(), "model.bin"))).toBeUndefined();
  expect(readCtcHeads(STARTER_MODEL)?.letters.symbols).toContain("a");
});

it.each([
  ["no JSON", "{"],
  ["a share above 1", { ...HEADS, wordsShare: 2 }],
  ["shares of more than 1 together", { ...HEADS, lettersShare: 0.8 }],
  ["a missing row", { ...HEADS, letters: { ...HEAD, weights: [[1], [2]] } }],
  ["a missing bias", { ...HEADS, sounds: { ...HEAD, biases: [0, 1] } }],
  ["rows of two lengths", { ...HEADS, sounds: { ...HEAD, weights: [[1], [2], [3, 4]] } }],
])("with %s are refused with their path", (_, heads) => {
  expect(() => readCtcHeads(beside(heads))).toThrow(/model\.heads\.json/u);
});

const addon = loadAddon();
const loading = { alignment: "all", alignmentLayers: 1, flashAttention: false, gpu: false };
const options: DecodeOptions = { audioContext: 192, threads: 1, beams: 5, temperatureStep: 0, language: "en" };
const load = (heads: CtcHeads | undefined) => addon.loadModel(STARTER_MODEL, { ...loading, heads });

async function heard(heads: CtcHeads | undefined, clip: Float32Array, beams = 5): Promise<string> {
  const { tokens } = await load(heads)
    .createLane()
    .transcribe(clip, { ...options, beams });
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
  // The hiss makes the model unsure, so that the texts of the beams differ in length.
  const hiss = noise(4, 0.02);
  const clip = clip16k("flite-timer.wav").map((sample, at) => sample + (hiss[at] ?? 0));

  beforeAll(() => {
    const own = readCtcHeads(STARTER_MODEL);
    if (own === undefined) throw new Error("the starter model has no heads");
    heads = own;
  });

  it("decide between the texts of a beam search, and leave a greedy decode alone", async () => {
    // Where all letters are equally likely, more of them have more alignments.
    const shares = { lettersShare: 1, soundsShare: 0, wordsShare: 0 };
    const anything = {
      ...heads,
      ...shares,
      letters: indifferent(heads.letters, 0),
      sounds: indifferent(heads.sounds, 0),
    };
    expect((await heard(anything, clip)).length).toBeGreaterThan((await heard(undefined, clip)).length);
    expect(await heard(anything, clip, 1)).toBe(await heard(undefined, clip, 1));
  });

  it.each(["letters", "sounds"] as const)("drop a text whose %s are less probable than none", async (name) => {
    expect(await heard(heads, clip)).not.toBe("");
    expect(await heard({ ...heads, [name]: indifferent(heads[name], 9) }, clip)).toBe("");
  });

  it("find the text by its sounds alone, with its times", async () => {
    const shares = { lettersShare: 0, soundsShare: 1, wordsShare: 0.5 };
    const spoken = clip16k("flite-timer.wav");
    const { tokens } = await load({ ...heads, ...shares })
      .createLane()
      .transcribe(spoken, options);
    expect(tokens.map(({ bytes }) => bytes).join("")).toBe(" set a timer for ten minutes");
    const times = tokens.map(({ alignedSeconds }) => alignedSeconds);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.every((seconds) => seconds >= 0 && seconds <= spoken.length / 16_000)).toBe(true);
  });

  it("leave a lane usable after an abort", async () => {
    const lane = load(heads).createLane();
    const aborted = lane.transcribe(clip, options);
    lane.abort();
    await expect(aborted).rejects.toMatchObject({ code: "ABORTED" });
    expect((await lane.transcribe(clip, options)).tokens.length).toBeGreaterThan(0);
  });
});

it("without a sound of the words are refused with its name", () => {
  const heads = readCtcHeads(STARTER_MODEL);
  if (heads === undefined) throw new Error("the starter model has no heads");
  const symbols = heads.sounds.symbols.map((sound) => (sound === "zh" ? "other" : sound));
  expect(() => load({ ...heads, sounds: { ...heads.sounds, symbols } })).toThrow(/a sound .* do not hear: zh/u);
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
