import { expect, test } from "vitest";
import { SpeculationCounts } from "../../src/conversation/reply/speculation-counts.ts";
import { LOUD } from "../support/scripted-call.ts";
import { withoutTime } from "../support/time-notes.ts";
import { REPLY, wordByWordCall } from "../support/word-by-word-call.ts";

test("after an interruption the model knows only what was heard of its reply", async () => {
  const { prompts, stream, types } = wordByWordCall();
  await stream(LOUD, 600);
  await stream(0, 600);
  await stream(0, 1400); // the first clause and two words of the second
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

test("a reply that was played to its end is remembered whole", async () => {
  const { prompts, stream } = wordByWordCall();
  await stream(LOUD, 600);
  await stream(0, 4000);
  await stream(LOUD, 600);
  await stream(0, 800);
  expect(prompts[1]?.messages[2]).toEqual({ role: "assistant", content: REPLY });
});

test("voice activity comes every 0.2 s, whatever the frame", async () => {
  const { stream, types } = wordByWordCall();
  await stream(0, 10_000);
  expect(types().filter((type) => type === "voice_activity")).toHaveLength(50);
});

test.each([false, true])(
  "the box's question lets it wait longer; settings that change in mid-turn: %s",
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

test("a turn's emotion is told after its transcript and before the reply, even one that is ready", async () => {
  const { session, stream, types } = wordByWordCall({ speculation: new SpeculationCounts() });
  session.configure({ emotionDetection: { updates: "on-turn-end" } });
  await stream(LOUD, 1200);
  await stream(0, 800);
  const order = types().filter((type) => ["turn_end", "emotion_update", "llm_response_chunk"].includes(type));
  expect(order.slice(0, 3)).toEqual(["turn_end", "emotion_update", "llm_response_chunk"]);
});

test("turn detection switched in mid-turn: that turn is announced to its end, or not at all", async () => {
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

test.each([undefined, new SpeculationCounts()])("a reply does not wait for what is read ahead", async (speculation) => {
  const { stream, types } = wordByWordCall({ readsForEver: true, speculation });
  await stream(LOUD, 600);
  await stream(0, 1000);
  expect(types()).toContain("tts_chunk");
});

test("after close nothing is sent, no timer is left and the engines have everything back", async () => {
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
