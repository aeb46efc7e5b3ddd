import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { readSoundModel } from "../../src/engines/stt/sound-model.ts";
import { startWhisperCpp } from "../../src/engines/stt/whisper-cpp.ts";
import { silentLog } from "../../src/shared/log.ts";
import { clip16k } from "../engines/stt/support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { canTrain, data, train } from "./training.ts";

const { signal } = new AbortController();
let folder: string;

// A model of a smoke run is useless. These tests check that the engine loads it and answers.
describe.runIf(canTrain)("the training of the recogniser on little data", () => {
  const path = (name: string) => join(folder, name);
  beforeAll(() => {
    folder = temporaryFolder();
    for (const name of ["work", "stt"]) mkdirSync(path(name));
  });

  it("trains a recogniser that whisper.cpp runs, and continues the training", async () => {
    const command = [
      "-m",
      "scripts.train.stt.run",
      "--data",
      data,
      "--work",
      path("work"),
      "--out",
      path("stt"),
      "--smoke",
    ];
    train(...command);
    const stt = await startWhisperCpp({ path: path("stt/ggml-starter.bin") }, silentLog);
    const recognizer = stt.open();
    const clip = { samples: clip16k("flite-time.wav"), kind: "final", language: "en" } as const;
    expect(typeof (await recognizer.transcribe(clip, signal)).text).toBe("string");
    recognizer.close();
    await stt.close();
    const first = readFileSync(path("stt/ggml-starter.bin"));
    const merges = () =>
      (JSON.parse(readFileSync(path("work/pieces.json"), "utf8")) as { model: { merges: string[][] } }).model.merges;
    const before = merges();
    rmSync(path("work/pieces.json"));
    const stages = ["--stages", "train", "sounds", "export", "--mix-sounds", path("stt/ggml-starter.sounds.onnx")];
    train(...command, ...stages, "--start-from", path("stt/ggml-starter.bin"), "--width", "96", "--processes", "1");
    expect(statSync(path("stt/ggml-starter.bin")).size).toBeGreaterThan(first.length);
    expect(readSoundModel(path("stt/ggml-starter.bin"))).toBeDefined();
    // The word pieces are read from the file from which the training continues.
    expect(merges()).toEqual(before);
    // A mean that has the whole share of another network is that network.
    copyFileSync(path("stt/ggml-starter.sounds.onnx"), path("other.onnx"));
    const other = readFileSync(path("other.onnx"));
    const mixed = (share: string) => {
      train(...command, "--stages", "export", "--mix-sounds", path("other.onnx"), "--mix-sounds-share", share);
      return readFileSync(path("stt/ggml-starter.sounds.onnx"));
    };
    expect(mixed("1").equals(other)).toBe(true);
    expect(mixed("0").equals(other)).toBe(false);
  });

  it("sums over all alignments for the loss of the sound network", () => {
    train("-m", "scripts.train.stt.check_sound_loss");
  });
});
