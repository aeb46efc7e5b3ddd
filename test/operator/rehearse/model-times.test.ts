import { mkdtempSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadModelCatalog, modelFor, namedModel } from "../../../src/config/model-catalog.ts";
import { loadServerConfig } from "../../../src/config/server-config.ts";
import { writeEmptyModel } from "../../../src/operator/rehearse/empty-model.ts";
import { timesOf } from "../../../src/operator/rehearse/model-times.ts";
import { timeAlone } from "../../../src/operator/rehearse/time-model.ts";
import { whisperOperations } from "../../../src/operator/rehearse/whisper-cost.ts";
import { ggufHeaderBytes } from "../../../src/resources/gguf-header.ts";
import { llamaFile } from "../../support/models/llama-file.ts";
import type { LlamaShape } from "../../support/models/llama-shape.ts";
import { bytesOf, writePieces } from "../../support/models/write-pieces.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const catalog = loadModelCatalog();
const { models } = loadServerConfig(undefined, {}).config;
const { signal } = new AbortController();
const options = { catalog, models, dataDir: join(folder, "data"), folder, signal };

const SHAPES = {
  qwen3: { architecture: "qwen3", layers: 2, isTied: true },
  qwen35: {
    architecture: "qwen35",
    layers: 4,
    attention: [3],
    delta: { keyHeads: 2, valueHeads: 4, headWidth: 64 },
    isTied: true,
  },
  lfm2: { architecture: "lfm2", heads: 8, layers: 4, attention: [2], isTied: true },
} as const;

const shapeOf = (name: keyof typeof SHAPES): LlamaShape => ({
  vocabulary: 32_768,
  width: 512,
  heads: 4,
  keyHeads: 2,
  headWidth: 64,
  feedForward: 1_024,
  ...SHAPES[name],
});

let server: Server;
let origin = "";
const files = new Map<string, Buffer>();

beforeAll(async () => {
  for (const name of ["qwen3", "qwen35", "lfm2"] as const) {
    const path = join(folder, `${name}.gguf`);
    await writePieces(path, llamaFile(shapeOf(name), "q4_k_m", ["the", "real", "models"]), signal, () => undefined);
    files.set(`/${name}`, readFileSync(path));
  }
  files.set("/other", Buffer.alloc(100_000, 7));
  files.set("/cut", files.get("/qwen3")!.subarray(0, 50_000));
  server = createServer((request, response) => {
    const file = files.get(request.url ?? "");
    if (file === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-length": file.length }).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  origin = `http://127.0.0.1:${String(typeof address === "object" ? address?.port : "")}`;
});

afterAll(() => void server.close());

test.each(["qwen3", "qwen35", "lfm2"] as const)(
  "a language model of %s without weights can be timed, and takes the disk of its header",
  async (name) => {
    const path = join(mkdtempSync(join(folder, "work-")), "empty.gguf");
    await writeEmptyModel(`${origin}/${name}`, path, signal);
    const published = files.get(`/${name}`)!;
    const header = ggufHeaderBytes(published) ?? 0;
    const { size, blocks } = statSync(path);
    expect(size).toBe(published.length);
    expect(512 * blocks).toBeLessThan(header + 16_384);
    expect(readFileSync(path).subarray(0, header).equals(published.subarray(0, header))).toBe(true);
    const times = await timeAlone(modelFor(catalog, "llm", "cpu"), path, true, models, signal);
    expect(times.prefillTokensPerSecond).toBeGreaterThan(1);
    expect(times.decodeTokensPerSecond).toBeGreaterThan(1);
  },
);

test("the header ends where the weights begin", () => {
  const pieces = llamaFile(shapeOf("qwen3"), "q4_k_m", []);
  const firstWeight = pieces.findIndex((piece) => !Buffer.isBuffer(piece));
  const file = Buffer.concat(pieces.slice(0, firstWeight).filter((piece) => Buffer.isBuffer(piece)));
  expect(ggufHeaderBytes(file)).toBe(bytesOf(pieces.slice(0, firstWeight)));
  for (const length of [0, 3, 20, 1_000, file.length - 33])
    expect(ggufHeaderBytes(file.subarray(0, length))).toBeUndefined();
});

test.each([
  ["missing", /answered 404/u],
  ["other", /not a GGUF file/u],
  ["cut", /ends in its header/u],
])("a file that is %s is named with the reason", async (name, reason) => {
  const writing = writeEmptyModel(`${origin}/${name}`, join(folder, "none.gguf"), signal);
  await expect(writing).rejects.toThrow(reason);
  await expect(writing).rejects.toMatchObject({ code: "REHEARSAL_FAILED" });
});

test("a missing Whisper is computed from the one that ships, and Parakeet is not", async () => {
  const cpu = { ...options, models: { ...models, stt: { ...models.stt, gpu: "off" as const } } };
  const times = await timesOf(namedModel(catalog, "stt", "whisper-small.en-q5_1"), cpu);
  expect(times).toEqual({ found: "computed", decodeMs: expect.any(Number), threads: expect.any(Number) });
  await expect(timesOf(namedModel(catalog, "stt", "parakeet-tdt-0.6b-v3-q8_0"), cpu)).rejects.toThrow(
    /only a Whisper can be computed/u,
  );
});

test("the starter voice is timed instead of a missing one", async () => {
  const times = await timesOf(modelFor(catalog, "tts", "cpu"), options);
  expect(times).toEqual({ found: "other voice", clauseMs: expect.any(Number) });
});

test("a decode takes two operations per weight for each position and token, and more with a long context", () => {
  const encoderWeights = 18.9e6;
  const base = (positions: number) => whisperOperations("whisper-base.en-q8_0", positions) ?? NaN;
  expect(base(256) / (2 * encoderWeights * 256)).toBeGreaterThan(1.3);
  expect(base(1_500) / base(256)).toBeGreaterThan(1_500 / 256);
  expect((whisperOperations("whisper-acft-small.en-q8_0", 256) ?? NaN) / base(256)).toBeGreaterThan(3);
  expect(whisperOperations("parakeet-tdt-0.6b-v3-q8_0", 256)).toBeUndefined();
});
