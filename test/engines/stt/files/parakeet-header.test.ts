import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { loadAddon } from "../../../../src/engines/stt/whisper/addon.ts";
import { type DecodeOptions } from "../../../../src/engines/stt/decoded.ts";
import { checkParakeetFile, isParakeetFile } from "../../../../src/engines/stt/files/parakeet-header.ts";
import { noise, STARTER_MODEL } from "../support.ts";
import { TINY_PARAKEET, writeParakeet } from "../tiny-parakeet.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const folder = temporaryFolder();
const path = join(folder, "changed.bin");
let whole: Buffer;
beforeAll(async () => (whole = readFileSync(await writeParakeet(join(folder, "whole.bin")))));

const HEADER_INTS = 16;
const FILTERS_AT = HEADER_INTS * 4;
const COLUMNS = 257;
const WINDOW_AT = FILTERS_AT + 8 + TINY_PARAKEET.mels * COLUMNS * 4;
const DURATIONS_AT = WINDOW_AT + 4 + 400 * 4;
const WORDS_AT = DURATIONS_AT + 5 * 4;

function withInts(changes: Readonly<Record<number, number>>): string {
  const bytes = Buffer.from(whole);
  for (const [at, value] of Object.entries(changes)) bytes.writeInt32LE(value, Number(at));
  writeFileSync(path, bytes);
  return path;
}

describe("a Parakeet file", () => {
  it("differs from a Whisper file in its header", () => {
    writeFileSync(path, whole);
    expect(isParakeetFile(path)).toBe(true);
    checkParakeetFile(path);
    expect(isParakeetFile(STARTER_MODEL)).toBe(false);
    expect(isParakeetFile(join(folder, "none.bin"))).toBe(false);
    expect(isParakeetFile(import.meta.filename)).toBe(false);
  });

  it("is refused when it is truncated anywhere", () => {
    const cut = fc.oneof(fc.nat(WORDS_AT + 500), fc.nat(whole.length - 1));
    // whisper.cpp detects a missing tensor itself.
    const withoutLastTensor = whole.lastIndexOf("joint.joint_net.2.bias") - 16;
    const load = () => {
      checkParakeetFile(path);
      loadAddon().loadParakeet(path, { gpu: false });
    };
    fc.assert(
      fc.property(cut, (length) => {
        writeFileSync(path, whole.subarray(0, length));
        expect(load).toThrow(/changed\.bin cannot be loaded|not all tensors loaded/u);
      }),
      { examples: [[withoutLastTensor]] },
    );
  });

  it.each([
    ["more words than outputs", { [WORDS_AT]: 31 }, /vocabulary is damaged/u],
    ["a word of two gigabytes", { [WORDS_AT + 4]: 2 ** 31 - 1 }, /vocabulary is damaged/u],
    ["a duration that leads backwards", { [DURATIONS_AT]: -1 }, /durations are damaged/u],
    ["a window longer than the transform", { [WINDOW_AT]: 513 }, /filters are damaged/u],
    ["filters of another size", { [FILTERS_AT + 4]: 200 }, /filters are damaged/u],
    ["another number of frames a step", { [9 * 4]: 4 }, /header is damaged/u],
    ["heads that do not divide the width", { [4 * 4]: 3 }, /header is damaged/u],
    ["an even kernel", { [11 * 4]: 8 }, /header is damaged/u],
    ["an unknown packing", { [7 * 4]: 5 }, /header is damaged/u],
    ["blocks that its rows do not fill", { [7 * 4]: 2012 }, /header is damaged/u],
  ])("is refused with %s", (_what, changes, reason) => {
    expect(() => checkParakeetFile(withInts(changes))).toThrow(reason);
  });

  // A crash of the library ends this process and fails the test.
  it("is refused or decoded with any damage", async () => {
    const options: DecodeOptions = {
      audioContext: 0,
      threads: 1,
      beams: 1,
      maxTokens: 0,
      alignsWords: true,
      language: "",
    };
    const clip = noise(1, 0.1);
    const at = fc.oneof(
      fc.integer({ min: 1, max: HEADER_INTS + 1 }).map((index) => index * 4),
      fc.constantFrom(WINDOW_AT, DURATIONS_AT, DURATIONS_AT + 4, DURATIONS_AT + 16, WORDS_AT, WORDS_AT + 4),
      fc.nat(whole.length - 4),
    );
    const value = fc.oneof(
      fc.integer({ min: -1, max: 20 }),
      fc.constantFrom(32, 64, 128, 512, 5000, 8192),
      fc.integer(),
    );
    const change = fc.dictionary(at.map(String), value, { minKeys: 1, maxKeys: 2 });
    let decoded = 0;
    const decode = async (changes: Readonly<Record<string, number>>) => {
      withInts(changes);
      try {
        checkParakeetFile(path);
        await loadAddon().loadParakeet(path, { gpu: false }).createLane().transcribe(clip, options);
        decoded += 1;
      } catch (error) {
        expect(String(error)).not.toMatch(/no reason given/u);
      }
    };
    await fc.assert(fc.asyncProperty(change, decode), { numRuns: 500 });
    expect(decoded).toBeGreaterThan(0);
  });
});
