import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadAddon, type DecodeOptions } from "../../../src/engines/stt/addon.ts";
import { readLetterHead } from "../../../src/engines/stt/letter-head.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { clip16k, noise, STARTER_MODEL } from "./support.ts";

const SMALL = { letters: "ab", share: 0.2, biases: [0, 1, 2], weights: [[1], [2], [3]] };

function beside(head: unknown): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "model.letters.json"), typeof head === "string" ? head : JSON.stringify(head));
  return join(folder, "model.bin");
}

it("is read from the file beside a model, and absent without it", () => {
  expect(readLetterHead(beside(SMALL))).toEqual({
    letters: "ab",
    share: 0.2,
    biases: Float32Array.of(0, 1, 2),
    weights: Float32Array.of(1, 2, 3),
  });
  expect(readLetterHead(join(temporaryFolder(), "model.bin"))).toBeUndefined();
  expect(readLetterHead(STARTER_MODEL)?.letters).toContain("abc");
});

it.each([
  ["no JSON", "{"],
  ["another share", { ...SMALL, share: 2 }],
  ["a missing row", { ...SMALL, weights: [[1], [2]] }],
  ["a missing bias", { ...SMALL, biases: [0, 1] }],
  ["rows of two lengths", { ...SMALL, weights: [[1], [2], [3, 4]] }],
])("with %s is refused with its path", (_, head) => {
  expect(() => readLetterHead(beside(head))).toThrow(/model\.letters\.json/u);
});

const addon = loadAddon();
const loading = { alignment: "all", alignmentLayers: 1, flashAttention: false, gpu: false };
const options: DecodeOptions = { audioContext: 192, threads: 1, beams: 5, temperatureStep: 0, language: "en" };
const letters = readLetterHead(STARTER_MODEL);
// The hiss makes the model unsure, so that the texts of the beams differ in length.
const hiss = noise(4, 0.02);
const clip = clip16k("flite-timer.wav").map((sample, at) => sample + (hiss[at] ?? 0));

async function heard(head: typeof letters, beams = 5): Promise<string> {
  const lane = addon.loadModel(STARTER_MODEL, { ...loading, letters: head }).createLane();
  const { tokens } = await lane.transcribe(clip, { ...options, beams });
  return tokens.map(({ bytes }) => bytes).join("");
}

/** A head that hears the same at each position of any clip. `silence`: how much likelier no letter is than each letter (log). */
function indifferent(silence: number): typeof letters {
  if (letters === undefined) throw new Error("the starter model has no letter head");
  const biases = letters.biases.map((_, symbol) => (symbol === 0 ? silence : 0));
  return { ...letters, share: 1, weights: letters.weights.map(() => 0), biases };
}

it("decides between the texts of a beam search, and leaves a greedy decode alone", async () => {
  // Where all letters are equally likely, more of them have more alignments.
  expect((await heard(indifferent(0))).length).toBeGreaterThan((await heard(undefined)).length);
  expect(await heard(indifferent(0), 1)).toBe(await heard(undefined, 1));
});

it("drops a text whose letters are less probable than a clip without letters", async () => {
  expect(await heard(undefined)).not.toBe("");
  expect(await heard(indifferent(9))).toBe("");
});

it("a head for a model of another width is refused", () => {
  const head = readLetterHead(beside(SMALL));
  expect(() => addon.loadModel(STARTER_MODEL, { ...loading, letters: head })).toThrow(/width 1/u);
});
