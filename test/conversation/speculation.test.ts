import { expect, onTestFinished, test, vi } from "vitest";
import { SpeculationCounts } from "../../src/conversation/reply/speculation-counts.ts";
import { LOUD } from "../support/scripted-call.ts";
import { withoutTime } from "../support/time-notes.ts";
import { REPLY, wordByWordCall } from "../support/word-by-word-call.ts";

const REPLY_EVENTS = ["llm_response_chunk", "tts_chunk"];

const answered = (types: readonly string[]) => types.some((type) => REPLY_EVENTS.includes(type));

test("the reply is ready before the turn is over, and not a bit of it is sent before", async () => {
  const speculation = new SpeculationCounts();
  const { prompts, stream, types } = wordByWordCall({ speculation });
  await stream(LOUD, 600);
  await stream(0, 400);
  expect(prompts).toHaveLength(1);
  expect(answered(types())).toBe(false);
  await stream(0, 200);
  const order = types().filter((type) => type === "turn_end" || REPLY_EVENTS.includes(type));
  expect(order[0]).toBe("turn_end");
  expect(order).toContain("tts_chunk");
  expect(prompts).toHaveLength(1);
  expect(speculation).toMatchObject({ started: 1, kept: 1, dropped: 0 });
});

test("a user who goes on to say the same keeps it", async () => {
  const speculation = new SpeculationCounts();
  const texts = ["Hello.", "hello"];
  const { prompts, stream, types } = wordByWordCall({ speculation, hear: () => texts[prompts.length] ?? "hello" });
  await stream(LOUD, 600);
  await stream(0, 400);
  await stream(LOUD, 100);
  await stream(0, 800);
  expect(types()).toContain("tts_chunk");
  expect(prompts).toHaveLength(1);
  expect(speculation).toMatchObject({ started: 1, kept: 1, dropped: 0 });
});

test("a minute that turns while the reply waits does not void it", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-20T19:41:59Z") });
  onTestFinished(() => void vi.useRealTimers());
  const speculation = new SpeculationCounts();
  const { prompts, stream } = wordByWordCall({ speculation });
  await stream(LOUD, 600);
  await stream(0, 400);
  vi.setSystemTime(new Date("2026-11-20T19:42:01Z"));
  await stream(0, 3000);
  expect(speculation).toMatchObject({ started: 1, kept: 1, dropped: 0 });
  await stream(LOUD, 600);
  await stream(0, 800);
  expect(prompts.map(({ messages }) => /\d+:\d+ PM/.exec(messages.at(-1)?.content ?? "")?.[0])).toEqual([
    "7:41 PM",
    "7:42 PM",
  ]);
});

test("a user who goes on to say more gets another reply; the first leaves no trace in the history", async () => {
  const speculation = new SpeculationCounts();
  const texts = ["hello", "hello again", "and now"];
  const { prompts, stream } = wordByWordCall({ speculation, hear: () => texts[prompts.length] ?? "and now" });
  await stream(LOUD, 600);
  await stream(0, 400);
  await stream(LOUD, 200);
  await stream(0, 4000);
  expect(prompts.map(({ messages }) => withoutTime(messages).at(-1)?.content)).toEqual(["hello", "hello again"]);
  expect(speculation).toMatchObject({ started: 2, kept: 1, dropped: 1 });
  await stream(LOUD, 600);
  await stream(0, 4000);
  const last = withoutTime(prompts.at(-1)?.messages ?? []);
  expect(last.slice(1).map(({ content }) => content)).toEqual(["hello again", REPLY, "and now"]);
});

test("three replies are prepared for one turn at most", async () => {
  const speculation = new SpeculationCounts();
  let decodes = 0;
  const { stream } = wordByWordCall({ speculation, hear: () => `hello ${String((decodes += 1))}` });
  for (let pause = 0; pause < 6; pause += 1) {
    await stream(LOUD, 300);
    await stream(0, 400);
  }
  expect(speculation.started).toBe(3);
  await stream(0, 1000);
  expect(speculation.kept + speculation.dropped).toBe(speculation.started);
});

test("a long story is not answered before it is over", async () => {
  const started = async (spokenMs: number) => {
    const speculation = new SpeculationCounts();
    const { session, stream } = wordByWordCall({ speculation });
    session.configure({ turnDetection: { backgroundNoiseAdaptation: false } }); // so even a sound is no voice for long
    await stream(LOUD, spokenMs);
    await stream(0, 400);
    return speculation.started;
  };
  expect(await started(9_000)).toBe(1);
  expect(await started(11_000)).toBe(0);
});

test("new settings make a new reply", async () => {
  const speculation = new SpeculationCounts();
  const { prompts, session, stream } = wordByWordCall({ speculation });
  await stream(LOUD, 600);
  await stream(0, 400);
  session.configure({ responseStyle: { tone: "cheerful" } });
  await stream(0, 800);
  expect(prompts).toHaveLength(2);
  expect(prompts[1]?.messages[0]?.content).toContain("cheerful");
  expect(speculation).toMatchObject({ started: 1, kept: 0, dropped: 1 });
});

test("one that failed is tried again, and nobody is told", async () => {
  const speculation = new SpeculationCounts();
  const { prompts, stream, types } = wordByWordCall({ speculation, failReply: true });
  await stream(LOUD, 600);
  await stream(0, 800);
  expect(prompts).toHaveLength(2);
  expect(types()).not.toContain("error");
  expect(types()).toContain("tts_chunk");
});

test("a call that ends in the pause leaves nothing behind", async () => {
  const speculation = new SpeculationCounts();
  const { session, stream, open } = wordByWordCall({ speculation });
  await stream(LOUD, 600);
  await stream(0, 400);
  await session.close();
  expect(open()).toBe(0);
  expect(speculation).toMatchObject({ started: 1, dropped: 1 });
});
