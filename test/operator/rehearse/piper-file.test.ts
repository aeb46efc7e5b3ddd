import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../../src/shared/package-root.ts";
import { PIPER_MEDIUM, piperFile } from "../../../src/operator/rehearse/piper-file.ts";
import { bytesOf, writePieces } from "../../../src/operator/rehearse/write-pieces.ts";
import { silentLog } from "../../../src/shared/log.ts";
import { VOICE_TEXT_FILES } from "../../../src/engines/tts/sherpa/model-files.ts";
import { startSherpa } from "../../../src/engines/tts/sherpa/sherpa-engine.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const { signal } = new AbortController();

test("a voice with the shape of a Piper voice makes audible sound of speech length", async () => {
  for (const name of VOICE_TEXT_FILES)
    copyFileSync(join(packageRoot, "models", "starter", "tts", name), join(folder, name));
  const small = { ...PIPER_MEDIUM, hidden: 32, filter: 64, layers: 1, decoderWidth: 32 };
  await writePieces(join(folder, "model.onnx"), piperFile(small), signal, () => undefined);

  const tts = await startSherpa({ modelDir: folder, threads: 1 }, silentLog);
  const samples = await tts.synthesize({ text: "What time is it in the kitchen?", voice: "", speed: 1 }, signal);
  const seconds = samples.length / tts.sampleRateHz;
  expect(seconds).toBeGreaterThan(1);
  expect(seconds).toBeLessThan(3);
  expect(samples.every((sample) => Number.isFinite(sample))).toBe(true);
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  expect(10 * Math.log10(power)).toBeGreaterThan(-30);
  await tts.close();
});

test("a voice of medium quality has the size of the published model", () => {
  // The size of Piper's medium voices without the data of espeak-ng.
  expect(bytesOf(piperFile(PIPER_MEDIUM)) / 63.2e6).toBeCloseTo(1, 1.5);
});
