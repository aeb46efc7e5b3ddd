import { expect, test } from "vitest";
import type { GenerateRequest, ToolCall } from "../../src/engines/llm/language-model.ts";
import { OakError } from "../../src/shared/errors.ts";
import { LOUD, scriptedCall, type Script } from "../support/scripted-call.ts";
import { manualTool } from "../support/tools.ts";

const call = (name: string, id = "1", args = "{}"): ToolCall => ({ id, name, arguments: args });

/** Replies in this order; afterwards "Well then." */
function inTurn(...replies: readonly (readonly (string | ToolCall)[])[]): NonNullable<Script["generate"]> {
  const left = [...replies];
  return async function* generate() {
    yield* left.shift() ?? ["Well then."];
  };
}
const calls = ({ messages }: GenerateRequest) =>
  messages.flatMap((message) => (message.role === "call" ? [message] : []));

/** A caller says one sentence and is silent until the turn is over. */
async function speak({ stream }: ReturnType<typeof scriptedCall>, ms = 1_500): Promise<void> {
  await stream(LOUD, 1_000);
  await stream(0, ms);
}
const said = ({ all }: ReturnType<typeof scriptedCall>) =>
  all("llm_response_chunk")
    .map(({ content }) => content)
    .join("");

test("a tool runs after the turn, and the model answers from its result", async () => {
  const { tool, runs } = manualTool("open_hours");
  const conversation = scriptedCall({
    openTools: () => [tool],
    generate: inTurn(["Let me look. ", call("open_hours", "1", '{"day":"monday"}')], ["We open at nine."]),
  });
  await speak(conversation);
  expect(runs.map(({ args, callId }) => [args, callId])).toEqual([[{ day: "monday" }, "1"]]);
  runs[0]?.done("nine to five");
  await conversation.stream(0, 3_000);
  expect(said(conversation)).toBe("Let me look. We open at nine.");
  expect(calls(conversation.prompts[1]!)).toEqual([
    { role: "call", name: "open_hours", arguments: '{"day":"monday"}', content: "nine to five" },
  ]);
  expect(conversation.faults).toEqual([]);
});

test("a reply that is prepared before the turn is over runs no tool", async () => {
  const { tool, runs } = manualTool("book");
  let spoken = 0;
  const conversation = scriptedCall({
    openTools: () => [tool],
    speculation: { started: 0, kept: 0, dropped: 0, wastedMs: 0 },
    transcribe: async () => (spoken < 2 ? "book a table for two" : "book a table for two no for three"),
    generate: async function* generate({ messages }) {
      const asked = messages.at(-1)?.content ?? "";
      yield call("book", asked, JSON.stringify({ people: asked.includes("three") ? 3 : 2 }));
    },
  });
  await conversation.stream(LOUD, 1_000);
  await conversation.stream(0, 300);
  spoken = 2;
  expect(conversation.prompts.length).toBeGreaterThan(0);
  expect(runs).toEqual([]);
  await conversation.stream(LOUD, 600);
  await conversation.stream(0, 1_500);
  expect(runs.map(({ args }) => args)).toEqual([{ people: 3 }]);
});

test("several calls of one reply are answered together", async () => {
  const [light, timer] = [manualTool("light"), manualTool("timer")];
  const conversation = scriptedCall({
    openTools: () => [light.tool, timer.tool],
    generate: inTurn([call("light", "1"), call("timer", "2")], ["Both are done."]),
  });
  await speak(conversation, 900);
  light.runs[0]?.done("on");
  await conversation.stream(0, 500);
  expect(conversation.prompts).toHaveLength(1);
  timer.runs[0]?.done("set");
  await conversation.stream(0, 500);
  expect(conversation.prompts).toHaveLength(2);
  expect(calls(conversation.prompts[1]!).map(({ content }) => content)).toEqual(["on", "set"]);
});

test("after a second of silence one filler is spoken, and it does not become part of the conversation", async () => {
  const { tool, runs } = manualTool("slow");
  const conversation = scriptedCall({ openTools: () => [tool], generate: inTurn([call("slow")], ["Here it is."]) });
  await speak(conversation, 1_000);
  expect(said(conversation)).toBe("");
  await conversation.stream(0, 8_000);
  expect(said(conversation)).toMatch(/^(One moment, please\.|Let me check that for you\.)$/u);
  runs[0]?.done("found");
  await conversation.stream(0, 2_000);
  expect(said(conversation)).toMatch(/Here it is\.$/u);
  expect(JSON.stringify(conversation.prompts[1]!.messages)).not.toMatch(/moment|check/u);
});

test("fillers are spoken between quick tools whose calls follow each other in silence", async () => {
  const names = ["light", "heating", "timer", "door", "goodbye"];
  const tools = names.map((name) => manualTool(name, { confirm: false }));
  let round = 0;
  const conversation = scriptedCall({
    transcribe: async () => "turn off light heating timer, close the door, and goodbye",
    openTools: () => tools.map(({ tool }) => tool),
    generate: async function* generate() {
      const name = names[round];
      round += 1;
      await new Promise<void>((resolve) => conversation.clock.after(1_400, resolve));
      if (name === undefined) yield "All is off. Goodbye.";
      else yield call(name);
    },
  });
  await speak(conversation, 500);
  for (const { runs } of tools) {
    for (let waited = 0; runs.length === 0 && waited < 8_000; waited += 100) await conversation.stream(0, 100);
    runs[0]?.done("done");
    await conversation.stream(0, 100);
  }
  await conversation.stream(0, 8_000);
  const filler = "(?:One moment, please\\.|Let me check that for you\\.)";
  expect(said(conversation)).toMatch(new RegExp(`^${filler}${filler}?All is off\\. Goodbye\\.$`, "u"));
});

test("a tool's own filler replaces that of the language", async () => {
  const { tool } = manualTool("slow", { filler: "I am calling the kitchen." });
  const conversation = scriptedCall({ openTools: () => [tool], generate: inTurn([call("slow")]) });
  await speak(conversation, 4_000);
  expect(said(conversation)).toBe("I am calling the kitchen.");
});

test("a call goes on through a barge-in, and a result that comes while the caller speaks waits for the turn's end", async () => {
  const { tool, runs } = manualTool("book");
  const conversation = scriptedCall({
    openTools: () => [tool],
    generate: inTurn(["One two. ", "Three four. ", "Five six. ", call("book")], ["It is booked."]),
  });
  await speak(conversation);
  await conversation.stream(LOUD, 1_500);
  expect(conversation.all("tts_interruption")).toHaveLength(1);
  expect(runs[0]?.signal.aborted).toBe(false);
  runs[0]?.done("table 4");
  await conversation.stream(LOUD, 300);
  expect(conversation.prompts).toHaveLength(1);
  await conversation.stream(0, 4_000);
  expect(conversation.prompts).toHaveLength(2);
  expect(calls(conversation.prompts[1]!).map(({ content }) => content)).toEqual(["table 4"]);
});

test("a tool that may be cancelled is cancelled by new words, and the model reads that it did not complete", async () => {
  const { tool, runs } = manualTool("search", { cancelOnInterrupt: true });
  const conversation = scriptedCall({ openTools: () => [tool], generate: inTurn([call("search")], ["Yes?"]) });
  await speak(conversation);
  await speak(conversation, 3_000);
  expect(runs[0]?.signal.aborted).toBe(true);
  expect(conversation.prompts).toHaveLength(2);
  expect(calls(conversation.prompts[1]!)[0]?.content).toContain("did not complete");
});

test("a failure reaches the model with its reason, and a fault without it", async () => {
  for (const [error, expected] of [
    [
      new OakError("the hotel's system is closed.", { code: "TOOL_FAILED" }),
      "The call did not complete: the hotel's system is closed.",
    ],
    [new TypeError("secret of the operator"), "The call did not complete: the tool has a fault."],
  ] as const) {
    const { tool, runs } = manualTool("book");
    const conversation = scriptedCall({ openTools: () => [tool], generate: inTurn([call("book")]) });
    await speak(conversation);
    runs[0]?.fail(error);
    await conversation.stream(0, 500);
    expect(calls(conversation.prompts[1]!)[0]?.content).toBe(expected);
    expect(conversation.faults).toEqual([]);
  }
});

test("a model that repeats a call gets the first result again, and one that never stops is stopped", async () => {
  const { tool, runs } = manualTool("book");
  let asked = 0;
  const conversation = scriptedCall({
    openTools: () => [{ ...tool, run: async (...run) => (void tool.run(...run), "done") }],
    voice: { tool_limits: { per_turn: 3, per_minute: 30 } },
    generate: async function* generate({ toolChoice }) {
      asked += 1;
      if (toolChoice === "none") yield "Enough.";
      else yield call("book", String(asked), JSON.stringify({ number: Math.floor(asked / 2) }));
    },
  });
  await speak(conversation, 6_000);
  expect(runs.map(({ args }) => args)).toEqual([{ number: 0 }, { number: 1 }]);
  expect(said(conversation)).toBe("Enough.");
});

test("a text that is announced is spoken when neither side speaks, and takes no answer from the caller", async () => {
  const conversation = scriptedCall({ generate: inTurn(["The answer is yes."]) });
  await conversation.stream(LOUD, 500);
  expect(conversation.session.say("Your taxi is here.", "next")).toBe(true);
  await conversation.stream(LOUD, 500);
  await conversation.stream(0, 6_000);
  expect(said(conversation)).toBe("The answer is yes.Your taxi is here.");
});

test("a text that is said now stops the reply", async () => {
  const conversation = scriptedCall({ generate: inTurn(["One two three. ", "Four five six. ", "Seven eight nine."]) });
  await speak(conversation, 1_500);
  conversation.session.say("Please leave the building.", "now");
  await conversation.stream(0, 3_000);
  expect(said(conversation)).toMatch(/Please leave the building\.$/u);
  expect(conversation.prompts).toHaveLength(1);
});

test("a text that the caller's words suppress before it is heard is said after the answer", async () => {
  const conversation = scriptedCall({
    synthesize: () => new Promise(() => undefined),
    generate: inTurn(["Yes, I do."]),
  });
  conversation.session.say("Your taxi is here.", "next");
  await conversation.stream(0, 300);
  expect(said(conversation)).toBe("Your taxi is here.");
  await speak(conversation);
  expect(conversation.prompts).toHaveLength(1);
  conversation.session.stopReply();
  await conversation.stream(0, 500);
  expect(said(conversation)).toBe("Your taxi is here.Yes, I do.Your taxi is here.");
});

test("texts that wait are limited", () => {
  const conversation = scriptedCall();
  const taken = Array.from({ length: 12 }, () => conversation.session.say("Hello.", "next"));
  expect(taken.filter(Boolean).length).toBeLessThan(10);
});

test("the call ends after the assistant's goodbye, unless the caller speaks again", async () => {
  for (const speaksAgain of [false, true]) {
    const conversation = scriptedCall({
      openTools: ({ end }) => [
        {
          ...manualTool("end_call").tool,
          run: async () => (end({ transferTo: undefined, reason: "done", summary: "" }), "ends"),
        },
      ],
      generate: inTurn([call("end_call")], ["Goodbye."], ["Of course."]),
    });
    conversation.session.configure({ runsTools: true });
    await speak(conversation, 1_500);
    if (speaksAgain) await conversation.stream(LOUD, 1_000);
    await conversation.stream(0, 4_000);
    expect(conversation.all("call_end")).toHaveLength(speaksAgain ? 0 : 1);
  }
});

test("an assistant that said goodbye before it ended the call need not say it again", async () => {
  const conversation = scriptedCall({
    openTools: ({ end }) => [
      {
        ...manualTool("end_call").tool,
        run: async () => (end({ transferTo: undefined, reason: "done", summary: "" }), "ends"),
      },
    ],
    generate: inTurn(["Goodbye. ", call("end_call")], []),
  });
  conversation.session.configure({ runsTools: true });
  await speak(conversation, 5_000);
  expect(said(conversation)).toBe("Goodbye. ");
  expect(conversation.all("error")).toEqual([]);
  expect(conversation.all("call_end")).toHaveLength(1);
});

test("no call survives the end of the session", async () => {
  const { tool, runs } = manualTool("slow");
  const conversation = scriptedCall({ openTools: () => [tool], generate: inTurn([call("slow")]) });
  await speak(conversation);
  await conversation.session.close();
  expect(runs[0]?.signal.aborted).toBe(true);
  expect(conversation.clock.pendingTimers).toBe(0);
});
