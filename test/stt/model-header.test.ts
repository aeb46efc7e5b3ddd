import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkModelFile } from "../../src/stt/model-header.ts";
import { CUT_BETWEEN_TENSORS, DAMAGED_MODELS } from "./damaged-models.ts";
import { STARTER_MODEL } from "./support.ts";

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "oakvoice-bad-model-"))));
afterAll(() => rmSync(folder, { recursive: true }));

describe("a Whisper model", () => {
  it("is read through, and is whole", () => {
    checkModelFile(STARTER_MODEL);
    expect(() => checkModelFile(join(folder, "none.bin"))).toThrow(/none\.bin cannot be loaded: ENOENT/u);
  });

  it.each(DAMAGED_MODELS)("that %s is refused", (_what, content, reason) => {
    const path = join(folder, "damaged.bin");
    writeFileSync(path, content);
    expect(() => checkModelFile(path)).toThrow(reason);
    expect(() => checkModelFile(path)).toThrow(path);
  });

  it("that lacks tensors is left to whisper.cpp, which knows them", () => {
    const path = join(folder, "short.bin");
    writeFileSync(path, CUT_BETWEEN_TENSORS);
    checkModelFile(path);
  });

  it.each([
    ["base.en", /Whisper's base\.en .*\(2 of 4\): name it/u],
    ["large-v3", /Whisper's large-v3 .*\(2 of 4\): name it/u],
  ])("that is called %s must be that", (name, reason) => {
    const path = join(folder, `ggml-${name}.bin`);
    writeFileSync(path, readFileSync(STARTER_MODEL));
    expect(() => checkModelFile(path, name)).toThrow(reason);
  });
});
