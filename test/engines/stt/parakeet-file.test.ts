import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HEARD, parakeetFile } from "../../support/models/parakeet-file.ts";
import { bytesOf } from "../../support/models/write-pieces.ts";
import { silentLog } from "../../../src/shared/log.ts";
import { startWhisperCpp } from "../../../src/engines/stt/whisper/whisper-cpp.ts";
import { clip16k } from "./support.ts";
import { TINY_PARAKEET, writeParakeet } from "./tiny-parakeet.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const { signal } = new AbortController();

test.each([
  ["f16", TINY_PARAKEET],
  ["q8_0", TINY_PARAKEET],
  // Blocks of 256 weights.
  ["q4_k", { ...TINY_PARAKEET, width: 256, channels: 128 }],
  ["q8_0", { ...TINY_PARAKEET, vocabulary: 1_024, predictionWidth: 640, predictionLayers: 1 }],
] as const)("a Parakeet recogniser of %s returns the sentence for any input", async (packing, shape) => {
  const path = join(folder, `parakeet-${packing}-${String(shape.predictionWidth)}.bin`);
  await writeParakeet(path, shape, packing);
  expect(statSync(path).size).toBe(bytesOf(parakeetFile(shape, packing)));

  const stt = await startWhisperCpp({ path, threads: 1, lanes: 1 }, silentLog);
  const recognizer = stt.open();
  for (const clip of ["flite-time.wav", "flite-lights.wav"]) {
    const request = { samples: clip16k(clip), kind: "final", language: "en" } as const;
    expect((await recognizer.transcribe(request, signal)).text).toBe(HEARD);
  }
  await stt.close();
});
