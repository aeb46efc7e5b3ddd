import { describe, expect, onTestFinished, test, vi } from "vitest";
import { SpeculationCounts } from "../../src/conversation/reply/speculation-counts.ts";
import { LOUD } from "../support/scripted-call.ts";
import { withoutTime } from "../support/time-notes.ts";
import { REPLY, wordByWordCall } from "../support/word-by-word-call.ts";

const REPLY_EVENTS = ["llm_response_chunk", "tts_chunk"];

const answered = (types: readonly string[]) => types.some((type) => REPLY_EVENTS.includes(type));

test("a reply is prepared before the turn ends and is sent only after the turn's end", async () => {
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

test("a prepared reply is kept when the final transcript has the same words", async () => {
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

test("a prepared reply is kept when the minute changes", async () => {
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

test("a prepared reply is dropped when the caller says more, and the history does not contain it", async () => {
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

describe("the recogniser knows words before the final", () => {
  /** A turn whose final words come when the test calls for them. */
  async function turn(earlyText: string, finalText: string) {
    const speculation = new SpeculationCounts();
    let finish!: (text: string) => void;
    const final = new Promise<string>((resolve) => (finish = resolve));
    const call = wordByWordCall({
      speculation,
      early: () => earlyText,
      hear: (kind) => (kind === "final" ? final : ""),
    });
    await call.stream(LOUD, 300);
    await call.stream(0, 1500);
    const before = { prompts: call.prompts.length, types: call.types() };
    finish(finalText);
    await call.stream(0, 300);
    const asked = call.prompts.map(({ messages }) => withoutTime(messages).at(-1)?.content);
    return { ...call, speculation, before, asked };
  }

  test("the reply is prepared with them, and kept when the final says the same", async () => {
    const { before, types, asked, speculation } = await turn("turn it on", "Turn it on.");
    // The turn waits for the final.
    expect(before.prompts).toBe(1);
    expect(before.types).not.toContain("turn_end");
    expect(types()).toContain("tts_chunk");
    expect(asked).toEqual(["turn it on"]);
    expect(speculation).toMatchObject({ started: 1, kept: 1, dropped: 0 });
  });

  test("the reply is made again when the final says something else", async () => {
    const { types, asked, all, speculation } = await turn("turn it on", "turn it off");
    expect(types()).toContain("tts_chunk");
    expect(asked).toEqual(["turn it on", "turn it off"]);
    expect(all("turn_end")).toMatchObject([{ transcript: "turn it off" }]);
    expect(speculation).toMatchObject({ kept: 0, dropped: 1 });
  });
});

test("at most three replies are prepared for one turn", async () => {
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

test("no reply is prepared for a turn of more than ten seconds", async () => {
  const started = async (spokenMs: number) => {
    const speculation = new SpeculationCounts();
    const { session, stream } = wordByWordCall({ speculation });
    session.configure({ turnDetection: { backgroundNoiseAdaptation: false } }); // Constant sound would be noise.
    await stream(LOUD, spokenMs);
    await stream(0, 400);
    return speculation.started;
  };
  expect(await started(9_000)).toBe(1);
  expect(await started(11_000)).toBe(0);
});

test("a prepared reply is dropped when settings change", async () => {
  const speculation = new SpeculationCounts();
  const { prompts, session, stream } = wordByWordCall({ speculation });
  await stream(LOUD, 600);
  await stream(0, 400);
  session.configure({ responseStyle: { tone: "cheerful" } });
  await stream(0, 800);
  expect(prompts).toHaveLength(2);
  expect(prompts[1]?.messages[1]?.content).toContain("cheerful");
  expect(speculation).toMatchObject({ started: 1, kept: 0, dropped: 1 });
});

test("a prepared reply that failed is generated again without an error message", async () => {
  const speculation = new SpeculationCounts();
  const { prompts, stream, types } = wordByWordCall({ speculation, failReply: true });
  await stream(LOUD, 600);
  await stream(0, 800);
  expect(prompts).toHaveLength(2);
  expect(types()).not.toContain("error");
  expect(types()).toContain("tts_chunk");
});

test("a call that ends during the pause leaves no work running", async () => {
  const speculation = new SpeculationCounts();
  const { session, stream, open } = wordByWordCall({ speculation });
  await stream(LOUD, 600);
  await stream(0, 400);
  await session.close();
  expect(open()).toBe(0);
  expect(speculation).toMatchObject({ started: 1, dropped: 1 });
});
