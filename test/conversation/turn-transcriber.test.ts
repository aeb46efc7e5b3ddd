import { expect, test } from "vitest";
import { SampleRing } from "../../src/audio/ring-buffer.ts";
import { Decoder } from "../../src/conversation/decoder.ts";
import { PartialBudget } from "../../src/conversation/partial-budget.ts";
import { TurnTranscriber, type Hypothesis } from "../../src/conversation/turn-transcriber.ts";
import { OakError } from "../../src/shared/errors.ts";
import type { SpeechRecognizer, TranscribeRequest, Transcript } from "../../src/stt/contract.ts";
import { ownedTasks } from "../support/faults.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const HZ = 16_000;

/** A recogniser whose answers the test gives, to put results and faults in any order. */
class HandFedRecognizer implements SpeechRecognizer {
  readonly requests: { request: TranscribeRequest; answer(text: string): void; fail(error: Error): void }[] = [];
  running = 0;

  transcribe(request: TranscribeRequest, signal: AbortSignal): Promise<Transcript> {
    this.running += 1;
    expect(this.running, "one request at a time").toBe(1);
    return new Promise<Transcript>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      this.requests.push({
        request,
        answer: (text) => {
          const words = text.split(" ").filter(Boolean);
          resolve({
            text,
            confidence: 0.9,
            words: words.map((word, at) => ({ word, start: 0.1 + at / 5, end: 0.3 + at / 5, confidence: 0.9 })),
          });
        },
        fail: reject,
      });
    }).finally(() => (this.running -= 1));
  }

  close(): void {
    expect(this.running).toBe(0);
  }
}

function setup(startSeconds = 0) {
  const recognizer = new HandFedRecognizer();
  const ring = new SampleRing(40 * HZ);
  const clock = new VirtualClock();
  const heard: string[] = [];
  const shown: Hypothesis[] = [];
  const failures: unknown[] = [];
  const transcriber = new TurnTranscriber({
    decoder: new Decoder(recognizer, ring, "en"),
    partials: new PartialBudget(clock, 1),
    startSample: startSeconds * HZ,
    notBeforeSample: 0,
    signal: new AbortController().signal,
    tasks: ownedTasks(),
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
  const hear = (seconds: number) => ring.write(new Float32Array(seconds * HZ));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** Half a second more, and the answer to the partial that this starts. */
  const partial = async (text: string) => {
    hear(0.5);
    transcriber.advance(ring.end);
    await settle();
    last(recognizer)?.answer(text);
    await settle();
  };
  return { clock, recognizer, ring, heard, shown, failures, transcriber, hear, settle, partial };
}

const last = (recognizer: HandFedRecognizer) => recognizer.requests.at(-1);

test("a partial never starts while the last one runs", async () => {
  const { recognizer, heard, transcriber, hear, settle } = setup();
  for (let seconds = 1; seconds <= 3; seconds += 1) {
    hear(1);
    transcriber.advance(seconds * HZ);
    await settle();
  }
  expect(recognizer.requests).toHaveLength(1);
  last(recognizer)?.answer("what time");
  await settle();
  expect(heard).toEqual([]);
  transcriber.advance(3 * HZ);
  await settle();
  expect(last(recognizer)?.request).toMatchObject({ kind: "partial" });
  expect(last(recognizer)?.request.samples).toHaveLength(3 * HZ);
  last(recognizer)?.answer("what time");
  await settle();
  expect(heard).toEqual(["partial what"]);
});

test("a turn that is cut in mid-voice is heard up to there and no further: the rest is the next turn's", async () => {
  const { recognizer, transcriber, hear, settle } = setup();
  hear(2.1);
  const cut = transcriber.commit(2 * HZ);
  await settle();
  expect(last(recognizer)?.request.samples).toHaveLength(2 * HZ);
  last(recognizer)?.answer("set a timer");
  expect(await cut).toMatchObject({ text: "set a timer" });
});

test("partials take half of one core at most: a slow decode is followed by as long a break", async () => {
  const { clock, recognizer, transcriber, hear, settle } = setup();
  const startsMs: number[] = [];
  for (let at = 0; at < 20_000; at += 100) {
    hear(0.1);
    transcriber.advance(((at + 100) * HZ) / 1000);
    await settle();
    if (recognizer.requests.length > startsMs.length) startsMs.push(clock.nowMs());
    clock.advance(100);
    // Each decode takes 1 s.
    if (clock.nowMs() === (startsMs.at(-1) ?? 0) + 1000) last(recognizer)?.answer("on and on");
    await settle();
  }
  expect(startsMs.length).toBeGreaterThanOrEqual(9);
  for (const [index, start] of startsMs.entries())
    if (index > 0) expect(start - (startsMs[index - 1] ?? 0)).toBeGreaterThanOrEqual(2000);
});

test("partials only append, with the times they had; the final may correct them, and that is counted", async () => {
  const { recognizer, ring, heard, shown, transcriber, settle, partial } = setup();
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
  last(recognizer)?.answer("burn off the light in the kitchen");
  expect((await final).text).toBe("burn off the light in the kitchen");
  expect(transcriber.counts).toEqual({ partialDecodes: 6, wordsShown: 6, wordsTakenBack: 2 });
});

test("a final prepared in a pause that is none is one more decode to agree with", async () => {
  const { recognizer, ring, heard, transcriber, settle, partial } = setup();
  await partial("what time is");
  void transcriber.prepare(ring.end);
  await settle();
  last(recognizer)?.answer("what time is it");
  await settle();
  transcriber.drop();
  expect(heard).toEqual(["partial what time is"]);
});

test("once the turn is over no partial comes any more", async () => {
  const { recognizer, ring, heard, transcriber, settle, partial } = setup();
  await partial("what time is");
  void transcriber.prepare(ring.end);
  await settle();
  const final = transcriber.commit(ring.end);
  last(recognizer)?.answer("what time is it");
  expect((await final).text).toBe("what time is it");
  expect(heard).toEqual([]);
});

test("a final aborts the partial in its way, and the prepared one is used", async () => {
  const { recognizer, heard, failures, transcriber, hear, settle } = setup();
  hear(2);
  transcriber.advance(2 * HZ);
  await settle();
  void transcriber.prepare(1.8 * HZ);
  await settle();
  expect(last(recognizer)?.request.kind).toBe("final");
  const final = transcriber.commit(1.8 * HZ);
  last(recognizer)?.answer("what time is it");
  expect((await final).accumulated).toBe("what time is it");
  expect(recognizer.requests).toHaveLength(2);
  expect(heard).toEqual([]);
  expect(failures).toEqual([]);
});

test("a dropped final is forgotten; the turn goes on", async () => {
  const { recognizer, transcriber, hear, settle } = setup();
  hear(2);
  const dropped = transcriber.prepare(1.5 * HZ).catch(() => "dropped");
  await settle();
  transcriber.drop();
  expect(await dropped).toBe("dropped");
  hear(1);
  const final = transcriber.commit(2.9 * HZ);
  await settle();
  last(recognizer)?.answer("all of it");
  expect((await final).text).toBe("all of it");
});

test.each([2, 20])("a prepared final of %i s that failed is tried once more, all of it", async (seconds) => {
  const { recognizer, transcriber, hear, settle } = setup();
  hear(seconds);
  const endSample = (seconds - 0.5) * HZ;
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

test("a prepared final that failed closes no segment of a turn that goes on: what it should have heard is heard again", async () => {
  const { recognizer, failures, transcriber, hear, settle } = setup();
  hear(20);
  void transcriber.prepare(19.5 * HZ).catch(() => undefined);
  await settle();
  last(recognizer)?.fail(new OakError("died", { code: "STT_FAILED" }));
  await settle();
  transcriber.drop();
  hear(2);
  const final = transcriber.commit(22 * HZ);
  await settle();
  expect(last(recognizer)?.request.samples).toHaveLength(22 * HZ);
  last(recognizer)?.answer("all of it");
  expect((await final).accumulated).toBe("all of it");
  expect(failures).toEqual([]);
});

test("failed partials are said once a turn", async () => {
  const { recognizer, failures, transcriber, hear, settle } = setup();
  for (let seconds = 1; seconds <= 4; seconds += 1) {
    hear(1);
    transcriber.advance(seconds * HZ);
    await settle();
    last(recognizer)?.fail(new OakError("busy or dead", { code: seconds === 1 ? "STT_BUSY" : "ENGINE_UNAVAILABLE" }));
    await settle();
  }
  expect(failures).toHaveLength(1);
});

test("a long turn is decoded in segments, and its text is whole", async () => {
  const { recognizer, heard, transcriber, hear, settle } = setup(1);
  hear(20);
  const prepared: Promise<Hypothesis> = transcriber.prepare(19.5 * HZ);
  await settle();
  last(recognizer)?.answer("the first part");
  await prepared;
  transcriber.drop();
  await settle();
  expect(heard).toEqual(["segment the first part"]);
  hear(5);
  const final = transcriber.commit(25 * HZ);
  await settle();
  // The second segment begins where the first one ended, and its words carry session time.
  expect(last(recognizer)?.request.samples).toHaveLength((25 - 19.5) * HZ);
  last(recognizer)?.answer("and the rest");
  const { text, accumulated, words } = await final;
  expect(text).toBe("and the rest");
  expect(accumulated).toBe("the first part and the rest");
  expect(words[0]?.start).toBeCloseTo(19.6, 5);
});

test("speech and a long pause after it are one segment, which ends where the pause began", async () => {
  const { recognizer, heard, transcriber, hear, settle } = setup();
  hear(27.5);
  const prepared = transcriber.prepare(17 * HZ);
  await settle();
  last(recognizer)?.answer("the first part");
  await prepared;
  transcriber.drop(27.5 * HZ);
  await settle();
  expect(heard).toEqual(["segment the first part"]);
  hear(0.5);
  transcriber.advance(28 * HZ);
  const final = transcriber.commit(28 * HZ);
  await settle();
  expect(last(recognizer)?.request.samples).toHaveLength((28 - 17) * HZ);
  last(recognizer)?.answer("and the rest");
  expect((await final).accumulated).toBe("the first part and the rest");
});

test("over the segments of a long turn what is shown only grows, and the final has the corrections", async () => {
  const { recognizer, ring, heard, transcriber, hear, settle, partial } = setup();
  hear(18.5);
  await partial("the first part");
  await partial("the first part");
  void transcriber.prepare(ring.end).catch(() => undefined);
  await settle();
  last(recognizer)?.answer("a first part and");
  await settle();
  transcriber.drop();
  await settle();
  await partial("its second");
  await partial("its second half");
  const final = transcriber.commit(ring.end);
  await settle();
  last(recognizer)?.answer("its second half");
  expect((await final).accumulated).toBe("a first part and its second half");
  expect(heard).toEqual([
    "partial the first",
    "partial the first part",
    "segment the first part and",
    "partial the first part and its second",
  ]);
  expect(transcriber.counts.wordsTakenBack).toBe(1);
});

test("a segment that cannot be decoded keeps the words that were shown", async () => {
  const { recognizer, ring, heard, failures, transcriber, hear, settle, partial } = setup();
  hear(18.5);
  await partial("the first part");
  await partial("the first part");
  void transcriber.prepare(ring.end).catch(() => undefined);
  await settle();
  transcriber.drop();
  last(recognizer)?.fail(new OakError("died", { code: "STT_FAILED" }));
  await settle();
  expect(heard).toEqual(["partial the first", "segment the first"]);
  expect(failures).toHaveLength(1);
  hear(1);
  const final = transcriber.commit(ring.end);
  await settle();
  last(recognizer)?.answer("and the rest");
  expect((await final).accumulated).toBe("the first and the rest");
});

test("no decode sees more than the recogniser's window, however long nobody pauses", async () => {
  const { recognizer, transcriber, hear, settle } = setup();
  for (let seconds = 1; seconds <= 90; seconds += 1) {
    hear(1);
    transcriber.advance(seconds * HZ);
    await settle();
    last(recognizer)?.answer("on");
    await settle();
  }
  const final = transcriber.commit(90 * HZ);
  await settle();
  last(recognizer)?.answer("end");
  expect((await final).accumulated).toBe("on on on end");
  for (const { request } of recognizer.requests) expect(request.samples.length).toBeLessThanOrEqual(28 * HZ);
});

test("a segment whose recogniser died under it is decoded again, from the audio that it was asked with", async () => {
  const { recognizer, heard, failures, transcriber, hear, settle } = setup();
  hear(28);
  transcriber.advance(28 * HZ);
  await settle();
  hear(39); // the ring forgets the segment
  last(recognizer)?.fail(new OakError("died", { code: "ENGINE_CRASHED" }));
  await settle();
  expect(recognizer.requests.map(({ request }) => request.samples.length)).toEqual([28 * HZ, 28 * HZ]);
  last(recognizer)?.answer("the first part");
  await settle();
  expect(heard).toEqual(["segment the first part"]);
  expect(failures).toEqual([]);
});

test("a final that waits its turn loses nothing, however much is heard meanwhile", async () => {
  const { recognizer, transcriber, failures, hear, settle } = setup();
  hear(28);
  transcriber.advance(28 * HZ);
  hear(10);
  const final = transcriber.commit(38 * HZ);
  hear(60);
  await settle();
  last(recognizer)?.answer("the first part");
  await settle();
  expect(last(recognizer)?.request.samples).toHaveLength(10 * HZ);
  last(recognizer)?.answer("and the rest");
  expect((await final).accumulated).toBe("the first part and the rest");
  expect(failures).toEqual([]);
});

test("a turn whose beginning is lost says so, and keeps the words that were shown of it", async () => {
  const { recognizer, ring, failures, transcriber, hear, settle, partial } = setup();
  await partial("turn on the");
  await partial("turn on the");
  hear(50);
  const final = transcriber.commit(ring.end);
  await settle();
  last(recognizer)?.answer("in the kitchen");
  expect(await final).toMatchObject({ text: "turn on in the kitchen", accumulated: "turn on in the kitchen" });
  expect((await final).words.map(({ word }) => word)).toEqual(["turn", "on", "in", "the", "kitchen"]);
  expect(failures).toMatchObject([{ code: "AUDIO_LOST" }]);
});

test("a turn of which no audio is left asks the recogniser nothing", async () => {
  const { recognizer, failures, transcriber, hear } = setup();
  hear(60);
  expect((await transcriber.commit(10 * HZ)).text).toBe("");
  expect(recognizer.requests).toEqual([]);
  expect(failures).toMatchObject([{ code: "AUDIO_LOST" }]);
});
