import { copyFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { silentLog } from "../../../../src/shared/log.ts";
import type { Heard } from "../../../../src/engines/stt/decoded.ts";
import { logProbabilityOf } from "../../../../src/engines/stt/ears/scored-text.ts";
import type { FastRecognizer } from "../../../../src/engines/stt/ears/ear.ts";
import { isMoonshine, startMoonshine } from "../../../../src/engines/stt/moonshine/moonshine.ts";
import type { SpeechToTextProcess } from "../../../../src/engines/stt/recognizer.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { clip16k, expectOrderedWords, noise, STARTER_MODEL, wordErrors } from "../support.ts";

const MODEL = fileURLToPath(new URL("../../../../models/starter/fast-stt", import.meta.url));
const never = new AbortController().signal;
let stt: SpeechToTextProcess<FastRecognizer>;
let recognizer: FastRecognizer;

beforeAll(async () => {
  stt = await startMoonshine({ folder: MODEL, deadlineSeconds: 120 }, silentLog);
  recognizer = stt.open();
});
afterAll(async () => stt.close());

const final = async (samples: Float32Array): Promise<Heard> =>
  recognizer.transcribe({ samples, kind: "final", language: "en" }, never);

/** A clip again and again, 35 s long. */
function repeated(clip: Float32Array): Float32Array {
  return Float32Array.from({ length: 35 * 16_000 }, (_, index) => clip[index % clip.length] ?? 0);
}

describe("Moonshine on the starter model", () => {
  it.each([
    ["flite-time.wav", "what time is it"],
    ["flite-lights.wav", "turn on the lights in the kitchen"],
    ["flite-timer.wav", "set a timer for ten minutes"],
  ])("recognises %s, with words in order inside the clip", async (name, said) => {
    const samples = clip16k(name);
    const heard = await final(samples);
    const { text, confidence, evidence } = heard;
    expect(wordErrors(said, text), text).toBeLessThanOrEqual(1);
    expect(confidence).toBeGreaterThan(0.3);
    expectOrderedWords(heard, samples);
    expect(evidence.tokens).toBeGreaterThanOrEqual(heard.words.length);
    expect(evidence.logProbability).toBeLessThan(0);
    expect(evidence.voicedSeconds).toBeGreaterThan(0.5);
  });

  it("returns each word with the time at which the synthetic voice spoke it", async () => {
    const begins = [0.286, 0.577, 0.781, 0.853, 1.262, 1.384, 1.462]; // flite's own phone times
    const { words } = await final(clip16k("flite-lights.wav"));
    expect(words).toHaveLength(begins.length);
    const off = words.map(({ start }, index) => Math.abs(start - (begins[index] ?? 0))).toSorted((a, b) => a - b);
    expect(off[3], "median").toBeLessThan(0.15);
    expect(off.at(-1), "largest").toBeLessThan(0.4);
  });

  it("moves the times with the audio", async () => {
    const samples = clip16k("flite-lights.wav");
    const later = new Float32Array(samples.length + 16_000);
    later.set(samples, 16_000);
    const [early, shifted] = [await final(samples), await final(later)];
    const shift = (shifted.words[0]?.start ?? 0) - (early.words[0]?.start ?? 0);
    expect(Math.abs(shift - 1)).toBeLessThan(0.15);
  });

  it("returns the same for the same clip after any other decode", async () => {
    const unclear = clip16k("flite-timer.wav").toReversed();
    const first = await final(unclear);
    await final(clip16k("flite-time.wav"));
    expect(await final(unclear)).toEqual(first);
  });

  it("recognises a clip of 35 s", async () => {
    const names = ["flite-time", "flite-lights", "flite-timer", "flite-doctor", "kathleen-a0005", "stt-reading"];
    const clips = [...names, ...names].map((name) => clip16k(`${name}.wav`));
    const long = new Float32Array(35 * 16_000);
    let start = 0;
    for (const clip of clips) {
      long.set(clip, start);
      start += clip.length + 0.3 * 16_000;
    }
    const { words, text } = await final(long);
    for (const said of ["what", "kitchen", "timer", "tuesday", "forget", "tooth"])
      expect(text.toLowerCase().split(said), said).toHaveLength(3);
    expect(words.at(-1)?.start).toBeGreaterThan(25);
    expect(words.at(-1)?.end).toBeLessThanOrEqual(35);
  });

  it("writes no other script for the first moments of a word", async () => {
    const { text } = await final(clip16k("flite-lights.wav").subarray(0.1 * 16_000, 0.4 * 16_000));
    expect(text).toMatch(/^[\p{Script=Latin}\p{Script=Common}]+$/u);
  });

  it.each([
    ["no samples", new Float32Array(0)],
    ["one sample", new Float32Array(1)],
    ["digital silence", new Float32Array(32_000)],
  ])("writes nothing for %s", async (_what, samples) => {
    expect(await final(samples)).toMatchObject({ text: "", confidence: 0, words: [] });
  });
});

describe("a text's score", () => {
  const said = "What time is it?";
  const scoreOf = async (samples: Float32Array, texts: readonly string[]) =>
    (await recognizer.score(samples, texts, never)).map(logProbabilityOf);

  it("is highest for the words that were said", async () => {
    const clip = clip16k("flite-time.wav");
    const [own = NaN, other = NaN, near = NaN] = await scoreOf(clip, [said, "Turn on the lights.", "What dime is it?"]);
    expect(own).toBeLessThan(0);
    expect(own).toBeGreaterThan(near);
    expect(near).toBeGreaterThan(other);
  });

  it("is nearly what the decoder gave to its tokens", async () => {
    const clip = clip16k("flite-time.wav");
    const { text, evidence } = await final(clip);
    const [tokens = []] = await recognizer.score(clip, [text], never);
    expect(Buffer.from(tokens.map(({ bytes }) => bytes).join(""), "latin1").toString()).toBe(` ${text}`);
    const written = tokens.filter(({ bytes }) => bytes !== "");
    expect(written).toHaveLength(evidence.tokens);
    expect(logProbabilityOf(written) / evidence.tokens).toBeCloseTo(evidence.logProbability, 1);
  });

  it("is the same whether the clip was transcribed before or not", async () => {
    const clip = clip16k("flite-time.wav");
    await final(clip);
    const known = await scoreOf(clip, [said]);
    await final(clip16k("flite-lights.wav"));
    expect(await scoreOf(clip, [said])).toEqual(known);
  });

  it.each([0, 1, 400])("is a number for a clip of %d samples", async (length) => {
    const [score = NaN] = await scoreOf(new Float32Array(length), [said]);
    expect(Number.isFinite(score)).toBe(true);
    expect(await recognizer.likeliest(new Float32Array(length), [[said]], 1, never)).toEqual([said]);
  });

  it("has no texts for none", async () => {
    expect(await recognizer.score(clip16k("flite-time.wav"), [], never)).toEqual([]);
    expect(await recognizer.likeliest(clip16k("flite-time.wav"), [], 4, never)).toEqual([]);
  });
});

describe("the likeliest texts", () => {
  const texts = ["Yes.", "No.", "Okay.", "Stop.", "Seven.", "Nine.", "Hello.", "Goodbye.", "Thank you.", "Please."];

  it.each([
    ["flite-okay.wav", "Okay."],
    ["flite-stop.wav", "Stop."],
  ])("have the spoken word of %s first", async (name, said) => {
    const likeliest = await recognizer.likeliest(clip16k(name), [texts], 3, never);
    expect(likeliest).toHaveLength(3);
    expect(likeliest[0]).toBe(said);
  });

  it("are all of fewer texts", async () => {
    const likeliest = await recognizer.likeliest(clip16k("flite-stop.wav"), [["Yes.", "Stop."]], 3, never);
    expect(likeliest).toEqual(["Stop.", "Yes."]);
  });
});

describe("a text of given words", () => {
  it("has all words of the clip, in their order", async () => {
    const words = "minutes for a zero ten set timer stop nine";
    expect(await recognizer.dictated(clip16k("flite-timer.wav"), words, never)).toMatch(
      /^set a timer for ten minutes/iu,
    );
  });

  it.each(["flite-okay.wav", "flite-time.wav", "kathleen-a0005.wav"])("has no other words: %s", async (name) => {
    const text = await recognizer.dictated(clip16k(name), "zero one two three", never);
    expect(text).toMatch(/^$|^(?:zero|one|two|three)(?:,? (?:zero|one|two|three))*\.?$/iu);
  });

  it("ends for silence and for the shortest clip", async () => {
    for (const samples of [new Float32Array(0), new Float32Array(1), new Float32Array(48_000)])
      expect(await recognizer.dictated(samples, "one two", never)).toMatch(/^(?:(?:one|two)[ ,.]*)*$/iu);
  });
});

describe("the process", () => {
  const clip = clip16k("flite-lights.wav");
  const long = repeated(clip);

  it("rejects an aborted request with the caller's reason, and serves the next one", async () => {
    const abort = new AbortController();
    const running = recognizer.transcribe({ samples: long, kind: "final", language: "en" }, abort.signal);
    await nextTurn();
    abort.abort(new Error("the caller went on"));
    await expect(running).rejects.toThrow("the caller went on");
    expect((await final(clip)).text).not.toBe("");
  });

  it("stops scoring for a caller who went on", async () => {
    const abort = new AbortController();
    const running = recognizer.score(long, Array<string>(200).fill("Turn on the lights."), abort.signal);
    await nextTurn();
    abort.abort(new Error("the caller went on"));
    await expect(running).rejects.toThrow("the caller went on");
    expect((await final(clip)).text).not.toBe("");
  });

  it("serves several callers, each with their own text", async () => {
    const names = ["flite-time.wav", "flite-lights.wav", "flite-timer.wav"];
    const alone: string[] = [];
    for (const name of names) alone.push((await final(clip16k(name))).text);
    const together = await Promise.all(
      names.map(async (name) =>
        stt.open().transcribe({ samples: clip16k(name), kind: "final", language: "en" }, never),
      ),
    );
    expect(together.map(({ text }) => text)).toEqual(alone);
  });

  it.each([
    ["samples that are no numbers", new Float32Array(32_000).fill(NaN)],
    ["samples beyond all measure", noise(2, 1e30)],
  ])("refuses %s, and serves the next request", async (_what, samples) => {
    const refused = { code: "STT_FAILED", retryable: false };
    await expect(final(samples)).rejects.toMatchObject(refused);
    await expect(recognizer.score(samples, ["Yes."], never)).rejects.toMatchObject(refused);
    expect((await final(clip)).text).not.toBe("");
  });

  it("close ends a recogniser's running request and refuses new ones", async () => {
    const closing = stt.open();
    const request = { samples: long, kind: "final", language: "en" } as const;
    const running = closing.transcribe(request, never);
    closing.close();
    await expect(running).rejects.toMatchObject({ code: "STT_CLOSED" });
    await expect(closing.transcribe(request, never)).rejects.toMatchObject({ code: "STT_CLOSED" });
  });
});

describe("startMoonshine", () => {
  const FILES = ["tokens.txt", "encoder.onnx", "decoder.onnx"] as const;

  /** A model's folder without the files from the named one on. */
  function folderWithout(missing: string): string {
    const folder = temporaryFolder();
    for (const file of FILES.slice(0, (FILES as readonly string[]).indexOf(missing)))
      copyFileSync(join(MODEL, file), join(folder, file));
    return folder;
  }

  const fails = async (folder: string, reason: RegExp) => {
    const start = startMoonshine({ folder }, silentLog);
    await expect(start).rejects.toMatchObject({ code: "ENGINE_START_FAILED" });
    await expect(start).rejects.toThrow(reason);
    await expect(start).rejects.toThrow(folder);
  };

  it("names a missing folder", async () => fails("/nowhere/fast-stt", /cannot be loaded/u));

  it.each(FILES)("names the missing file %s", async (file) =>
    fails(folderWithout(file), new RegExp(file.replace(".", String.raw`\.`), "u")),
  );

  it("reports a damaged table of tokens", async () => {
    const folder = folderWithout("tokens.txt");
    writeFileSync(join(folder, "tokens.txt"), "AA== 0\nAQ==\n");
    await fails(folder, /line 2 of its token table is damaged/u);
  });

  it("reports a table that lacks tokens", async () => {
    const folder = folderWithout("tokens.txt");
    for (const file of ["encoder.onnx", "decoder.onnx"]) copyFileSync(join(MODEL, file), join(folder, file));
    writeFileSync(join(folder, "tokens.txt"), "AA== 0\nAQ== 1\n");
    await fails(folder, /token table/u);
  });

  it.each(["encoder.onnx", "decoder.onnx"])("reports a damaged %s", async (file) => {
    const folder = temporaryFolder();
    for (const each of FILES) copyFileSync(join(MODEL, each), join(folder, each));
    truncateSync(join(folder, file), 1_000_000);
    await fails(folder, new RegExp(file.replace(".", String.raw`\.`), "u"));
  });
});

describe("isMoonshine", () => {
  it("is true for a folder, and false for a file and for nothing", () => {
    expect([MODEL, STARTER_MODEL, "/nowhere"].map(isMoonshine)).toEqual([true, false, false]);
  });
});
