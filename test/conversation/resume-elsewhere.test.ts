import { expect, onTestFinished, test, vi } from "vitest";
import { demoHouseTools } from "../../src/tools/builtin/demo-house.ts";
import { endCallTool } from "../../src/tools/builtin/end-call.ts";
import { TimerBook } from "../../src/tools/builtin/timer-book.ts";
import { timerTools } from "../../src/tools/builtin/timers.ts";
import { lossyCall } from "../support/lossy-call.ts";
import { LOUD } from "../support/scripted-call.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { withoutTime } from "../support/time-notes.ts";
import { manualTool } from "../support/tools.ts";

const REPLY = ["One two three four five. ", "Six seven eight nine ten. ", "Eleven twelve."];

async function inTheReply(script: Parameters<typeof lossyCall>[0] = {}) {
  const call = lossyCall({ generate: async function* generate() { yield* REPLY; }, ...script }); // prettier-ignore
  await call.stream(LOUD, 600);
  await call.stream(0, 600);
  return call;
}

test("a reply goes on from the place that the client counted, also beyond the snapshot", async () => {
  const call = await inTheReply();
  const snapshot = call.session.snapshot();
  // The box speaks on for a sentence, and is killed.
  await call.stream(0, 1_800);
  call.cut();
  call.received.length = 0;
  await call.move(snapshot);
  const { reply, messages } = await call.back();
  expect(messages).toBe(2);
  expect(reply).toMatchObject({ text: REPLY.join(""), continuesAt: 24 });
  await call.stream(0, 4_000);
  expect(call.texts().join("")).toBe(REPLY.slice(1).join(""));
  expect(call.prompts).toHaveLength(1);
  await call.stream(LOUD, 600);
  await call.stream(0, 800);
  expect(withoutTime(call.prompts[1]?.messages.slice(1) ?? [])).toEqual([
    { role: "user", content: "hello there my friend" },
    { role: "assistant", content: REPLY.join("").trim() },
    { role: "user", content: "hello there my friend" },
  ]);
});

test("the words so far of a turn are kept and answered", async () => {
  const call = lossyCall();
  call.session.configure({ language: "de" });
  await call.stream(LOUD, 1_500);
  expect(call.received.map(({ type }) => type)).toContain("transcription");
  call.cut();
  await call.move();
  expect(await call.back()).toMatchObject({ messages: 1, unansweredWords: "hello there my friend" });
  expect(call.received.findLast(({ type }) => type === "status")?.data).toMatchObject({
    details: { applied_settings: { language: "de" } },
  });
  await call.stream(0, 3_000);
  expect(call.prompts).toHaveLength(1);
  expect(call.texts().join("")).toContain("One two");
});

test("a call of an older version, whose settings lack a field, goes on with its default", async () => {
  const call = await inTheReply();
  const snapshot = call.session.snapshot();
  const { phrases: _, ...older } = snapshot.settings;
  await call.move({ ...snapshot, settings: older as typeof snapshot.settings });
  await call.back();
  await call.stream(0, 4_000);
  await call.stream(LOUD, 600);
  await call.stream(0, 800);
  expect(call.prompts).toHaveLength(2);
});

test("a call that ran is said to be unknown, and is answered once", async () => {
  const { tool, runs } = manualTool("book");
  const call = await inTheReply({
    openTools: () => [tool],
    async *generate({ messages }) {
      if (messages.at(-1)?.role === "call") yield "I do not know whether it is booked.";
      else yield { id: "1", name: "book", arguments: "{}" };
    },
  });
  await call.move();
  expect(await call.back()).toMatchObject({ calls: [] });
  await call.stream(0, 3_000);
  expect(runs).toHaveLength(1);
  expect(call.prompts).toHaveLength(2);
  expect(call.prompts[1]?.messages.at(-1)).toMatchObject({
    role: "call",
    content: expect.stringContaining("not known whether") as unknown,
  });
  expect(call.texts().join("")).toBe("I do not know whether it is booked.");
});

test("a client's call is asked again with its id, and its result is answered", async () => {
  const clientTool = { name: "map", description: "", parameters: { type: "object" }, client: true } as const;
  const call = lossyCall({
    voice: { tools: [{ ...clientTool, timeout_seconds: 2, cancel_on_interrupt: false }] },
    async *generate({ messages }) {
      if (messages.at(-1)?.role === "call") yield "Here it is.";
      else yield { id: "7", name: "map", arguments: '{"zoom":2}' };
    },
  });
  call.session.configure({ runsTools: true });
  await call.stream(LOUD, 600);
  await call.stream(0, 700);
  call.received.length = 0;
  await call.move();
  expect(await call.back()).toMatchObject({ calls: [{ id: "7", name: "map", isClients: true }] });
  const asked = call.received.filter(({ type }) => type === "tool_call");
  expect(asked.map(({ data }) => data)).toEqual([
    { run_by: "client", call_id: "7", name: "map", arguments: { zoom: 2 } },
  ]);
  expect(call.session.giveToolResult("7", "shown", false)).toBe(true);
  await call.stream(0, 3_000);
  expect(call.texts().join("")).toBe("Here it is.");
});

test("timers ring once, on the new box; texts that waited are said", async () => {
  const books: TimerBook[] = [];
  const clock = new VirtualClock();
  const call = lossyCall({
    clock,
    openTools: (control) => {
      const book = new TimerBook(clock);
      books.push(book);
      return timerTools(control, book);
    },
    transcribe: async () => "a tea timer for twenty seconds",
    async *generate({ messages }) {
      if (messages.at(-1)?.role === "call") yield "Set.";
      else yield { id: "1", name: "set_timer", arguments: '{"seconds":20,"label":"tea"}' };
    },
  });
  await call.stream(LOUD, 600);
  await call.stream(0, 4_000);
  await call.lose();
  expect(call.session.say("Your taxi is here.", "next")).toBe(true);
  const snapshot = call.session.snapshot();
  call.session.forgetTimers();
  await call.move(snapshot);
  call.received.length = 0;
  expect(await call.back()).toMatchObject({ timers: [{ kind: "timer", label: "tea" }] });
  await call.stream(0, 3_000);
  expect(call.texts().join("")).toBe("Your taxi is here.");
  call.received.length = 0;
  await call.stream(0, 20_000, 500);
  expect(call.texts().join("")).toContain("tea");
  expect(call.texts().filter((text) => text.includes("tea"))).toHaveLength(1);
  for (const book of books) book.close();
});

test.each([
  ["after the resume", 1_000],
  ["before the resume", 30_000],
])("a box that closed the call itself, and gets it again, rings its timer once, due %s", async (_, goneMs) => {
  const clock = new VirtualClock();
  const book = new TimerBook(clock);
  const call = lossyCall({
    clock,
    openTools: (control) => timerTools(control, book),
    transcribe: async () => "a tea timer for twenty seconds",
    async *generate({ messages }) {
      if (messages.at(-1)?.role === "call") yield "Set.";
      else yield { id: "1", name: "set_timer", arguments: '{"seconds":20,"label":"tea"}' };
    },
  });
  await call.stream(LOUD, 600);
  await call.stream(0, 4_000);
  await call.lose();
  const snapshot = call.session.snapshot();
  await call.session.close();
  clock.advance(goneMs);
  await call.move(snapshot, goneMs);
  call.received.length = 0;
  expect((await call.back()).timers).toHaveLength(1);
  await call.stream(0, 25_000, 500);
  expect(call.texts().filter((text) => text.includes("tea"))).toHaveLength(1);
  book.close();
});

test.each([3_600_000, -3_600_000])("a box whose clock is %s ms apart rings a timer when it is due", async (apartMs) => {
  const clock = new VirtualClock();
  const books: TimerBook[] = [];
  const call = lossyCall({
    clock,
    openTools: (control) => {
      const book = new TimerBook(clock);
      books.push(book);
      return timerTools(control, book);
    },
    transcribe: async () => "a tea timer for twenty seconds",
    async *generate({ messages }) {
      if (messages.at(-1)?.role === "call") yield "Set.";
      else yield { id: "1", name: "set_timer", arguments: '{"seconds":20,"label":"tea"}' };
    },
  });
  await call.stream(LOUD, 600);
  await call.stream(0, 4_000);
  await call.lose();
  const snapshot = call.session.snapshot();
  clock.advance(5_000);
  const now = Date.now.bind(Date);
  const wallClock = vi.spyOn(Date, "now").mockImplementation(() => now() + apartMs);
  onTestFinished(() => wallClock.mockRestore());
  await call.move(snapshot, 5_000);
  call.received.length = 0;
  const [timer] = (await call.back()).timers;
  expect(timer?.leftMs).toBeGreaterThan(8_000);
  expect(timer?.leftMs).toBeLessThanOrEqual(15_000);
  await call.stream(0, 7_000, 500);
  expect(call.texts().join("")).not.toContain("tea");
  await call.stream(0, 12_000, 500);
  expect(call.texts().filter((text) => text.includes("tea"))).toHaveLength(1);
  for (const book of books) book.close();
});

test("the demonstration house keeps its state", async () => {
  const call = lossyCall({
    openTools: demoHouseTools,
    async *generate({ messages }) {
      if (messages.at(-1)?.role === "call") yield "Done.";
      else if (messages.filter(({ role }) => role === "call").length > 0)
        yield { id: "2", name: "get_house", arguments: "{}" }; // prettier-ignore
      else yield { id: "1", name: "set_light", arguments: '{"room":"study","on":true,"brightness":40}' };
    },
  });
  await call.stream(LOUD, 600);
  await call.stream(0, 4_000);
  call.cut();
  await call.move();
  await call.back();
  await call.stream(LOUD, 600);
  await call.stream(0, 4_000);
  const result = call.prompts.at(-1)?.messages.at(-1)?.content ?? "";
  expect(JSON.parse(result)).toMatchObject({ study: { light: true, brightness: 40 }, kitchen: { light: false } });
});

test("a call that a tool ends ends on the new box, at whatever moment the box is lost", async () => {
  for (let lateMs = 0; lateMs <= 2_000; lateMs += 100) {
    const call = lossyCall({
      openTools: (control) => [endCallTool(control)],
      async *generate({ messages }) {
        if (messages.at(-1)?.role === "call") yield "Goodbye.";
        else yield { id: "1", name: "end_call", arguments: "{}" };
      },
    });
    call.session.configure({ runsTools: true });
    await call.stream(LOUD, 600);
    await call.stream(0, 800 + lateMs);
    const hasEnded = call.received.some(({ type }) => type === "call_end");
    call.cut();
    await call.move();
    await call.back();
    await call.stream(0, 4_000);
    if (!hasEnded) expect(call.types(), `${String(lateMs)} ms`).toContain("call_end");
  }
});

test("a greeting that was not heard is said on the new box, without asking the model", async () => {
  const call = lossyCall({ greeting: "Good day." });
  call.cut();
  await call.move();
  await call.back();
  await call.stream(0, 3_000);
  expect(call.texts().join("")).toBe("Good day.");
  expect(call.prompts).toEqual([]);
});
