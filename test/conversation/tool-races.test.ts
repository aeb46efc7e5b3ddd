import { expect, test } from "vitest";
import type { GenerateRequest, ToolCall } from "../../src/engines/llm/language-model.ts";
import type { CallControl, Tool } from "../../src/conversation/tool-calls/tool.ts";
import { TimerBook } from "../../src/tools/builtin/timer-book.ts";
import { timerTools } from "../../src/tools/builtin/timers.ts";
import { LOUD, scriptedCall, type Script } from "../support/scripted-call.ts";
import { manualTool } from "../support/tools.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const call = (name: string, id = "1", args = "{}"): ToolCall => ({ id, name, arguments: args });
const results = ({ messages }: GenerateRequest) =>
  messages.flatMap((message) => (message.role === "call" ? [message.content] : []));
const quickly = (name: string, run: () => string): Tool => ({ ...manualTool(name).tool, run: async () => run() });
const endCall = ({ end }: CallControl): Tool =>
  quickly("end_call", () => (end({ transferTo: undefined, reason: "", summary: "" }), "ends"));

/** Replies in this order; afterwards "Well then." */
function inTurn(...replies: readonly (readonly (string | ToolCall)[])[]): NonNullable<Script["generate"]> {
  const left = [...replies];
  return async function* generate() {
    yield* left.shift() ?? ["Well then."];
  };
}
async function speak({ stream }: ReturnType<typeof scriptedCall>, ms = 1_500): Promise<void> {
  await stream(LOUD, 1_000);
  await stream(0, ms);
}
const said = ({ all }: ReturnType<typeof scriptedCall>) =>
  all("llm_response_chunk")
    .flatMap(({ content }) => (content === "" ? [] : [content]))
    .join("|");

test("a model that repeats one call for ever is stopped", async () => {
  let asked = 0;
  const conversation = scriptedCall({
    openTools: () => [quickly("hours", () => "nine to five")],
    voice: { tool_limits: { per_turn: 3, per_minute: 30 } },
    generate: async function* generate({ toolChoice }) {
      asked += 1;
      if (toolChoice === "none" || asked > 20) yield "At nine.";
      else yield call("hours", String(asked));
    },
  });
  await speak(conversation, 3_000);
  expect(asked).toBe(4);
});

test("a call that still runs is not made again in the caller's next turn", async () => {
  const { tool, runs } = manualTool("book");
  const conversation = scriptedCall({
    openTools: () => [tool],
    generate: inTurn([call("book", "1")], [call("book", "2")], ["It is booked."]),
  });
  await speak(conversation);
  await speak(conversation);
  expect(runs).toHaveLength(1);
  runs[0]?.done("table 4");
  await conversation.stream(0, 1_000);
  expect(results(conversation.prompts.at(-1)!)).toEqual(["table 4", "table 4"]);
});

test("a call that has ended waits for a slower one of the same reply", async () => {
  const { tool, runs } = manualTool("book");
  const conversation = scriptedCall({
    openTools: () => [quickly("light", () => "on"), tool],
    generate: inTurn([call("light", "1"), "And the table. ", call("book", "2")], ["Both are done."]),
  });
  await speak(conversation, 3_000);
  expect(conversation.prompts).toHaveLength(1);
  runs[0]?.done("table 4");
  await conversation.stream(0, 2_500);
  expect(results(conversation.prompts[1]!)).toEqual(["on", "table 4"]);
});

test("a slow call of a later turn does not delay the answer to an earlier one", async () => {
  const early = manualTool("book");
  const late = manualTool("report");
  const conversation = scriptedCall({
    openTools: () => [early.tool, late.tool],
    generate: inTurn([call("book", "1")], [call("report", "2")], ["It is booked."], ["It is reported."]),
  });
  await speak(conversation);
  await speak(conversation);
  early.runs[0]?.done("table 4");
  await conversation.stream(0, 2_500);
  expect(said(conversation)).toContain("It is booked.");
  late.runs[0]?.done("sent");
  await conversation.stream(0, 2_500);
  expect(said(conversation)).toContain("It is reported.");
});

test("a slow call of an earlier turn does not delay the answer to a later one", async () => {
  const { tool } = manualTool("book", { filler: "One moment." });
  const conversation = scriptedCall({
    openTools: () => [quickly("light", () => "on"), tool],
    generate: inTurn([call("book", "1")], [call("light", "2")], ["The light is on."]),
  });
  await speak(conversation);
  await speak(conversation, 3_000);
  expect(said(conversation)).toContain("The light is on.");
});

test("the call does not end before its running tools have been answered", async () => {
  const { tool, runs } = manualTool("book");
  const conversation = scriptedCall({
    openTools: (control) => [tool, endCall(control)],
    generate: inTurn([call("book", "1"), call("end_call", "2")], ["It is booked. Goodbye."]),
  });
  conversation.session.configure({ runsTools: true });
  await speak(conversation, 4_000);
  expect(conversation.all("call_end")).toEqual([]);
  runs[0]?.done("table 4");
  await conversation.stream(0, 3_000);
  expect(said(conversation)).toMatch(/Goodbye\.$/u);
  expect(conversation.all("call_end")).toHaveLength(1);
});

test("a second end of the call replaces the first", async () => {
  let end: CallControl["end"] = () => undefined;
  const conversation = scriptedCall({ openTools: (control) => ((end = control.end), []) });
  conversation.session.configure({ runsTools: true });
  await conversation.stream(0, 100);
  for (const reason of ["first", "second"]) {
    end({ transferTo: undefined, reason, summary: "" });
    await conversation.stream(0, 200);
  }
  await conversation.stream(0, 2_000);
  expect(conversation.all("call_end")).toEqual([expect.objectContaining({ reason: "second" })]);
});

test("a tool that never ends is answered as a failure", async () => {
  const conversation = scriptedCall({
    openTools: () => [manualTool("book").tool],
    generate: inTurn([call("book")], ["That did not work."]),
  });
  await speak(conversation);
  await conversation.stream(0, 125_000, 500);
  expect(said(conversation)).toMatch(/That did not work\.$/u);
});

test("a text to be said now comes before the texts that wait, and loses none", async () => {
  const conversation = scriptedCall({ synthesize: (text) => (text === "One." ? new Promise(() => undefined) : beep) });
  conversation.session.say("One.", "next");
  conversation.session.say("Two.", "next");
  await conversation.stream(0, 300);
  conversation.session.say("Now.", "now");
  await conversation.stream(0, 1_500);
  expect(said(conversation)).toBe("One.|Now.|One.");
});
const beep = Promise.resolve(new Float32Array(24_000).fill(0.5));

test("a text to be said now does not cost the caller their answer", async () => {
  let think: () => void = () => undefined;
  const thought = new Promise<void>((resolve) => (think = resolve));
  const conversation = scriptedCall({
    generate: async function* generate() {
      await thought;
      yield "Yes.";
    },
  });
  await speak(conversation);
  conversation.session.say("Now.", "now");
  think();
  await conversation.stream(0, 3_000);
  expect(said(conversation)).toBe("Now.|Yes.");
});

test("a text that is refused stops nothing", async () => {
  const conversation = scriptedCall();
  await speak(conversation, 1_200);
  while (conversation.session.say("Next.", "next"));
  expect(conversation.session.say("Now.", "now")).toBe(false);
  await conversation.stream(0, 1_000);
  expect(said(conversation)).toBe("One two three four five. |Six seven eight nine ten.");
});

test("a noise before a text is audible does not cost the caller the text while a tool runs", async () => {
  let isStuck = true;
  let words = "book a table";
  const conversation = scriptedCall({
    openTools: () => [manualTool("book").tool],
    transcribe: async () => words,
    synthesize: () => (isStuck ? new Promise(() => undefined) : beep),
    generate: inTurn([call("book")]),
  });
  await speak(conversation);
  conversation.session.say("Your taxi is here.", "next");
  await conversation.stream(0, 200);
  words = "";
  isStuck = false;
  await conversation.stream(LOUD, 500);
  await conversation.stream(0, 4_000);
  expect(conversation.prompts).toHaveLength(1);
  expect(conversation.all("llm_response_chunk").filter(({ content }) => content === "Your taxi is here.")).toHaveLength(
    2,
  );
  expect(conversation.all("tts_chunk").length).toBeGreaterThan(0);
});

test("texts are said after a turn of a client that sends no audio between its turns", async () => {
  const conversation = scriptedCall();
  conversation.session.configure({ turnDetection: { endedBy: "client", answers: false } });
  await conversation.stream(LOUD, 1_000);
  conversation.session.say("Your taxi is here.", "next");
  expect(said(conversation)).toBe("");
  conversation.session.endTurn();
  for (let ms = 0; ms < 2_000; ms += 100) {
    await conversation.settle();
    conversation.clock.advance(100);
  }
  expect(said(conversation)).toBe("Your taxi is here.");
});

test("a response that the client asks for is not replaced by a text of the same moment", async () => {
  const conversation = scriptedCall();
  await conversation.stream(0, 100);
  conversation.session.pushAudio(new Int16Array(24_000));
  conversation.session.respond({ instructions: "Greet them." });
  conversation.session.say("Your taxi is here.", "next");
  await conversation.stream(0, 6_000);
  expect(conversation.prompts).toHaveLength(1);
  expect(said(conversation)).toMatch(/\|Your taxi is here\.$/u);
});

test("a response beside the conversation runs no configured tool", async () => {
  const { tool, runs } = manualTool("book");
  const conversation = scriptedCall({ openTools: () => [tool], generate: inTurn([call("book")]) });
  await conversation.stream(0, 100);
  conversation.session.respond({ isSide: true, settings: { tools: [tool.definition] } });
  await conversation.stream(0, 1_000);
  expect(conversation.prompts).toHaveLength(1);
  expect(runs).toEqual([]);
});

test("a response with a prompt of its own does not count as the answer to a result", async () => {
  const { tool, runs } = manualTool("book");
  const conversation = scriptedCall({ openTools: () => [tool], generate: inTurn([call("book")]) });
  await speak(conversation, 900);
  await conversation.stream(LOUD, 500);
  runs[0]?.done("table 4");
  conversation.session.configure({ turnDetection: { answers: false } });
  conversation.session.respond({ messages: [{ role: "user", content: "Say something else." }] });
  await conversation.stream(0, 6_000);
  expect(results(conversation.prompts.at(-1)!)).toEqual(["table 4"]);
});

const clientTool = {
  name: "show_map",
  description: "Shows a map.",
  parameters: { type: "object" },
  client: true,
  timeout_seconds: 10,
  cancel_on_interrupt: false,
} as const;

test("client tools that are switched off while a reply is written keep one result", async () => {
  const conversation = scriptedCall({
    voice: { tools: [clientTool] },
    generate: inTurn([call("show_map", "1"), "Look. "], ["Well."]),
  });
  conversation.session.configure({ runsTools: true });
  await speak(conversation, 1_200);
  conversation.session.configure({ runsTools: false });
  expect(conversation.session.giveToolResult("1", "shown", false)).toBe(true);
  expect(conversation.session.giveToolResult("1", "shown", false)).toBe(false);
  await conversation.stream(0, 4_000);
  expect(results(conversation.prompts.at(-1)!)).toEqual(["shown"]);
});

test("a client tool that is switched off before it is called is answered", async () => {
  const conversation = scriptedCall({
    voice: { tools: [clientTool] },
    generate: async function* generate({ messages }) {
      if (messages.some(({ role }) => role === "call")) return yield "Sorry.";
      conversation.session.configure({ runsTools: false });
      yield call("show_map");
    },
  });
  conversation.session.configure({ runsTools: true });
  await speak(conversation, 2_000);
  expect(results(conversation.prompts.at(-1)!)[0]).toContain("did not complete");
});

test("a call that is written after its reply was stopped does not run", async () => {
  let write: () => void = () => undefined;
  const written = new Promise<void>((resolve) => (write = resolve));
  const { tool, runs } = manualTool("book");
  const conversation = scriptedCall({
    openTools: () => [tool],
    generate: async function* generate() {
      await written;
      yield call("book");
    },
  });
  await speak(conversation);
  conversation.session.stopReply();
  write();
  await conversation.stream(0, 500);
  expect(runs).toEqual([]);
});

test("a caller who waits for a tool does not count as idle", async () => {
  const { tool, runs } = manualTool("book");
  const conversation = scriptedCall({ openTools: () => [tool], generate: inTurn(["One moment. ", call("book")]) });
  conversation.session.configure({ turnDetection: { idleMs: 1_500 } });
  await speak(conversation, 8_000);
  expect(conversation.prompts).toHaveLength(1);
  runs[0]?.done("table 4");
  await conversation.stream(0, 5_000);
  expect(conversation.prompts.length).toBeGreaterThan(2);
});

test("the greeting comes before a text that waits for the caller, who need not send audio", async () => {
  const conversation = scriptedCall({
    greeting: "Welcome.",
    openTools: ({ onReady, say }) => (onReady(() => say("Your timer is over.")), []),
  });
  for (let ms = 0; ms < 4_000; ms += 100) {
    await conversation.settle();
    conversation.clock.advance(100);
  }
  expect(said(conversation)).toBe("Welcome.|Your timer is over.");
});

test("a call whose caller hangs up is reported once, and nothing is said after it", async () => {
  const { tool, runs } = manualTool("book");
  const conversation = scriptedCall({ openTools: () => [tool], generate: inTurn([call("book")]) });
  conversation.session.configure({ runsTools: true });
  await speak(conversation);
  await conversation.session.close();
  runs[0]?.done("table 4");
  await conversation.settle();
  expect(conversation.all("tool_call_end")).toEqual([
    { call_id: "1", name: "book", outcome: "cancelled", duration: expect.any(Number) as number },
  ]);
  expect(conversation.prompts).toHaveLength(1);
  expect(conversation.faults).toEqual([]);
});

const RING = "Your timer is done.";

/** A caller whose timer is due while they speak. It has not rung. */
async function speakingWhenDue(options: Pick<Script, "clock" | "openTools" | "synthesize">) {
  const setTimer = call("set_timer", "1", '{"seconds":6}');
  const conversation = scriptedCall({ ...options, generate: inTurn([setTimer]) });
  conversation.session.configure({ callerId: "ann" });
  await speak(conversation, 4_000);
  await conversation.stream(LOUD, 3_500);
  expect(said(conversation)).not.toContain(RING);
  return conversation;
}

test("a timer that is due while the caller speaks rings when they come back after they hung up", async () => {
  const clock = new VirtualClock();
  const book = new TimerBook(clock);
  const openTools = (control: CallControl) => timerTools(control, book);
  await (await speakingWhenDue({ clock, openTools })).session.close();
  const back = async () => {
    const conversation = scriptedCall({ clock, openTools });
    conversation.session.configure({ callerId: "ann" });
    await conversation.stream(0, 4_000);
    await conversation.session.close();
    return said(conversation);
  };
  expect(await back()).toBe(RING);
  expect(await back()).toBe("");
  book.close();
});

test.each([
  ["that waits to be spoken", false],
  ["that is spoken and not heard", true],
])("a timer %s rings once on another box, and once on the same one", async (_, isSpoken) => {
  for (const isSame of [true, false]) {
    const clock = new VirtualClock();
    const book = new TimerBook(clock);
    const other = new TimerBook(clock);
    const books = [book, isSame ? book : other];
    let release = () => {};
    let speech = isSpoken ? new Promise<void>((resolve) => (release = resolve)) : undefined;
    const conversation = await speakingWhenDue({
      clock,
      openTools: (control) => timerTools(control, books.shift() ?? book),
      synthesize: async (text) => (text === RING ? speech : undefined)?.then(() => beep) ?? beep,
    });
    // The end of the turn and its answer.
    if (isSpoken) await conversation.stream(0, 3_000);
    const snapshot = conversation.session.snapshot();
    speech = undefined;
    release();
    if (!isSame) conversation.session.forgetTimers();
    await conversation.move(snapshot);
    conversation.sent.length = 0;
    const { timers } = conversation.session.recover(undefined);
    conversation.session.attach();
    expect(timers.map(({ leftMs }) => leftMs)).toEqual([0]);
    await conversation.stream(0, 12_000);
    expect(conversation.all("llm_response_chunk").filter(({ content }) => content === RING)).toHaveLength(1);
    for (const each of [book, other]) each.close();
  }
});

test.each([
  [1_200, true],
  [6_000, false],
])(
  "a caller who speaks %i ms after a call: the model learns whether they heard its answer",
  async (afterMs, isTold) => {
    const conversation = scriptedCall({
      openTools: () => [quickly("light", () => "on")],
      generate: inTurn([call("light")], ["The light is now on."], ["Yes."]),
    });
    await speak(conversation, afterMs);
    await speak(conversation);
    const told = conversation.prompts.at(-1)?.messages.at(-1)?.content.includes("has not heard the result");
    expect(told).toBe(isTold);
  },
);
