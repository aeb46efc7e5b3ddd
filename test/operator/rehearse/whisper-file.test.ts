import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { HEARD, whisperFile, type WhisperShape } from "../../../src/operator/rehearse/whisper-file.ts";
import { bytesOf, writePieces } from "../../../src/operator/rehearse/write-pieces.ts";
import { silentLog } from "../../../src/shared/log.ts";
import { startWhisperCpp } from "../../../src/engines/stt/whisper/whisper-cpp.ts";
import { clip16k } from "../../engines/stt/support.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();

const english: WhisperShape = { vocabulary: 51_864, width: 64, heads: 2, audioLayers: 1, textLayers: 1, mels: 80 };
const multilingual: WhisperShape = { ...english, vocabulary: 51_866, mels: 128 };
const { signal } = new AbortController();

test.each([
  ["q5_0", multilingual],
  ["q5_1", english],
  ["q8_0", english],
  ["f16", english],
] as const)("a recogniser of %s returns the sentence for any input", async (packing, shape) => {
  const path = join(folder, `ggml-${packing}.bin`);
  const pieces = whisperFile(shape, packing);
  await writePieces(path, pieces, signal, () => undefined);
  expect(statSync(path).size).toBe(bytesOf(pieces));

  const stt = await startWhisperCpp({ path, threads: 1, lanes: 1 }, silentLog);
  const recognizer = stt.open();
  for (const clip of ["flite-time.wav", "flite-lights.wav"]) {
    const samples = clip16k(clip);
    const { text, words } = await recognizer.transcribe({ samples, kind: "final", language: "en" }, signal);
    expect(text).toBe(HEARD);
    expect(words.map(({ word }) => word)).toEqual(HEARD.split(" "));
  }
  await stt.close();
});

test("the same model gives the same bytes", async () => {
  const write = async (name: string) => {
    await writePieces(join(folder, name), whisperFile(english, "q8_0"), signal, () => undefined);
    return readFileSync(join(folder, name));
  };
  expect((await write("one")).equals(await write("two"))).toBe(true);
});

test("an abort ends the writing", async () => {
  const stop = new AbortController();
  const writing = writePieces(join(folder, "stopped"), whisperFile(english, "f16"), stop.signal, () => stop.abort());
  await expect(writing).rejects.toThrow(/abort/u);
});
