import { expect, test } from "vitest";
import { SampleRing } from "../../src/audio/ring-buffer.ts";
import { TurnTranscriber, type Hypothesis } from "../../src/conversation/turn-transcriber.ts";
import { OakError } from "../../src/shared/errors.ts";
import { Serial } from "../../src/shared/serial.ts";
import type { SpeechRecognizer, TranscribeRequest, Transcript } from "../../src/stt/contract.ts";

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
        answer: (text) =>
          resolve({ text, confidence: 0.9, words: [{ word: text, start: 0.1, end: 0.2, confidence: 0.9 }] }),
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
  const heard: string[] = [];
  const failures: unknown[] = [];
  const transcriber = new TurnTranscriber({
    recognizer,
    serial: new Serial(),
    ring,
    language: "en",
    startSample: startSeconds * HZ,
    notBeforeSample: 0,
    signal: new AbortController().signal,
    events: {
      partial: ({ accumulated }) => heard.push(`partial ${accumulated}`),
      segment: ({ accumulated }) => heard.push(`segment ${accumulated}`),
      failed: (error) => failures.push(error),
    },
  });
  const hear = (seconds: number) => ring.write(new Float32Array(seconds * HZ));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { recognizer, ring, heard, failures, transcriber, hear, settle };
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
  last(recognizer)?.answer("what");
  await settle();
  expect(heard).toEqual(["partial what"]);
  transcriber.advance(3 * HZ);
  await settle();
  expect(last(recognizer)?.request).toMatchObject({ kind: "partial" });
  expect(last(recognizer)?.request.samples).toHaveLength(3 * HZ);
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

test("a prepared final that failed is tried once more", async () => {
  const { recognizer, transcriber, hear, settle } = setup();
  hear(2);
  void transcriber.prepare(1.5 * HZ).catch(() => undefined);
  await settle();
  last(recognizer)?.fail(new OakError("died", { code: "ENGINE_CRASHED" }));
  await settle();
  const final = transcriber.commit(1.5 * HZ);
  await settle();
  last(recognizer)?.answer("again");
  expect((await final).text).toBe("again");
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
