import { expect, test } from "vitest";
import { SpeculationCounts } from "../../../src/conversation/reply/speculation-counts.ts";
import { LOUD } from "../../support/scripted-call.ts";
import { withoutTime } from "../../support/time-notes.ts";
import { REPLY, wordByWordCall } from "../../support/word-by-word-call.ts";

test("the history keeps only the heard part of an interrupted reply", async () => {
  const { prompts, stream, types } = wordByWordCall();
  await stream(LOUD, 600);
  await stream(0, 600);
  await stream(0, 1400); // The first clause and two words of the second are heard.
  await stream(LOUD, 700);
  await stream(0, 800);
  expect(types()).toContain("tts_interruption");
  expect(prompts).toHaveLength(2);
  const [first, second] = prompts.map(({ messages }) => withoutTime(messages.slice(1)));
  expect(first).toEqual([{ role: "user", content: "hello" }]);
  expect(second?.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  const heard = second?.[1]?.content ?? "";
  expect(REPLY.startsWith(heard)).toBe(true);
  expect(heard).toMatch(/^One two three four five\. Six/);
  expect(heard).not.toContain("ten");
});

test("the history keeps a reply whole when it was played to its end", async () => {
  const { prompts, stream } = wordByWordCall();
  await stream(LOUD, 600);
  await stream(0, 4000);
  await stream(LOUD, 600);
  await stream(0, 800);
  expect(prompts[1]?.messages[2]).toEqual({ role: "assistant", content: REPLY });
});

test("voice activity is reported every 0.2 s, independent of the frame length", async () => {
  const { stream, types } = wordByWordCall();
  await stream(0, 10_000);
  expect(types().filter((type) => type === "voice_activity")).toHaveLength(50);
});

test.each([false, true])(
  "the turn ends later after a question of the assistant (settings change during the turn: %s)",
  async (change) => {
    const { session, stream, types } = wordByWordCall({ greeting: "What is your number?" });
    session.configure({ turnDetection: { contextAwareness: { enabled: true } } });
    await stream(0, 2000);
    await stream(LOUD, 600);
    if (change) session.configure({ emotionDetection: { enabled: false } });
    await stream(0, 800);
    expect(types()).toContain("turn_start");
    expect(types()).not.toContain("turn_end");
    await stream(0, 400);
    expect(types()).toContain("turn_end");
  },
);

test("a turn's emotion is sent after its transcript and before the reply, even before a prepared reply", async () => {
  const { session, stream, types } = wordByWordCall({ speculation: new SpeculationCounts() });
  session.configure({ emotionDetection: { updates: "on-turn-end" } });
  await stream(LOUD, 1200);
  await stream(0, 800);
  const order = types().filter((type) => ["turn_end", "emotion_update", "llm_response_chunk"].includes(type));
  expect(order.slice(0, 3)).toEqual(["turn_end", "emotion_update", "llm_response_chunk"]);
});

test("a turn is announced to its end or not at all when turn detection is switched during it", async () => {
  for (const enabled of [false, true]) {
    const { sent, session, stream } = wordByWordCall();
    session.configure({ turnDetection: { enabled: !enabled } });
    await stream(LOUD, 600);
    session.configure({ turnDetection: { enabled } });
    await stream(0, 3000);
    await stream(LOUD, 600);
    await stream(0, 800);
    const turns = (event: string) =>
      sent.filter(({ type }) => type === event).map(({ data }) => (data as { turn_id: string }).turn_id);
    expect(turns("turn_start")).toEqual([enabled ? "c.2" : "c.1"]);
    expect(turns("turn_end")).toEqual(turns("turn_start"));
  }
});

test.each([undefined, new SpeculationCounts()])("a reply does not wait for a prefill", async (speculation) => {
  const { stream, types } = wordByWordCall({ readsForEver: true, speculation });
  await stream(LOUD, 600);
  await stream(0, 1000);
  expect(types()).toContain("tts_chunk");
});

test("close stops all messages and timers and releases the engines", async () => {
  for (const speakFirst of [false, true]) {
    const { clock, sent, session, stream, settle, open } = wordByWordCall();
    if (speakFirst) {
      await stream(LOUD, 600);
      await stream(0, 900);
    } else await stream(LOUD, 400);
    await session.close();
    const count = sent.length;
    session.pushAudio(new Int16Array(2400));
    clock.advance(10_000);
    await settle();
    expect(sent).toHaveLength(count);
    expect(clock.pendingTimers).toBe(0);
    expect(open()).toBe(0);
  }
});

test("given text stops the reply, and the model gets it after the heard part", async () => {
  const { prompts, session, stream, types } = wordByWordCall();
  await stream(LOUD, 600);
  await stream(0, 2000);
  session.addText("(They pressed 1.)");
  await stream(0, 200);
  expect(types()).toContain("tts_interruption");
  const messages = withoutTime(prompts[1]?.messages.slice(1) ?? []);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(REPLY.startsWith(messages[1]?.content ?? "-")).toBe(true);
  expect(messages[1]?.content.length).toBeLessThan(REPLY.length);
  expect(messages[2]?.content).toBe("(They pressed 1.)");
});

test("facts of the call stand beside the caller's words", async () => {
  const { prompts, session, stream } = wordByWordCall();
  session.configure({ callFacts: ["The caller's number is 42."] });
  await stream(LOUD, 600);
  await stream(0, 1000);
  expect(prompts[0]?.messages[1]?.content).toBe("(The caller's number is 42.)");
});

test("a client that reports its playback late has heard less", async () => {
  const { prompts, session, stream } = wordByWordCall();
  await stream(LOUD, 600);
  await stream(0, 1200);
  session.reportPlayback({ type: "played", reply: 1, playedMs: 120 });
  await stream(0, 1200);
  session.addText("And?");
  await stream(0, 200);
  expect(withoutTime(prompts[1]?.messages.slice(1) ?? [])[1]?.content ?? "").toMatch(/^(One)?( two)?$/u);
});
