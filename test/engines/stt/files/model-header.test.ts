import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { checkModelFile } from "../../../../src/engines/stt/files/model-header.ts";
import { WHISPER_LANGUAGES } from "../../../../src/engines/stt/files/whisper-languages.ts";
import { CUT_BETWEEN_TENSORS, DAMAGED_MODELS, withShape } from "../damaged-models.ts";
import { STARTER_MODEL } from "../support.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

let folder: string;
beforeAll(() => (folder = temporaryFolder()));

describe("a Whisper model", () => {
  it("is read to its end and is complete", () => {
    checkModelFile(STARTER_MODEL);
    expect(() => checkModelFile(join(folder, "none.bin"))).toThrow(/none\.bin cannot be loaded: ENOENT/u);
  });

  it.each(DAMAGED_MODELS)("is refused when it %s", (_what, content, reason) => {
    const path = join(folder, "damaged.bin");
    writeFileSync(path, content);
    expect(() => checkModelFile(path)).toThrow(reason);
    expect(() => checkModelFile(path)).toThrow(path);
  });

  it("is left to whisper.cpp when it lacks tensors", () => {
    const path = join(folder, "short.bin");
    writeFileSync(path, CUT_BETWEEN_TENSORS);
    checkModelFile(path);
  });

  it.each([
    ["the starter", {}, "base", true],
    ["base.en", { vocabulary: 51_864 }, "base.en", true],
    ["medium", { width: 1_024, layers: 24 }, "medium", true],
    ["large-v2", { width: 1_280, layers: 32 }, "large-v2", true],
    ["large-v3", { vocabulary: 51_866, width: 1_280, layers: 32 }, "large-v3", true],
    ["large-v3-turbo", { vocabulary: 51_866, width: 1_280, layers: 4 }, "large-v3-turbo", true],
    ["a distilled small.en", { vocabulary: 51_864, width: 768, layers: 4 }, undefined, true],
    ["a model of an own width", { width: 288 }, undefined, false],
  ])("is identified by its shape, not its name: %s", (_what, shape, published, wants30Seconds) => {
    const path = join(folder, "any-name.bin");
    writeFileSync(path, withShape(shape));
    const isEnglish = "vocabulary" in shape && shape.vocabulary === 51_864;
    expect(checkModelFile(path)).toEqual({
      published,
      wants30Seconds,
      languages: isEnglish ? ["en"] : WHISPER_LANGUAGES,
    });
  });
});
