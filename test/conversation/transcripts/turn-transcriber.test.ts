import { MODEL_HZ } from "../../../src/audio/format.ts";
import { expect, test } from "vitest";
import { SampleRing } from "../../../src/audio/ring-buffer.ts";
import { Decoder } from "../../../src/conversation/transcripts/decoder.ts";
import { languageOf } from "../../../src/language/packs/languages.ts";
import { PartialBudget } from "../../../src/conversation/transcripts/partial-budget.ts";
import {
  TurnTranscriber,
  type TurnTranscriberOptions,
} from "../../../src/conversation/transcripts/turn-transcriber.ts";
import { OakError } from "../../../src/shared/errors.ts";
import type { Hypothesis } from "../../../src/conversation/hypothesis.ts";
import type { SpeechRecognizer, TranscribeRequest, Transcript } from "../../../src/engines/stt/speech-to-text.ts";
import { ownedTasks } from "../../support/faults.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** A recogniser whose results and failures the test gives in any order. */
class HandFedRecognizer implements SpeechRecognizer {
  readonly requests: {
    request: TranscribeRequest;
    answer(text: string, confidence?: number, more?: Partial<Transcript>): void;
    early(text: string, more?: Partial<Transcript>): void;
    fail(error: Error): void;
  }[] = [];
  running = 0;

  transcribe(
    request: TranscribeRequest,
    signal: AbortSignal,
    early?: (transcript: Transcript) => void,
  ): Promise<Transcript> {
    this.running += 1;
    expect(this.running, "one request at a time").toBe(1);
    return new Promise<Transcript>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      this.requests.push({
        request,
        answer: (text, confidence, more) => resolve({ ...transcriptOf(text, confidence), ...more }),
        early: (text, more) => early?.({ ...transcriptOf(text), ...more }),
        fail: reject,
      });
    }).finally(() => (this.running -= 1));
  }

  close(): void {
    expect(this.running).toBe(0);
  }
}

function transcriptOf(text: string, confidence = 0.8): Transcript {
  const words = text.split(" ").filter(Boolean);
  return {
    text,
    confidence,
    words: words.map((word, at) => ({ word, start: at / 50, end: (at + 1) / 50, confidence })),
  };
}

function setup(startSeconds = 0, options: Pick<TurnTranscriberOptions, "delaysPartials"> = {}) {
  const recognizer = new HandFedRecognizer();
  const background = new HandFedRecognizer();
  const ring = new SampleRing(40 * MODEL_HZ);
  const clock = new VirtualClock();
  const heard: string[] = [];
  const shown: Hypothesis[] = [];
  const failures: unknown[] = [];
  const transcriber = new TurnTranscriber({
    decoder: new Decoder(recognizer, ring, () => ({ language: "en" })),
    background: new Decoder(background, ring, () => ({ language: "en" })),
    ring,
    language: () => languageOf("en"),
    partials: new PartialBudget(clock, 1),
    startSample: startSeconds * MODEL_HZ,
    leadInSamples: 0.3 * MODEL_HZ,
    notBeforeSample: 0,
    signal: new AbortController().signal,
    tasks: ownedTasks(),
    ...options,
    events: {
      partial: (hypothesis) => {
        shown.push(hypothesis);
        heard.push(`partial ${hypothesis.accumulated}`);
      },
      segment: (hypothesis) => {
        shown.push(hypothesis);
        heard.push(`segment ${hypothesis.accumulated}`);
      },
      failed: (error) => failures.push(error),
    },
  });
  const hear = (seconds: number) => ring.write(new Float32Array(seconds * MODEL_HZ));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** Adds the audio of the next partial and answers its decode. */
  const partial = async (text: string) => {
    hear(0.2);
    transcriber.advance(ring.end);
    await settle();
    last(recognizer)?.answer(text);
    await settle();
  };
  /** Adds audio in frames and gives the same answer to each partial and each closed window. */
  const talk = async (seconds: number, text: string) => {
    for (let frame = 0; frame < seconds * 10; frame += 1) {
      hear(0.1);
      transcriber.advance(ring.end);
      await settle();
      last(background)?.answer(text);
      last(recognizer)?.answer(text);
      await settle();
    }
  };
  return { clock, recognizer, background, talk, ring, heard, shown, failures, transcriber, hear, settle, partial };
}

const last = (recognizer: HandFedRecognizer) => recognizer.requests.at(-1);

/** A constant level makes no sound. */
const tone = (samples: number) => new Float32Array(samples).map((_, at) => (at % 8 < 4 ? 0.1 : -0.1));

test("a partial never starts while the previous one runs", async () => {
  const { recognizer, heard, transcriber, hear, settle } = setup();
  for (let frame = 1; frame <= 20; frame += 1) {
    hear(0.1);
    transcriber.advance((frame * MODEL_HZ) / 10);
    await settle();
  }
  expect(recognizer.requests).toHaveLength(1);
  last(recognizer)?.answer("what time");
  await settle();
  expect(heard).toEqual([]);
  transcriber.advance(2 * MODEL_HZ);
  await settle();
  expect(last(recognizer)?.request).toMatchObject({ kind: "partial" });
  // It is delayed, not skipped.
  expect(last(recognizer)?.request.samples).toHaveLength(1.2 * MODEL_HZ);
  last(recognizer)?.answer("what time is");
  await settle();
  transcriber.advance(2 * MODEL_HZ);
  await settle();
  last(recognizer)?.answer("what time is it");
  await settle();
  expect(heard).toEqual(["partial what time", "partial what time is"]);
});

test("a turn that is cut during speech ends at a quiet place, and the next turn has the rest", async () => {
  const { recognizer, ring, transcriber, hear, settle } = setup();
  ring.write(tone(1.8 * MODEL_HZ));
  hear(0.08);
  ring.write(tone(0.2 * MODEL_HZ));
  const endSample = transcriber.audioEnd(2 * MODEL_HZ);
  expect(endSample).toBeGreaterThanOrEqual(1.8 * MODEL_HZ);
  expect(endSample).toBeLessThanOrEqual(1.88 * MODEL_HZ);
  const cut = transcriber.commit(endSample);
  await settle();
  expect(last(recognizer)?.request.samples).toHaveLength(endSample);
  last(recognizer)?.answer("set a timer");
  expect(await cut).toMatchObject({ text: "set a timer" });
});

test("a slow decode is followed by an equally long break, so partials use half a core at most", async () => {
  const { clock, recognizer, transcriber, hear, settle } = setup();
  const startsMs: number[] = [];
  for (let at = 0; at < 6500; at += 100) {
    hear(0.1);
    transcriber.advance(((at + 100) * MODEL_HZ) / 1000);
    await settle();
    if (recognizer.requests.length > startsMs.length) startsMs.push(clock.nowMs());
    clock.advance(100);
    // Each decode takes 1 s.
    if (clock.nowMs() === (startsMs.at(-1) ?? 0) + 1000) last(recognizer)?.answer("on and on");
    await settle();
  }
  expect(startsMs.length).toBeGreaterThanOrEqual(3);
  for (const [index, start] of startsMs.entries())
    if (index > 0) expect(start - (startsMs[index - 1] ?? 0)).toBeGreaterThanOrEqual(2000);
});

test("partials only append words and keep their times, and corrections by the final are counted", async () => {
  const { recognizer, ring, heard, shown, transcriber, hear, settle, partial } = setup(1);
  hear(1);
  await partial("turn on");
  await partial("turn on the");
  await partial("turn off the light in");
  await partial("turn off the light in the");
  expect(heard).toEqual(["partial turn on", "partial turn on the", "partial turn on the light in"]);
  await partial("burn off the light in the kit");
  await partial("burn off the light in the kitchen");
  expect(heard.at(-1)).toBe("partial turn on the light in the");
  for (const [index, { words }] of shown.entries())
    expect(words.slice(0, shown[index - 1]?.words.length ?? 0)).toEqual(shown[index - 1]?.words ?? []);
  const final = transcriber.commit(ring.end);
  await settle();
  last(recognizer)?.answer("burn off the light in the kitchen", 1);
  expect((await final).text).toBe("burn off the light in the kitchen");
  expect(transcriber.counts).toEqual({ partialDecodes: 6, wordsShown: 6, wordsTakenBack: 2 });
});

test("the final replaces words that partials showed", async () => {
  const { recognizer, ring, transcriber, settle, partial, hear } = setup();
  await partial("burn on the");
  await partial("burn on the light");
  hear(0.5);
  const final = transcriber.prepare(ring.end - 0.15 * MODEL_HZ);
  await settle();
  last(recognizer)?.answer("turn on the light please");
  expect((await final).text).toBe("turn on the light please");
});

test("spelled words and dictated numbers have one form in the final", async () => {
  const { recognizer, ring, transcriber, settle, hear } = setup();
  hear(1.5);
  const final = transcriber.prepare(ring.end);
  await settle();
  last(recognizer)?.answer("my name is S-T-O-D-O-L-S-K-Y");
  expect((await final).text).toBe("my name is STODOLSKY");
});

test("no partial is sent after the end of the turn", async () => {
  const { recognizer, ring, heard, transcriber, settle, partial } = setup();
  await partial("what time is");
  void transcriber.prepare(ring.end);
  await settle();
  const final = transcriber.commit(ring.end);
  last(recognizer)?.answer("what time is it");
  expect((await final).text).toBe("what time is it");
  expect(heard).toEqual([]);
});

test("a final aborts a running partial, and the prepared final is used", async () => {
  const { recognizer, heard, failures, transcriber, hear, settle } = setup();
  hear(2);
  transcriber.advance(2 * MODEL_HZ);
  await settle();
  void transcriber.prepare(1.8 * MODEL_HZ);
  await settle();
  expect(last(recognizer)?.request.kind).toBe("final");
  const final = transcriber.commit(1.8 * MODEL_HZ);
  last(recognizer)?.answer("what time is it");
  expect((await final).accumulated).toBe("what time is it");
  expect(recognizer.requests).toHaveLength(2);
  expect(heard).toEqual([]);
  expect(failures).toEqual([]);
});

test("a dropped final is not used, and the turn goes on", async () => {
  const { recognizer, transcriber, hear, settle } = setup();
  hear(2);
  const dropped = transcriber.prepare(1.5 * MODEL_HZ).catch(() => "dropped");
  await settle();
  transcriber.drop();
  expect(await dropped).toBe("dropped");
  hear(1);
  const final = transcriber.commit(2.9 * MODEL_HZ);
  await settle();
  last(recognizer)?.answer("all of it");
  expect((await final).text).toBe("all of it");
});

test.each([2, 6])("a prepared final of %i s that failed is decoded once more in full", async (seconds) => {
  const { recognizer, transcriber, hear, settle } = setup();
  hear(seconds);
  const endSample = (seconds - 0.5) * MODEL_HZ;
  void transcriber.prepare(endSample).catch(() => undefined);
  await settle();
  last(recognizer)?.fail(new OakError("died", { code: "ENGINE_CRASHED" }));
  await settle();
  const final = transcriber.commit(endSample);
  await settle();
  expect(last(recognizer)?.request.samples).toHaveLength(recognizer.requests[0]?.request.samples.length ?? 0);
  last(recognizer)?.answer("again");
  expect((await final).accumulated).toBe("again");
});

test("failed partials are reported once in a turn", async () => {
  const { recognizer, failures, transcriber, hear, settle } = setup();
  for (let seconds = 1; seconds <= 4; seconds += 1) {
    hear(1);
    transcriber.advance(seconds * MODEL_HZ);
    await settle();
    last(recognizer)?.fail(new OakError("busy or dead", { code: seconds === 1 ? "STT_BUSY" : "ENGINE_UNAVAILABLE" }));
    await settle();
  }
  expect(failures).toHaveLength(1);
});

test("a long turn is decoded in windows beside the partials, and its text is complete", async () => {
  const { recognizer, background, heard, transcriber, hear, ring, settle, talk } = setup();
  await talk(6.9, "");
  hear(0.1);
  transcriber.advance(ring.end);
  await settle();
  expect(background.requests).toHaveLength(1);
  const before = recognizer.requests.length;
  hear(1);
  transcriber.advance(ring.end);
  const final = transcriber.prepare(ring.end - 0.15 * MODEL_HZ);
  await settle();
  // No partial runs while the window is open, and the final does not wait for the window.
  expect(recognizer.requests).toHaveLength(before + 1);
  expect(last(recognizer)?.request.samples.length).toBeLessThan(6 * MODEL_HZ);
  last(recognizer)?.answer("and the rest");
  await settle();
  last(background)?.answer("the first part");
  expect((await final).accumulated).toBe("the first part and the rest");
  expect(heard).toEqual(["partial the first part", "partial the first part and the rest"]);
});

test("the words before a pause are shown while the turn may go on, early ones first, and stay", async () => {
  const { recognizer, heard, transcriber, hear, ring, settle } = setup();
  hear(1);
  const first = transcriber.prepare(ring.end);
  hear(0.1);
  await settle();
  last(recognizer)?.early("at seven");
  expect(heard).toEqual(["partial at seven"]);
  last(recognizer)?.answer("at seven on");
  await first;
  hear(1);
  const second = transcriber.prepare(ring.end);
  await settle();
  last(recognizer)?.answer("At eleven on Friday");
  await second;
  expect(heard.slice(1)).toEqual(["partial at seven on", "partial at seven on Friday"]);
});

test.each([
  ["doubtful words", { isDoubtful: true }, {}],
  ["words in a language that is not known yet", {}, { delaysPartials: () => true }],
])("a pause shows no %s", async (_, answer, options) => {
  const { recognizer, heard, transcriber, hear, ring, settle } = setup(0, options);
  hear(1);
  const final = transcriber.prepare(ring.end);
  await settle();
  last(recognizer)?.early("at seven", answer);
  last(recognizer)?.answer("at seven", 0.8, answer);
  await final;
  expect(heard).toEqual([]);
});

test("a turn that has ended has no more partials", async () => {
  const { recognizer, heard, transcriber, hear, ring, settle } = setup();
  hear(1);
  const { end } = ring;
  void transcriber.prepare(end);
  const final = transcriber.commit(end);
  await settle();
  last(recognizer)?.early("at seven");
  last(recognizer)?.answer("at seven");
  expect((await final).accumulated).toBe("at seven");
  expect(heard).toEqual([]);
});

test("a window that fails to decode keeps the words that were shown", async () => {
  const { recognizer, background, ring, heard, failures, transcriber, hear, settle, talk, partial } = setup();
  await partial("the first part");
  await partial("the first part");
  await talk(6.5, "the first part");
  hear(0.1);
  transcriber.advance(ring.end);
  await settle();
  last(background)?.fail(new OakError("died", { code: "STT_FAILED" }));
  await settle();
  expect(heard).toEqual(["partial the first part"]);
  expect(failures).toHaveLength(1);
  hear(1);
  const final = transcriber.commit(ring.end);
  await settle();
  last(recognizer)?.answer("and the rest");
  expect((await final).accumulated).toBe("the first part and the rest");
});

test("speech without pauses is decoded in clips of a few seconds and has segments", async () => {
  const { recognizer, background, heard, transcriber, ring, settle, talk } = setup();
  await talk(60, "on");
  const final = transcriber.commit(ring.end);
  await settle();
  last(recognizer)?.answer("end");
  await final;
  expect(heard.filter((text) => text.startsWith("segment")).length).toBeGreaterThanOrEqual(2);
  for (const { request } of [...recognizer.requests, ...background.requests])
    expect(request.samples.length).toBeLessThanOrEqual(7.6 * MODEL_HZ);
});

test("no clip contains a long pause", async () => {
  const { recognizer, background, ring, transcriber, talk, settle, hear } = setup();
  ring.write(tone(3 * MODEL_HZ));
  hear(12);
  ring.write(tone(MODEL_HZ));
  await talk(0.1, "");
  expect(last(background)?.request.samples.length).toBe(3.3 * MODEL_HZ);
  void transcriber.commit(ring.end);
  await settle();
  expect(last(recognizer)?.request.samples.length).toBe(1.4 * MODEL_HZ);
});

test("a window whose recogniser died is decoded again from the same audio", async () => {
  const { background, heard, failures, ring, transcriber, hear, settle, talk } = setup();
  await talk(6.9, "");
  hear(0.1);
  transcriber.advance(ring.end);
  await settle();
  hear(39); // The ring no longer holds the window.
  last(background)?.fail(new OakError("died", { code: "ENGINE_CRASHED" }));
  await settle();
  const [first, second] = background.requests.map(({ request }) => request.samples.length);
  expect(second).toBe(first);
  last(background)?.answer("the first part");
  await settle();
  expect(heard).toEqual(["partial the first part"]);
  expect(failures).toEqual([]);
});

test("a final that waits for another decode keeps its audio while more arrives", async () => {
  const { recognizer, transcriber, failures, hear, settle, partial } = setup();
  await partial("the first");
  void transcriber.prepare(0.2 * MODEL_HZ).catch(() => undefined);
  hear(4.2);
  const final = transcriber.commit(4.4 * MODEL_HZ);
  hear(60);
  await settle();
  expect(last(recognizer)?.request.samples).toHaveLength(4.4 * MODEL_HZ);
  last(recognizer)?.answer("all of it");
  expect((await final).accumulated).toBe("all of it");
  expect(failures).toEqual([]);
});

test("a turn whose beginning is lost reports it and keeps the words that were shown", async () => {
  const { recognizer, ring, failures, transcriber, hear, settle, partial } = setup(1);
  hear(1);
  await partial("turn on the");
  await partial("turn on the");
  hear(50);
  const final = transcriber.commit(ring.end);
  await settle();
  last(recognizer)?.answer("in the kitchen");
  expect(await final).toMatchObject({ text: "turn on the in the kitchen", accumulated: "turn on the in the kitchen" });
  expect((await final).words.map(({ word }) => word)).toEqual(["turn", "on", "the", "in", "the", "kitchen"]);
  expect(failures).toMatchObject([{ code: "AUDIO_LOST" }]);
});

test("a turn whose audio is all lost does not call the recogniser", async () => {
  const { recognizer, failures, transcriber, hear } = setup();
  hear(60);
  expect((await transcriber.commit(10 * MODEL_HZ)).text).toBe("");
  expect(recognizer.requests).toEqual([]);
  expect(failures).toMatchObject([{ code: "AUDIO_LOST" }]);
});
