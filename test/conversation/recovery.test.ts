import { once } from "node:events";
import { expect, test } from "vitest";
import { OakError } from "../../src/shared/errors.ts";
import { LOUD, scriptedCall } from "../support/scripted-call.ts";
import { withoutTime } from "../support/time-notes.ts";

const CRASH = new OakError("gone", { code: "ENGINE_CRASHED" });
const crashOnce = () => {
  let isDead = true;
  return () => {
    if (!isDead) return;
    isDead = false;
    throw CRASH;
  };
};
const ends = (call: ReturnType<typeof scriptedCall>) => call.all("turn_end").map(({ turn_id }) => turn_id);

test("a request whose engine dies is sent once more, and the caller notices nothing", async () => {
  const [stt, llm, tts] = [crashOnce(), crashOnce(), crashOnce()];
  const call = scriptedCall({
    transcribe: async () => (stt(), "hello"),
    async *generate() {
      llm();
      yield "Fine.";
    },
    synthesize: async () => (tts(), new Float32Array(24_000).fill(0.5)),
  });
  await call.stream(LOUD, 800);
  await call.stream(0, 3000);
  expect(call.types()).not.toContain("error");
  expect(call.all("turn_end")).toMatchObject([{ transcript: "hello" }]);
  expect(call.types()).toContain("tts_chunk");
});

test("a reply whose text was sent is not written again when its model dies", async () => {
  const call = scriptedCall({
    async *generate() {
      yield "One two three. ";
      throw CRASH;
    },
  });
  await call.stream(LOUD, 800);
  await call.stream(0, 3000);
  expect(call.prompts).toHaveLength(1);
  expect(call.all("error")).toMatchObject([{ details: { stage: "llm", cause: "ENGINE_CRASHED" } }]);
});

const untilAborted = async (signal: AbortSignal): Promise<never> => {
  await once(signal, "abort");
  throw signal.reason;
};

/** Two turns. The first decode of the first turn runs until `fail`. The final with the number `hanging` never comes. */
async function twoTurns(hanging = 0) {
  let finals = 0;
  let fail!: (error: OakError) => void;
  const first = new Promise<string>((_, reject) => (fail = reject));
  const call = scriptedCall({
    transcribe: async ({ kind }, signal) => {
      if (kind === "partial") return "";
      finals += 1;
      if (finals === 1) return await Promise.race([first, untilAborted(signal)]);
      return finals === hanging ? await untilAborted(signal) : `final ${String(finals)}`;
    },
  });
  await call.stream(LOUD, 800);
  await call.stream(0, 2100); // A turn waits 2 s at most for its words.
  await call.stream(LOUD, 800);
  await call.stream(0, 2100);
  expect(ends(call)).toEqual([]);
  return { call, fail };
}
const said = (call: ReturnType<typeof scriptedCall>) =>
  withoutTime(call.prompts.at(-1)?.messages ?? []).filter(({ role }) => role === "user");

test.each(["ENGINE_CRASHED", "STT_FAILED"] as const)(
  "turns end in order when the first one is decoded again (%s)",
  async (code) => {
    const { call, fail } = await twoTurns();
    fail(new OakError("gone", { code }));
    await call.settle();
    await call.stream(0, 1000);
    expect(ends(call)).toEqual(["c.1", "c.2"]);
    const [one, two] = call.all("turn_end").map(({ transcript }) => String(transcript));
    expect(said(call)).toEqual([{ role: "user", content: `${String(one)} ${String(two)}` }]);
    expect(call.types()).not.toContain("error");
  },
);

test("a turn waits 10 s at most for an earlier turn, which then ends without words", async () => {
  const { call, fail } = await twoTurns(3);
  fail(new OakError("gone", { code: "STT_FAILED" }));
  await call.settle();
  call.clock.advance(9_000);
  await call.settle();
  expect(ends(call)).toEqual([]);
  call.clock.advance(1_000);
  await call.settle();
  expect(call.all("error")).toMatchObject([{ details: { cause: "STT_TIMEOUT", turn_id: "c.1" } }]);
  expect(call.all("turn_end")).toMatchObject([
    { turn_id: "c.1", transcript: "" },
    { turn_id: "c.2", transcript: "final 2" },
  ]);
  await call.stream(0, 500);
  expect(said(call)).toEqual([{ role: "user", content: "final 2" }]);
});

test("a reply waits 150 ms at most for its turn's emotion, which is reported later", async () => {
  let know!: (scores: Record<string, number>) => void;
  const call = scriptedCall({ classify: () => new Promise((resolve) => (know = resolve)) });
  call.session.configure({ emotionDetection: { updates: "on-turn-end" } });
  await call.stream(LOUD, 1500);
  while (!call.types().includes("turn_end")) await call.stream(0, 10, 10);
  expect(call.types()).not.toContain("llm_response_chunk");
  call.clock.advance(150);
  await call.settle();
  expect(call.types()).toContain("llm_response_chunk");
  expect(call.types()).not.toContain("emotion_update");
  know({ neutral: 1 });
  await call.settle();
  expect(call.types()).toContain("emotion_update");
});

test.each(["👍", "…", "🎉 🎉"])(
  "a reply of %j alone is asked for again, excused and reported as an error",
  async (reply) => {
    const call = scriptedCall({
      async *generate() {
        yield reply;
      },
    });
    await call.stream(LOUD, 800);
    await call.stream(0, 5000);
    const texts = call.all("llm_response_chunk").map(({ content }) => content);
    expect(texts).toEqual([reply, reply, " Sorry, I cannot answer that right now.", ""]);
    expect(call.all("error")).toMatchObject([
      { error_code: "LLM_UNAVAILABLE", details: { cause: "LLM_SAID_NOTHING", turn_id: "c.1" } },
    ]);
    expect(call.types()).toContain("tts_chunk");
  },
);

test("a reply for which the voice returns no samples is reported as an error", async () => {
  const call = scriptedCall({ synthesize: async () => new Float32Array(0) });
  await call.stream(LOUD, 800);
  await call.stream(0, 3000);
  expect(call.all("error")).toMatchObject([{ error_code: "TTS_UNAVAILABLE", details: { cause: "TTS_SAID_NOTHING" } }]);
  expect(call.types()).not.toContain("tts_chunk");
});

test("an emoji in a reply is not spoken", async () => {
  const texts: string[] = [];
  const call = scriptedCall({
    async *generate() {
      yield "Done. 👍";
    },
    synthesize: async (text) => (texts.push(text), new Float32Array(24_000).fill(0.5)),
  });
  await call.stream(LOUD, 800);
  await call.stream(0, 3000);
  expect(texts).toEqual(["Done."]);
  expect(call.types()).not.toContain("error");
});

test.each(["partial", "final"] as const)("close waits for a running %s decode", async (wanted) => {
  let settle!: (error: OakError) => void;
  const call = scriptedCall({
    transcribe: ({ kind }) =>
      kind === wanted ? new Promise((_, reject) => (settle = reject)) : Promise.resolve("hello"),
  });
  // 27.2 s is longer than a segment may be, so its decode is of the kind "final".
  await call.stream(LOUD, wanted === "partial" ? 800 : 27_200);
  let isClosed = false;
  const closing = call.session.close().then(() => (isClosed = true));
  await call.settle();
  expect(isClosed).toBe(false);
  settle(new OakError("ended", { code: "STT_FAILED" }));
  await closing;
  expect(call.open()).toBe(0);
});
