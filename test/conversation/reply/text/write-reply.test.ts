import { expect, test } from "vitest";
import { KeptValues } from "../../../../src/conversation/facts/kept-values.ts";
import { writeReply, type WriteOptions } from "../../../../src/conversation/reply/text/write-reply.ts";
import type { GenerateRequest, ToolCall } from "../../../../src/engines/llm/language-model.ts";
import { english } from "../../../../src/language/packs/en/en.ts";
import { OakError } from "../../../../src/shared/errors.ts";

const request: GenerateRequest = {
  messages: [{ role: "user", content: "Order me a pizza." }],
  tools: [{ name: "book_table", description: "", parameters: {} }],
  toolChoice: "auto",
  maxTokens: 40,
  temperature: 0,
};
const call: ToolCall = { id: "call_1", name: "book_table", arguments: "{}" };
const unknown = new OakError("x", { code: "LLM_CALL_UNKNOWN" });

/** Each attempt gives these pieces. An error ends it. */
const write = (...attempts: readonly (string | ToolCall | OakError)[][]) => writeAs(request, ...attempts);

const writeAs = (first: GenerateRequest, ...attempts: readonly (string | ToolCall | OakError)[][]) =>
  writeWith(new KeptValues(), first, ...attempts);

const writeWith = (
  kept: KeptValues,
  first: GenerateRequest,
  ...attempts: readonly (string | ToolCall | OakError)[][]
) => writeFully({ kept }, first, attempts);

const writeReading = (
  readBack: (call: ToolCall, isDoubtful: boolean) => undefined,
  first: GenerateRequest,
  ...attempts: readonly (string | ToolCall | OakError)[][]
) => writeFully({ readBack }, first, attempts);

async function writeFully(
  more: Pick<WriteOptions, "kept" | "readBack">,
  first: GenerateRequest,
  attempts: readonly (string | ToolCall | OakError)[][],
) {
  const asked: GenerateRequest[] = [];
  const chat = {
    async *generate(each: GenerateRequest) {
      asked.push(each);
      for (const piece of attempts[asked.length - 1] ?? []) {
        if (piece instanceof OakError) throw piece;
        yield piece;
      }
    },
    prefill: async () => undefined,
    close: () => undefined,
  };
  const pieces: (string | ToolCall)[] = [];
  let code: string | undefined;
  const options = { isHeard: (text: string) => /\w/u.test(text), mayBeEmpty: false, language: english, ...more };
  try {
    for await (const piece of writeReply(chat, first, AbortSignal.any([]), options))
      // An empty piece only counts.
      if (piece !== "" && (typeof piece === "string" || "id" in piece)) pieces.push(piece);
  } catch (error) {
    ({ code } = error as OakError);
  }
  return { pieces, code, asked };
}

test("a reply with words or a call is asked for once", async () => {
  expect(await write(["Yes."])).toMatchObject({ pieces: ["Yes."], asked: [request] });
  expect(await write([call, unknown])).toMatchObject({ pieces: [call], code: "LLM_CALL_UNKNOWN", asked: [request] });
});

test.each([[[]], [[" "]], [["🙂"]], [[new OakError("x", { code: "MODEL_BROKEN" })]]])(
  "a reply without words is asked for once more, without calls: %j",
  async (first) => {
    const { pieces, code, asked } = await write([...first], ["No."]);
    expect([pieces.at(-1), code, asked.length]).toEqual(["No.", undefined, 2]);
    expect(asked[1]).toMatchObject({ toolChoice: "none" });
    expect(asked[1]?.messages.at(-1)?.content).toMatch(/^Order me a pizza\.\n\(Answer in one/u);
    expect(await write([...first], [...first])).toMatchObject({ code: expect.any(String) as string });
  },
);

// Qwen2.5-Coder 0.5B answered "Set a timer for ten minutes." with "Sure." and set none.
test("a bare yes to words that name a tool does not end the reply", async () => {
  const named = { ...request, messages: [{ role: "user", content: "A table for two, please." } as const] };
  expect(await writeAs(named, ["Sure."], [call])).toMatchObject({ pieces: ["Sure.", call] });
  const { pieces, asked } = await writeAs(named, ["Sure."], [" Okay."], ["Never asked."]);
  expect(pieces).toEqual(["Sure.", " Okay.", " Sorry, I have not done that yet."]);
  expect(asked[1]?.messages.at(-1)?.content).toMatch(/Call the function now/u);
  expect(await writeAs(named, ["Sure, at what time?"])).toMatchObject({ asked: [named] });
  const small = { ...request, messages: [{ role: "user", content: "Okay, thanks." } as const] };
  expect(await writeAs(small, ["Sure."])).toMatchObject({ pieces: ["Sure."], asked: [small] });
});

test("the model learns that a tool does not exist, and goes on from its words", async () => {
  const { pieces, asked } = await write(["Sure. ", unknown], ["I cannot order pizza."]);
  expect(pieces).toEqual(["Sure. ", "I cannot order pizza."]);
  expect(asked[1]?.messages.slice(1)).toMatchObject([
    { role: "assistant", content: "Sure." },
    { role: "user", content: expect.stringMatching(/no such function/u) as string },
  ]);
});

test("a failure that another attempt cannot change is not tried again", async () => {
  const timeout = new OakError("x", { code: "ENGINE_TIMEOUT" });
  expect(await write([timeout], ["Yes."])).toMatchObject({ code: "ENGINE_TIMEOUT", asked: [request] });
});

const keep = {
  name: "keep_bread",
  description: "Keeps bread.",
  parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};
const bread = (name: string): ToolCall => ({ id: "call_2", name: "keep_bread", arguments: JSON.stringify({ name }) });

test("a call with a value that no one said is asked for again, and then the missing value is asked for", async () => {
  const asking: GenerateRequest = {
    ...request,
    tools: [keep],
    messages: [{ role: "user", content: "(It is Friday.)\nKeep a bread for me, I am Clark." }],
  };
  const made = await writeAs(asking, [bread("John Doe")], [bread("Clark")]);
  expect(made.pieces).toEqual([bread("Clark")]);
  // The time misled the model.
  expect(made.asked[1]?.messages.at(-1)?.content).toMatch(/^Keep a bread[^\n]*\n\(I have not said everything: name\./u);
  const never = await writeAs(asking, ["Sure. ", bread("John Doe")], [bread("Jane Doe")]);
  expect(never.pieces).toEqual(["Sure. ", "Could you please tell me the name?"]);
  expect(never.asked).toHaveLength(2);
});

// Qwen2.5-Coder 1.5B made up the people and the day of a booking again in each call.
test("values that the caller gave in earlier turns complete a call that makes them up", async () => {
  const book = {
    name: "book_table",
    description: "Books a table.",
    parameters: {
      type: "object",
      properties: { people: { type: "integer" }, day: { type: "string" }, name: { type: "string" } },
      required: ["people", "day", "name"],
    },
  };
  const booking = (people: number, day: string, name: string): ToolCall => ({
    id: "call_3",
    name: "book_table",
    arguments: JSON.stringify({ people, day, name }),
  });
  const kept = new KeptValues();
  const said: GenerateRequest["messages"][number][] = [];
  const turn = (content: string, ...calls: readonly ToolCall[]) => {
    said.push({ role: "user", content });
    return writeWith(kept, { ...request, tools: [book], messages: [...said] }, ...calls.map((each) => [each]));
  };
  const john = booking(7, "monday", "John Doe");
  const first = await turn("Book a table for three people.", booking(3, "monday", "John Doe"), john);
  expect(first.pieces).toEqual(["Could you please tell me the day and name?"]);
  said.push({ role: "assistant", content: "Could you please tell me the day and name?" });
  const second = await turn("On Friday.", booking(7, "friday", "John Doe"), john);
  expect(second.pieces).toEqual(["Could you please tell me the name?"]);
  const third = await turn("Anna Baker.", booking(9, "sunday", "Anna Baker"));
  expect(third.pieces).toEqual([booking(3, "friday", "Anna Baker")]);
  // The next booking begins anew.
  const other = await turn("Another table for two, please.", booking(2, "sunday", "John Doe"), john);
  expect(other.pieces).toEqual([expect.stringContaining("the day")]);
});

test("an act that was not done is not reported", async () => {
  const { pieces } = await write(["I have booked a table."], ["Your table is booked."]);
  expect(pieces).toEqual(["Sorry, I have not done that yet."]);
  expect(await write(["I have booked a table."], [call])).toMatchObject({ pieces: [call] });
  expect(await write(["I'll book it."], [call])).toMatchObject({ pieces: ["I'll book it.", call] });
});

// Qwen2.5-Coder 1.5B reported the change of a timer twice, and called no tool when it was asked to.
test("the call that a false report means is required of the model", async () => {
  const timer = {
    name: "set_timer",
    description: "Sets a timer.",
    parameters: { type: "object", properties: { minutes: { type: "integer" } }, required: ["minutes"] },
  };
  const light = { name: "set_light", description: "Switches a light.", parameters: {} };
  const set = (minutes: number): ToolCall => ({ id: "c", name: "set_timer", arguments: JSON.stringify({ minutes }) });
  const asking = (words: string): GenerateRequest => ({
    ...request,
    tools: [light, timer],
    messages: [
      { role: "user", content: "Set a timer for twelve minutes." },
      { role: "call", name: "set_timer", arguments: '{"minutes":12}', content: "ok" },
      { role: "assistant", content: "Done." },
      { role: "user", content: words },
    ],
  });
  const report = "The timer has been set to 9 minutes.";
  const made = await writeAs(asking("No, make it nine."), [report], [set(9)]);
  expect(made.pieces).toEqual([set(9)]);
  expect(made.asked[1]?.toolChoice).toEqual({ name: "set_timer" });
  const doubtful: boolean[] = [];
  const readBack = (_: ToolCall, isDoubtful: boolean) => void doubtful.push(isDoubtful);
  await writeReading(readBack, asking("No, make it nine."), [report], [set(9)]);
  await writeReading(readBack, asking("Is it nine now?"), [report], [set(9)]);
  expect(doubtful).toEqual([false, true]);
  const remind = {
    name: "remind",
    description: "Notes something for later.",
    parameters: { type: "object", properties: { time: { type: "string" } }, required: ["time"] },
  };
  const later: ToolCall = { id: "c", name: "remind", arguments: '{"time":"20:00"}' };
  const evening: GenerateRequest = {
    ...request,
    tools: [remind],
    messages: [{ role: "user", content: "At eight in the evening." }],
  };
  await writeReading(readBack, evening, ["I have noted it for 8 PM."], [later]);
  expect(doubtful).toEqual([false, true, false]);
});

test("a model that asks again after an incomplete call makes the call, and the program asks for the missing one", async () => {
  const kept = new KeptValues();
  kept.keep("keep_bread", {}, 1);
  const asking: GenerateRequest = {
    ...request,
    tools: [keep],
    messages: [
      { role: "user", content: "Keep a bread for me." },
      { role: "assistant", content: "Could you please tell me the name?" },
      { role: "user", content: "Clark." },
    ],
  };
  const question = "Could you please tell me the name?";
  const made = await writeWith(kept, asking, [question], [bread("Clark")]);
  expect(made.pieces).toEqual([bread("Clark")]);
  expect(made.asked[1]?.toolChoice).toEqual({ name: "keep_bread" });
  kept.keep("keep_bread", {}, 2);
  const never = await writeWith(kept, asking, [question], [bread("John Doe")]);
  expect(never.pieces).toEqual([question]);
  expect(never.asked).toHaveLength(2);
  kept.keep("keep_bread", { name: "Clark" }, 2);
  const known = await writeWith(kept, asking, ["And what is your name?"], [bread("John Doe")]);
  expect(known.pieces).toEqual([bread("Clark")]);
  // Another question stays.
  kept.keep("keep_bread", { name: "Clark" }, 2);
  const other = await writeWith(kept, asking, ["Rye or wheat?"]);
  expect([other.pieces, other.asked.length]).toEqual([["Rye or wheat?"], 1]);
  // Qwen2.5-Coder 1.5B answered a name with "I don't have any information about a booking under that name." and looked nothing up.
  const left = await writeWith(kept, asking, ["I have no bread for you."], [bread("Clark")]);
  expect(left.pieces).toEqual([bread("Clark")]);
  kept.keep("keep_bread", { name: "Clark" }, 2);
  const bye = { name: "end_call", description: "Ends the call after a goodbye.", parameters: {} };
  const leaving = [...asking.messages.slice(0, -1), { role: "user" as const, content: "Thank you, goodbye." }];
  const ended = await writeWith(kept, { ...asking, tools: [keep, bye], messages: leaving }, ["Goodbye!"]);
  expect(ended.asked).toHaveLength(1);
  for (const words of ["When do you open?", "when do you open", "No, never mind."]) {
    const messages = [...asking.messages.slice(0, -1), { role: "user" as const, content: words }];
    expect((await writeWith(kept, { ...asking, messages }, ["We open at nine."])).asked).toHaveLength(1);
  }
});

// Qwen2.5-Coder 1.5B booked a table and asked for the name that it had just booked.
test("a question for a value of the call that was just made is asked for again as an answer", async () => {
  const made: GenerateRequest = {
    ...request,
    tools: [keep],
    messages: [
      { role: "user", content: "Keep a bread for Clark." },
      { role: "call", name: "keep_bread", arguments: '{"name":"Clark"}', content: '{"kept":true}' },
    ],
  };
  const { pieces, asked } = await writeAs(made, ["Could you please tell me the name?"], ["It is kept for Clark."]);
  expect(pieces).toEqual(["It is kept for Clark."]);
  expect(asked[1]?.toolChoice).toBe("none");
  expect((await writeAs(made, ["Anything else?"])).asked).toHaveLength(1);
});

test("a report with another value than the call's is asked for again, and at last the program gives the values", async () => {
  const made: GenerateRequest = {
    ...request,
    tools: [keep],
    messages: [
      { role: "user", content: "Keep bread for six. No, for eight." },
      { role: "call", name: "keep_bread", arguments: '{"name":"Clark","people":8}', content: "{}" },
    ],
  };
  const right = await writeAs(made, ["It is kept for six."], ["It is kept for eight."]);
  expect(right.pieces).toEqual(["It is kept for eight."]);
  expect(right.asked[1]?.messages.at(-1)?.content).toMatch(/name Clark, people 8/u);
  const never = await writeAs(made, ["It is kept for six."], ["Six people."]);
  expect(never.pieces).toEqual(["name Clark, people 8."]);
});

test("a second order of the same words is carried out after the first, without a question", async () => {
  const room = { type: "string", enum: ["kitchen", "hallway"] };
  const light = {
    name: "set_light",
    description: "Switches a light.",
    parameters: { type: "object", properties: { room }, required: ["room"] },
  };
  const done: GenerateRequest = {
    ...request,
    tools: [light],
    messages: [
      { role: "user", content: "Turn on the kitchen and the hallway lights." },
      { role: "call", name: "set_light", arguments: '{"room":"kitchen"}', content: "ok" },
    ],
  };
  const hallway: ToolCall = { id: "c", name: "set_light", arguments: '{"room":"hallway"}' };
  const doubtful: boolean[] = [];
  const readBack = (_: ToolCall, isDoubtful: boolean) => void doubtful.push(isDoubtful);
  const { pieces, asked } = await writeReading(readBack, done, ["The kitchen light is on."], [hallway]);
  expect(pieces).toEqual(["The kitchen light is on.", hallway]);
  expect(asked[1]?.toolChoice).toEqual({ name: "set_light" });
  expect(doubtful).toEqual([false]);
});

// Qwen2.5-Coder 1.5B wrote nothing after "Set a timer for the rice", and then a report.
test("a report after an empty reply leads to the call", async () => {
  const tool = { name: "set_timer", description: "Sets a timer.", parameters: {} };
  const timer: ToolCall = { id: "c", name: "set_timer", arguments: "{}" };
  const order = { ...request, tools: [tool], messages: [{ role: "user" as const, content: "Set a timer." }] };
  const { pieces, asked } = await writeAs(order, [], ["The timer is set."], [timer]);
  expect(pieces).toEqual([timer]);
  expect(asked.map(({ toolChoice }) => toolChoice)).toEqual(["auto", "none", { name: "set_timer" }]);
});

// Qwen2.5-Coder 1.5B, without tools: "Okay, set a timer for ten minutes."
test("an echo of the order does not answer it", async () => {
  const order = {
    ...request,
    tools: [],
    messages: [{ role: "user" as const, content: "Set a timer for ten minutes." }],
  };
  const { pieces } = await writeAs(order, ["Okay, set", " a timer for", " ten minutes."], ["I cannot set timers."]);
  expect(pieces).toEqual(["I cannot set timers."]);
  const tool = { name: "set_timer", description: "Sets a timer.", parameters: {} };
  const timer: ToolCall = { id: "c", name: "set_timer", arguments: "{}" };
  const withTools = await writeAs({ ...order, tools: [tool] }, ["Okay, set a timer for ten minutes."], [timer]);
  expect(withTools.pieces.at(-1)).toEqual(timer);
  for (const text of ["Set it for when?", "Okay.", "Set a timer for ten minutes on your telephone."])
    expect((await writeAs(order, [text])).pieces).toEqual([text]);
  const question = { ...order, messages: [{ role: "user" as const, content: "What is the capital of France?" }] };
  expect((await writeAs(question, ["The capital of France."])).pieces).toEqual(["The capital of France."]);
});

test("no call is required where a client or a limit forbids calls", async () => {
  const { asked } = await writeAs({ ...request, toolChoice: "none" }, ["I have booked a table."], ["Not yet."]);
  expect(asked.map(({ toolChoice }) => toolChoice)).toEqual(["none", "none"]);
});

test("a reply has as many pieces as the model gave, also when its clauses were held", async () => {
  const tokens = ["We", " open", " at", " nine", ", ", "and", " the", " bar", " opens", " at", " five", "."];
  const chat = {
    async *generate() {
      yield* tokens;
    },
    prefill: async () => undefined,
    close: () => undefined,
  };
  const options = { isHeard: () => true, mayBeEmpty: false, language: english };
  const pieces: unknown[] = [];
  for await (const piece of writeReply(chat, request, AbortSignal.any([]), options)) pieces.push(piece);
  expect(pieces).toHaveLength(tokens.length);
  expect(pieces.filter((piece) => piece !== "").length).toBeLessThan(tokens.length);
  expect(pieces.filter((piece) => typeof piece === "string").join("")).toBe(tokens.join(""));
});
