import { expect, test } from "vitest";
import type { ToolCall } from "../../src/engines/llm/language-model.ts";
import type { Tool } from "../../src/conversation/tool-calls/tool.ts";
import { LOUD, scriptedCall, type Script } from "../support/scripted-call.ts";

const parameters = {
  type: "object",
  properties: { guests: { type: "integer" }, name: { type: "string", title: "the name" } },
  required: ["guests", "name"],
};
const booking = (guests: number, id: string): ToolCall => ({
  id,
  name: "book_table",
  arguments: JSON.stringify({ guests, name: "Clark" }),
});

/** A caller who says these words, and a model that gives these replies. */
function callWith(
  words: readonly string[],
  replies: readonly (readonly (string | ToolCall)[])[],
  options: Script & { readonly confirm?: boolean | string | undefined; readonly result?: string } = {},
) {
  const { confirm, result = "table 4", ...script } = { confirm: true, ...options };
  const runs: unknown[] = [];
  const tool: Tool = {
    definition: { name: "book_table", description: "Books a table.", parameters },
    cancelOnInterrupt: false,
    confirm,
    run: async (args) => {
      runs.push(args);
      return result;
    },
  };
  const heard = [...words];
  let turn = 0;
  const left = [...replies];
  const conversation = scriptedCall({
    openTools: () => [tool],
    transcribe: async () => heard[turn] ?? "",
    generate: async function* generate() {
      yield* left.shift() ?? ["Well then."];
    },
    ...script,
  });
  const speak = async (ms = 8_000) => {
    await conversation.stream(LOUD, 1_000);
    await conversation.stream(0, ms);
    turn += 1;
  };
  const said = () =>
    conversation
      .all("llm_response_chunk")
      .map(({ content }) => content)
      .join("");
  return { ...conversation, conversation, runs, speak, said };
}
const ASK = "a table for two for clark";
const QUESTION = "Book table: guests 2, the name Clark. Is that right?";

test("the caller hears what will be done, and their yes runs the call", async () => {
  const { speak, runs, said, prompts } = callWith([ASK, "yes please"], [["Sure.", booking(2, "1")], ["It is booked."]]);
  await speak();
  expect(said()).toBe(`Sure. ${QUESTION}`);
  expect(runs).toEqual([]);
  await speak();
  expect(runs).toEqual([{ guests: 2, name: "Clark" }]);
  expect(said()).toMatch(/It is booked\.$/u);
  // The model is not asked what "yes" means.
  expect(prompts).toHaveLength(2);
  expect(prompts[1]?.messages.slice(-2)).toMatchObject([
    { role: "user", content: expect.stringMatching(/yes please$/u) as string },
    { role: "call", name: "book_table", content: "table 4" },
  ]);
});

test.each(["no thanks", "when do you open", "yes but for five people", "yes no", "hello"])(
  "%j drops the call, and the model answers",
  async (words) => {
    const { speak, runs, prompts } = callWith([ASK, words, "yes"], [[booking(2, "1")], ["I see."], ["Hm."]]);
    await speak();
    await speak();
    expect(prompts).toHaveLength(2);
    // A later yes means something else.
    await speak();
    expect(runs).toEqual([]);
  },
);

test("a corrected value is read back again", async () => {
  const { speak, runs, said } = callWith(
    [ASK, "yes but for five people", "correct"],
    [[booking(2, "1")], [booking(5, "2")]],
  );
  await speak();
  await speak();
  expect(said()).toContain("guests 5");
  await speak();
  expect(runs).toEqual([{ guests: 5, name: "Clark" }]);
});

test("a yes before the values were heard does not run the call", async () => {
  const { speak, runs, conversation } = callWith(
    [ASK, "yes please do it"],
    [["One two three four five. Six seven eight. ", booking(2, "1")], ["I see."]],
  );
  await speak(2_500);
  await speak();
  expect(conversation.all("tts_interruption")).toHaveLength(1);
  expect(runs).toEqual([]);
});

test("the question is prepared before the turn is over, and counts when it is heard", async () => {
  const speculation = { started: 0, kept: 0, dropped: 0, wastedMs: 0 };
  const { speak, runs } = callWith([ASK, "yes please do it"], [[booking(2, "1")], ["Done."]], { speculation });
  await speak();
  await speak();
  expect(runs).toHaveLength(1);
});

test("the call waits for a caller who goes on with another box", async () => {
  const { speak, runs, conversation } = callWith([ASK, "yes"], [[booking(2, "1")], ["It is booked."]]);
  await speak();
  await conversation.move();
  conversation.session.recover(undefined);
  conversation.session.attach();
  await speak();
  expect(runs).toHaveLength(1);
});

test("a text that is announced between question and yes drops the call", async () => {
  const { speak, runs, conversation } = callWith([ASK, "yes"], [[booking(2, "1")], ["I see."]]);
  await speak();
  conversation.session.say("Your taxi is here.", "next");
  await conversation.stream(0, 3_000);
  await speak();
  expect(runs).toEqual([]);
});

test("the operator's words name the act", async () => {
  const { speak, said } = callWith([ASK], [[booking(2, "1")]], { confirm: "I book a table" });
  await speak();
  expect(said()).toBe("I book a table: guests 2, the name Clark. Is that right?");
});

test("a call that a result orders needs the caller's yes, unless the configuration says otherwise", async () => {
  const orders = () => [[booking(2, "1")], [booking(9, "2")], ["Well."]];
  const words = "a table for two for clark or nine";
  const asked = callWith([words], orders(), { confirm: undefined });
  await asked.speak();
  expect(asked.runs).toHaveLength(2);
  const result = [booking(2, "1")];
  const other = { id: "3", name: "book_table", arguments: '{"guests":7,"name":"Clark"}' };
  const safe = callWith([words], [result, [other]], { confirm: false, result: "seven are free" });
  await safe.speak();
  expect(safe.runs).toHaveLength(2);
  const doubtful = callWith([words, "yes"], [result, [other], ["Well."]], {
    confirm: undefined,
    result: "seven are free",
  });
  await doubtful.speak();
  expect(doubtful.runs).toHaveLength(1);
  expect(doubtful.said()).toContain("guests 7");
  await doubtful.speak();
  expect(doubtful.runs).toHaveLength(2);
});
