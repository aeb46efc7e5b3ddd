import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../../src/shared/package-root.ts";
import { KOKORO_82M, kokoroFile } from "../../../src/operator/rehearse/kokoro-file.ts";
import { bytesOf, writePieces } from "../../../src/operator/rehearse/write-pieces.ts";
import { silentLog } from "../../../src/shared/log.ts";
import { VOICE_TEXT_FILES } from "../../../src/engines/tts/sherpa/model-files.ts";
import { startSherpa } from "../../../src/engines/tts/sherpa/sherpa-engine.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const { signal } = new AbortController();

test("a voice with the shape of a Kokoro voice makes audible sound of speech length", async () => {
  for (const name of VOICE_TEXT_FILES)
    copyFileSync(join(packageRoot, "models", "starter", "tts", name), join(folder, name));
  const bert = { width: 32, heads: 2, feedForward: 64, layers: 2 };
  const small = { ...KOKORO_82M, style: 8, hidden: 32, bert, decoderWidth: 64 };
  await writePieces(join(folder, "model.onnx"), kokoroFile(small), signal, () => undefined);

  const tts = await startSherpa({ modelDir: folder, threads: 1 }, silentLog);
  expect(tts.sampleRateHz).toBe(24_000);
  const samples = await tts.synthesize({ text: "What time is it in the kitchen?", voice: "", speed: 1 }, signal);
  const seconds = samples.length / tts.sampleRateHz;
  expect(seconds).toBeGreaterThan(1);
  expect(seconds).toBeLessThan(3);
  expect(samples.every((sample) => Number.isFinite(sample))).toBe(true);
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  expect(10 * Math.log10(power)).toBeGreaterThan(-30);
  await tts.close();
});

test("a voice with 82 million weights has the size of the published model", () => {
  expect(bytesOf(kokoroFile(KOKORO_82M)) / 4 / 81.8e6).toBeCloseTo(1, 1.5);
});
