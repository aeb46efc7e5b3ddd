import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HEARD } from "../../../support/models/parakeet-file.ts";
import { silentLog } from "../../../../src/shared/log.ts";
import { loadAddon } from "../../../../src/engines/stt/whisper/addon.ts";
import { type DecodeOptions } from "../../../../src/engines/stt/decoded.ts";
import type { SpeechToText } from "../../../../src/engines/stt/speech-to-text.ts";
import { startWhisperCpp } from "../../../../src/engines/stt/whisper/whisper-cpp.ts";
import { clip16k, noise } from "../support.ts";
import { TINY_PARAKEET, writeParakeet } from "../tiny-parakeet.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const folder = temporaryFolder();
const path = join(folder, "tiny.bin");
const never = new AbortController().signal;
beforeAll(async () => writeParakeet(path));

describe("the engine with a Parakeet model", () => {
  let stt: SpeechToText;
  beforeAll(async () => (stt = await startWhisperCpp({ path, threads: 1, lanes: 2 }, silentLog)));
  afterAll(async () => stt.close());

  const final = (samples: Float32Array, language = "en") =>
    stt.open().transcribe({ samples, kind: "final", language }, never);

  it.each([
    ["speech", clip16k("flite-time.wav")],
    ["a long clip", noise(35, 0.1)],
    ["more than the promised 35 s", noise(60, 0.1)],
    ["silence", new Float32Array(32_000)],
  ])("returns words with times and probabilities for %s", async (_what, samples) => {
    const { text, confidence, words } = await final(samples);
    // A clip beyond 36 s is cut into pieces. Each piece yields the sentence.
    expect(text.replaceAll(HEARD, "").trim()).toBe("");
    expect(text.split(HEARD)).toHaveLength(samples.length > 36 * 16_000 ? 4 : 2);
    expect(confidence).toBeGreaterThan(0.5);
    let latest = 0;
    for (const word of words) {
      expect(word.start).toBeGreaterThanOrEqual(latest);
      expect(word.end).toBeGreaterThanOrEqual(word.start);
      expect(word.confidence).toBeGreaterThan(0);
      expect(word.confidence).toBeLessThanOrEqual(1);
      latest = word.end;
    }
    expect(latest).toBeLessThanOrEqual(samples.length / 16_000);
  });

  it.each([
    [0, 0],
    [1, 4],
    [800, 4],
    [4_000, 4],
    [8_000, 5],
  ])("writes from a clip of %d samples at most %d words of the sentence", async (length, most) => {
    const { text, words } = await final(noise(length / 16_000, 0.1));
    expect(HEARD.startsWith(text), text).toBe(true);
    expect(words.length).toBeLessThanOrEqual(most);
    for (const { end } of words) expect(end).toBeLessThanOrEqual(length / 16_000);
  });

  it.each(["de", "zh", "tlh"])("detects the language itself when the configuration says %s", async (language) => {
    expect((await final(clip16k("flite-time.wav"), language)).text).toBe(HEARD);
  });

  it("rejects samples that are not finite", async () => {
    await expect(final(new Float32Array(16_000).fill(NaN))).rejects.toMatchObject({ code: "STT_FAILED" });
  });

  it("rejects an aborted request with the caller's reason, and serves the next one", async () => {
    const recognizer = stt.open();
    const abort = new AbortController();
    const request = { samples: noise(35, 0.1), kind: "final", language: "en" } as const;
    const running = recognizer.transcribe(request, abort.signal);
    abort.abort(new Error("the user went on"));
    await expect(running).rejects.toThrow("the user went on");
    expect((await recognizer.transcribe(request, never)).text).toBe(HEARD);
  });
});

describe("a lane", () => {
  const options: DecodeOptions = {
    audioContext: 0,
    threads: 1,
    beams: 1,
    maxTokens: 0,
    alignsWords: true,
    language: "",
  };
  const open = () => loadAddon().loadParakeet(path, { gpu: false });

  it("decodes the same text in parallel as alone", async () => {
    const model = open();
    const clips = [noise(1, 0.1), clip16k("flite-lights.wav"), noise(5, 0.1)];
    const alone: unknown[] = [];
    for (const clip of clips) alone.push(await model.createLane().transcribe(clip, options));
    const lanes = clips.map(() => model.createLane());
    const together = clips.map(async (clip, index) => lanes[index]?.transcribe(clip, options));
    expect(await Promise.all(together)).toEqual(alone);
  });

  it("an abort stops it during a pass, and it can be used again", async () => {
    const wide = join(folder, "wide.bin");
    await writeParakeet(wide, { ...TINY_PARAKEET, width: 512, layers: 24 });
    const lane = loadAddon().loadParakeet(wide, { gpu: false }).createLane();
    const clip = noise(2, 0.1);
    const before = await lane.transcribe(clip, options);
    const running = lane.transcribe(noise(40, 0.1), options);
    // Most of the work is still to do at the first turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    lane.abort();
    await expect(running).rejects.toMatchObject({ code: "ABORTED" });
    expect(await lane.transcribe(clip, options)).toEqual(before);
  });

  it("refuses a clip that is too long or too short for the library", () => {
    const lane = open().createLane();
    expect(() => lane.transcribe(new Float32Array(50 * 16_000), options)).toThrow(/longer than the audio context/u);
    expect(() => lane.transcribe(new Float32Array(100), options)).toThrow(/shorter/u);
  });
});

describe("a start", () => {
  it("the error says what is wrong with a damaged file", async () => {
    const damaged = join(folder, "damaged.bin");
    writeFileSync(damaged, readFileSync(path).subarray(0, -1));
    await expect(startWhisperCpp({ path: damaged, lanes: 1 }, silentLog)).rejects.toThrow(
      /damaged\.bin cannot be loaded: the file is cut off/u,
    );
  });
});
