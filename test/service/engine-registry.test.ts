import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { voiceConfigurationSchema } from "../../src/config/voice-configuration.ts";
import { startEngines, type EngineRegistry } from "../../src/service/engine-registry.ts";
import { engineStarters } from "../../src/service/engine-starters.ts";
import { noTools } from "../../src/engines/llm/language-model.ts";
import { silentLog } from "../../src/shared/log.ts";
import { workerPids } from "../support/worker-pids.ts";
import * as chat from "../support/chat-events.ts";
import { ToolServer } from "../support/tool-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const { config } = loadServerConfig(undefined, {});
const voiceWith = (models: object) =>
  voiceConfigurationSchema.parse({ config_id: "twin", system_prompt: "You are Oak.", models });
const plain = voiceWith({});
const twin = voiceWith({ stt: "starter-stt", llm: "starter-llm", tts: "starter-tts" });

let engines: EngineRegistry;
beforeAll(async () => {
  engines = await startEngines(config, [plain, twin], silentLog);
});
afterAll(() => engines.close());

test("a configuration that names the server's own models shares the loaded models", () => {
  expect(Object.keys(engines.each(() => 1)).toSorted()).toEqual([
    "fast speech recognition",
    "language model",
    "speech recognition",
    "speech synthesis model",
  ]);
  const { stt, llm, tts } = engines.for(twin);
  const own = engines.for(plain);
  expect([stt === own.stt, llm === own.llm, tts === own.tts]).toEqual([true, true, true]);
});

test("the speaker model has a process only when a configuration asks for it at the start", async () => {
  const alone = { ...plain, config_id: "alone", only_my_caller: true };
  expect(Object.keys(engines.each(() => 1))).not.toContain("speaker model");
  const warnings: string[] = [];
  const log = pino({ level: "warn" }, { write: (line: string) => void warnings.push(line) });
  const asked = await startEngines(config, [alone], log);
  onTestFinished(() => asked.close());
  expect(Object.keys(asked.each(() => 1))).toContain("speaker model");
  expect(asked.for(alone).speaker).toBeDefined();
  const without = await startEngines(config, [plain], log);
  onTestFinished(() => without.close());
  expect(warnings).toEqual([]);
  expect(without.for(alone).speaker).toBeUndefined();
  expect(warnings.join("")).toContain("only_my_caller needs a restart");
});

test("a configuration that names another model after the start is refused with a code", () => {
  expect(() => engines.for(voiceWith({ llm: "starter-tts" }))).toThrow(
    expect.objectContaining({ code: "MODEL_NOT_LOADED" }),
  );
});

test.each([{ llm: "no-such-model" }, { llm: "starter-tts" }])("%o is refused at the start", async (models) => {
  await expect(startEngines(config, [voiceWith(models)], silentLog)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

test("the server's own model has the plain name in the metrics, even when it loads last", async () => {
  const folder = temporaryFolder();
  cpSync(config.models.tts.dir, folder, { recursive: true });
  const model = readFileSync(join(folder, "model.onnx"));
  const rate = Buffer.from("sample_rate\x12\x0524000");
  model.write("22050", model.indexOf(rate) + rate.length - 5);
  writeFileSync(join(folder, "model.onnx"), model);
  const lexicon = gunzipSync(readFileSync(join(folder, "lexicon.txt.gz"))).toString();
  const more = Array.from({ length: 3 }, (_, copy) => lexicon.replaceAll(/^(\S+)/gmu, `$1${"x".repeat(copy)}`));
  writeFileSync(join(folder, "lexicon.txt.gz"), gzipSync(more.join("")));
  const slow = { ...config, models: { ...config.models, tts: { ...config.models.tts, dir: folder } } };
  const both = await startEngines(slow, [voiceWith({ tts: "starter-tts" })], silentLog);
  onTestFinished(() => both.close());
  const rates = both.each(({ info }) => (info as { sampleRateHz?: number } | undefined)?.sampleRateHz ?? 0);
  expect(rates).toMatchObject({ "speech synthesis model": 22_050, "speech synthesis model 2": 24_000 });
});

test("a failed start does not wait for other models and leaves no process", async () => {
  const folder = temporaryFolder();
  const endless = join(folder, "never.bin");
  spawnSync("mkfifo", [endless]);
  const before = workerPids("-worker");
  expect(before).not.toEqual([]);
  const stt = { ...config.models.stt, path: endless };
  const tts = { ...config.models.tts, dir: folder };
  const start = startEngines({ ...config, models: { ...config.models, stt, tts } }, [], silentLog);
  await expect(start).rejects.toThrow(/speech synthesis model/u);
  await expect.poll(() => workerPids("-worker")).toEqual(before);
});

test("a remote language model takes no memory here, and reports its health beside the others", async () => {
  const server = await ToolServer.start(chat.token);
  onTestFinished(() => server.close());
  const llm = { engine: "openai-compatible", url: `${server.url}v1`, model: "big" };
  const file = join(temporaryFolder(), "oak.json");
  writeFileSync(file, JSON.stringify({ models: { llm }, egress: { allowed_hosts: [server.host] } }));
  const remote = await startEngines(
    loadServerConfig(file, {}).config,
    [plain, voiceWith({ llm: "starter-llm" })],
    silentLog,
  );
  onTestFinished(() => remote.close());
  expect(remote.each(({ state }) => Number(state === "ready"))).toEqual({
    "fast speech recognition": 1,
    "language model": 1,
    "language model 2": 1,
    "speech recognition": 1,
    "speech synthesis model": 1,
  });
  expect(remote.tokens()).toEqual({ prompt: 0, cached: 0, reply: 0 });
  expect(engines.tokens()).toBeUndefined();
  expect(remote.for(plain).llm).not.toBe(remote.for(voiceWith({ llm: "starter-llm" })).llm);
});

test("each engine uses the deadline of its configuration, and survives a request that misses it", async () => {
  const deadlines = Object.fromEntries(
    ["STT", "LLM", "TTS"].map((name) => [`OAKVOICE_MODELS_${name}_DEADLINE_SECONDS`, "0.001"]),
  );
  const start = engineStarters(loadServerConfig(undefined, deadlines).config, 1, silentLog);
  const [stt, llm, tts] = await Promise.all([start.stt(), start.llm(), start.tts()]);
  const processes = [...stt.parts!.map(({ process }) => process!), llm.process!, tts.process!];
  onTestFinished(async () => void (await Promise.all(processes.map((engine) => engine.close()))));
  const { signal } = new AbortController();
  const pids = processes.map(({ pid }) => pid);
  const late = { code: "ENGINE_TIMEOUT", message: expect.stringContaining("0.001 s") };
  const clip = { samples: new Float32Array(480_000), kind: "final", language: "en" } as const;
  await expect(stt.open().transcribe(clip, signal)).rejects.toMatchObject(late);
  const messages = [{ role: "user", content: "Tell me a story." }] as const;
  const request = { ...noTools, messages, maxTokens: 200, temperature: 0 };
  const text = llm.open().generate(request, signal)[Symbol.asyncIterator]();
  await expect(text.next()).rejects.toMatchObject(late);
  const clause = { text: "one two three four five six seven eight nine ten", voice: "", speed: 1 };
  await expect(tts.synthesize(clause, signal)).rejects.toMatchObject(late);
  expect(processes.map(({ pid }) => pid)).toEqual(pids);
  expect(processes.map(({ restarts }) => restarts)).toEqual(processes.map(() => 0));
});

test("replies have the temperature of the model's catalogue entry unless the voice configuration sets one", async () => {
  const llm = await engineStarters(config, 1, silentLog).llm();
  onTestFinished(() => llm.close());
  const session = llm.open();
  const write = async (temperature?: number) => {
    const messages = [{ role: "user", content: "Tell me a story." }] as const;
    const request = { ...noTools, messages, maxTokens: 40, temperature };
    let text = "";
    for await (const piece of session.generate(request, new AbortController().signal))
      text += typeof piece === "string" ? piece : "";
    return text;
  };
  const greedy = await write(0);
  expect([await write(), await write(), await write()]).toEqual([greedy, greedy, greedy]);
  const random = new Set<string>();
  for (let count = 0; count < 5; count += 1) random.add(await write(2));
  expect(random.size).toBeGreaterThan(1);
});

test("models and calls that exceed the memory are refused in one line before a model is loaded", async () => {
  const before = workerPids("-worker");
  const crowd = { ...config, limits: { ...config.limits, max_connections: 1_000_000 } };
  const alone = { ...plain, only_my_caller: true };
  await expect(startEngines(crowd, [alone], silentLog)).rejects.toMatchObject({
    code: "MEMORY_SHORT",
    message: expect.stringMatching(
      /^Not enough memory: [\d.]+ GB needed, [\d.]+ GB free \(.*1000000 calls of 2048 tokens.*; speaker recognition 0\.1 GB; .*\): lower limits\.max_connections to \d+/u,
    ),
  });
  expect(workerPids("-worker")).toEqual(before);
});
