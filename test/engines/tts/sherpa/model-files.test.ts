import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { findVoiceFiles, speakerNumber } from "../../../../src/engines/tts/sherpa/model-files.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

describe("findVoiceFiles", () => {
  let dir: string;
  const put = (name: string, content = ""): Promise<void> => writeFile(path.join(dir, name), content);
  beforeEach(async () => {
    dir = temporaryFolder();
  });

  it("finds a voice whose words this program reads", async () => {
    const names = ["lexicon.txt.gz", "parts-of-speech.txt.gz", "unknown-words.onnx", "unknown-words.json"];
    for (const name of ["model.onnx", "tokens.txt", ...names]) await put(name);
    await put("model.onnx.json", JSON.stringify({ speaker_id_map: { heart: 0 } }));
    const vits = {
      model: path.join(dir, "model.onnx"),
      tokens: path.join(dir, "tokens.txt"),
      lexicon: "",
      dataDir: "",
    };
    const speakers = new Map([["heart", 0]]);
    expect(await findVoiceFiles(dir)).toEqual({ model: { vits }, pronunciation: dir, speakers });
  });

  it("recognises Kokoro by its voices file and Matcha by its vocoder", async () => {
    for (const name of ["model-steps-3.onnx", "vocos-22khz-univ.onnx", "tokens.txt"]) await put(name);
    await mkdir(path.join(dir, "espeak-ng-data"));
    const matcha = await findVoiceFiles(dir);
    expect(matcha.model).toHaveProperty("matcha.acousticModel", path.join(dir, "model-steps-3.onnx"));
    expect(matcha.model).toHaveProperty("matcha.vocoder", path.join(dir, "vocos-22khz-univ.onnx"));
    await put("voices.bin");
    expect((await findVoiceFiles(dir)).model).toHaveProperty("kokoro.voices", path.join(dir, "voices.bin"));
  });

  it("finds a Piper voice with its speakers' names", async () => {
    await put("en_GB-two-medium.onnx");
    await put("en_GB-two-medium.onnx.json", JSON.stringify({ num_speakers: 2, speaker_id_map: { anne: 0, bob: 1 } }));
    await put("tokens.txt");
    await mkdir(path.join(dir, "espeak-ng-data"));
    const files = await findVoiceFiles(dir);
    expect(files).toMatchObject({ pronunciation: "", model: { vits: { dataDir: path.join(dir, "espeak-ng-data") } } });
    expect(speakerNumber("bob", files.speakers, 2)).toBe(1);
    expect(speakerNumber("carol", files.speakers, 2)).toBe(0);
    expect(speakerNumber("1", files.speakers, 2)).toBe(1);
    expect(speakerNumber("2", files.speakers, 2)).toBe(0);
  });

  it.each([
    [["tokens.txt", "lexicon.txt"], /has no \.onnx file/],
    [["a.onnx", "b.onnx", "tokens.txt", "lexicon.txt"], /one named "model\.onnx"/],
    [["model.onnx", "lexicon.txt"], /no tokens\.txt/],
    [["model.onnx", "tokens.txt"], /no espeak-ng-data/],
    // sherpa-onnx would print the words that the lexicon lacks.
    [["model.onnx", "tokens.txt", "lexicon.txt"], /no espeak-ng-data/],
    [["model.onnx", "tokens.txt", "lexicon.txt.gz"], /no parts-of-speech\.txt\.gz/],
  ])("names the files that %j lacks", async (names, message) => {
    for (const name of names) await put(name);
    await expect(findVoiceFiles(dir)).rejects.toThrow(message);
  });
});
