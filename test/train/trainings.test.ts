import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { getLlama, LlamaLogLevel } from "node-llama-cpp";
import { beforeAll, describe, expect, it } from "vitest";
import { loadModelCatalog, modelFor, modelPath } from "../../src/config/model-catalog.ts";
import { startEmotion } from "../../src/engines/emotion/emotion-engine.ts";
import { loadEndOfTurn } from "../../src/engines/end-of-turn/onnx-end-of-turn.ts";
import { startLlama } from "../../src/engines/llm/llama/llama-engine.ts";
import { silentLog } from "../../src/shared/log.ts";
import { noTools, textOf } from "../../src/engines/llm/language-model.ts";
import { clip16k } from "../engines/stt/support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { canTrain, data, train } from "./training.ts";

const { signal } = new AbortController();
let folder: string;

// A model of a smoke run is useless. These tests check that the engines load it and answer.
describe.runIf(canTrain)("the training commands on little data", () => {
  const path = (name: string) => join(folder, name);
  beforeAll(() => {
    folder = temporaryFolder();
    for (const name of ["work", "tts", "llm", "emotion"]) mkdirSync(path(name));
  });

  it("gives the words of a call the pieces that they have in the caller's words", async () => {
    const [file, out] = [modelPath(modelFor(loadModelCatalog(), "llm", "starter"), ""), path("llm/twins.gguf")];
    train("scripts/train/llm/add_twins.py", "--file", file, "--out", out);
    const llama = await getLlama({ build: "never", gpu: false, logLevel: LlamaLogLevel.error, progressLogs: false });
    const model = await llama.loadModel({ modelPath: out, vocabOnly: true });
    const pieces = (text: string) => model.tokenize(text).map((token) => model.detokenize([token]));
    for (const word of ["bread", "appointment", "ticket", "Thursday", "account"])
      expect(pieces(`"${word}"`).slice(1, -1)).toEqual(pieces(` ${word}`).map((piece) => piece.trimStart()));
    await llama.dispose();
  });

  it("trains a language model that llama.cpp runs, and continues the training", async () => {
    const command = ["scripts/train/llm/train.py", "--data", join(data, "text"), "--work", path("work"), "--smoke"];
    train(...command, "--out", path("llm/first.gguf"));
    const [first, out] = [path("llm/first.gguf"), path("llm/starter.gguf")];
    const further = [...command, "--out", out, "--start-from", first, "--focus", first];
    train(...further);
    expect(train(...further, "--exercises", "--resume")).toMatch(/^goes on after \d+ steps/mu);
    const llm = await startLlama(
      { modelPath: path("llm/starter.gguf"), gpu: "off", sequences: 1, contextTokens: 512, threads: 1 },
      silentLog,
    );
    const session = llm.open();
    const pieces: string[] = [];
    const messages = [{ role: "user", content: "hello" }] as const;
    for await (const piece of textOf(session.generate({ ...noTools, messages, maxTokens: 8, temperature: 0 }, signal)))
      pieces.push(piece);
    expect(pieces.length).toBeLessThanOrEqual(8);
    session.close();
    await llm.close();
  });

  it("trains an emotion classifier that onnxruntime runs", async () => {
    const command = ["scripts/train/emotion/train.py", "--data", data, "--out", path("emotion"), "--smoke"];
    train(...command, "--work", path("work"));
    // The second run reads the networks of the first one.
    expect(train(...command, "--work", path("work"))).toMatch(/read network-/u);
    const emotion = await startEmotion({ modelPath: path("emotion/emotion.onnx") }, silentLog);
    const scores = await emotion.classify(clip16k("flite-time.wav"), signal);
    expect(Object.values(scores).reduce((sum, score) => sum + score, 0)).toBeCloseTo(1, 3);
    await emotion.close();
  });

  it("trains an end-of-turn model that onnxruntime runs", async () => {
    const silero = modelPath(modelFor(loadModelCatalog(), "vad", "starter"), "");
    const files = ["--data", data, "--silero", silero, "--out", path("turn"), "--work", path("work")];
    train("scripts/train/turn/train.py", ...files, "--smoke");
    expect(train("scripts/train/turn/train.py", ...files, "--smoke")).toMatch(/read network-/u);
    const model = await loadEndOfTurn(path("turn/turn.onnx"));
    const probability = await model.probabilityOver(clip16k("flite-time.wav"), 300);
    expect(probability).toBeGreaterThanOrEqual(0);
    await model.close();
  });
});
