import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../src/shared/package-root.ts";
import { silentLog } from "../../src/shared/log.ts";
import { openOnnxSession } from "../../src/engines/onnx/onnx-session.ts";
import { startSherpa } from "../../src/engines/tts/sherpa/sherpa-engine.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const starter = (path: string) => join(packageRoot, "models", "starter", path);
const folder = temporaryFolder();
const SAID = "is truncated or damaged, or not of the right kind";

test.each([0, 1_000, -1])("the error for an ONNX model that ends at byte %d names it and the remedy", async (end) => {
  const file = join(folder, "cut.onnx");
  writeFileSync(file, readFileSync(starter("emotion/emotion.onnx")).subarray(0, end));
  await expect(openOnnxSession(file, "the emotion model")).rejects.toThrow(
    `the emotion model: ${file} cannot be used (${file} ${SAID}). Install the model again, or name another file.`,
  );
});

test("the error for a truncated voice names it and the remedy", async () => {
  const modelDir = join(folder, "tts");
  cpSync(starter("tts"), modelDir, { recursive: true });
  const model = join(modelDir, "model.onnx");
  writeFileSync(model, readFileSync(model).subarray(0, -1));
  await expect(startSherpa({ modelDir, threads: 1 }, silentLog)).rejects.toThrow(
    `Cannot start the speech synthesis model (${modelDir}): ${model} ${SAID}. Install the model again, or configure another one.`,
  );
});
