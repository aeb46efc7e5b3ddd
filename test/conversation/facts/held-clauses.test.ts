import { describe, expect, test } from "vitest";
import { HeldClauses } from "../../../src/conversation/facts/held-clauses.ts";
import type { ChatMessage } from "../../../src/engines/llm/language-model.ts";
import { languageOf } from "../../../src/language/packs/languages.ts";

const tool = (name: string, description: string) => ({ name, description, parameters: {} });
const TOOLS = [
  tool("book_table", "Books a table."),
  tool("cancel_timer", "Cancels a timer. Storniert einen Timer."),
  tool("reserviere_tisch", "Reserviert einen Tisch."),
];
const called = (name: string): ChatMessage => ({ role: "call", name, arguments: "{}", content: "ok" });
const user: ChatMessage = { role: "user", content: "hello" };

/** The part of a text that passes. The text comes in small pieces. */
function held(text: string, messages: readonly ChatMessage[] = [user], code = "en", tools = TOOLS) {
  const clauses = new HeldClauses({ tools, messages }, languageOf(code));
  let passed = "";
  for (const piece of text.match(/.{1,3}/gsu) ?? []) passed += clauses.push(piece);
  passed += clauses.end();
  return { passed, stop: clauses.stop, isPromise: clauses.isPromise };
}

describe.each([
  ["I have cancelled the timer.", "en"],
  ["I canceled your timer.", "en"],
  ["The timer has been canceled.", "en"],
  ["Your table is now booked.", "en"],
  ["I've booked a table for you.", "en"],
  ["Ich habe einen Tisch für Sie reserviert.", "de"],
  ["Ihr Tisch ist reserviert.", "de"],
])("%j in %s", (text, code) => {
  test("does not pass when nothing was called", () => {
    expect(held(`Sure! ${text} Anything else?`, [user], code)).toMatchObject({ passed: "Sure! ", stop: "claim" });
  });

  test("passes after the call", () => {
    const all = [called("book_table"), called("cancel_timer"), called("reserviere_tisch"), user];
    expect(held(text, all, code)).toMatchObject({ passed: text, stop: undefined });
  });
});

// Qwen2.5-Coder 1.5B said so after "no make it nine minutes", and called nothing.
test("a report with a number that the caller has just said, and that no call has, does not pass", () => {
  const timer = tool("set_timer", "Sets a timer.");
  const set: ChatMessage = {
    role: "call",
    name: "set_timer",
    arguments: '{"minutes": 12}',
    content: '{"left": "12 minutes"}',
  };
  const report = (minutes: number, said: string) =>
    held(`The timer has been set to ${minutes} minutes.`, [set, { role: "user", content: said }], "en", [timer]).stop;
  expect(report(9, "(It is 9:41 PM.)\nno make it nine minutes")).toBe("claim");
  expect(report(12, "(It is 9:41 PM.)\nis it twelve minutes")).toBeUndefined();
  expect(report(9, "(It is 9:41 PM.)\nwhen does it ring")).toBeUndefined();
});

test("a number that a call has in another form needs no further call", () => {
  const book: ChatMessage = { role: "call", name: "book_table", arguments: '{"time": "21:00"}', content: "ok" };
  const report = (text: string, said: string) => held(text, [book, { role: "user", content: said }]).stop;
  expect(report("Your table is booked for 9 PM.", "so it is at nine")).toBeUndefined();
  expect(report("Your table is booked for 8 PM.", "make it eight")).toBe("claim");
});

test.each([
  "The kitchen is open until ten, and parking is free.",
  "Can I book a table for you?",
  "Are you sure that you want to cancel the timer?",
  "I have a table at seven.",
  "It was nice to talk to you.",
  "I'm interested in your opinion.",
])("%j passes", (text) => expect(held(text)).toMatchObject({ passed: text, stop: undefined }));

test.each(["I'll book a table for you.", "Sure. Let me cancel the timer."])("%j announces an act", (text) =>
  expect(held(text)).toMatchObject({ passed: text, isPromise: true }),
);

test.each(["I will be happy to help.", "I'll book it. What is your name?"])("%j announces none", (text) =>
  expect(held(text)).toMatchObject({ isPromise: false }),
);

test("a call that waits for the caller's yes makes no report true", () => {
  const asked: ChatMessage = { role: "call", name: "book_table", arguments: "{}", content: "not done", isDone: false };
  const question: ChatMessage = { role: "assistant", content: "Is that right?" };
  const now = [user, asked, question, { role: "user", content: "maybe" } as const];
  expect(held("Your table is now booked.", now)).toMatchObject({ passed: "", stop: "claim" });
});

test.each([
  'You can use the following JSON object for the "book table" function call.',
  'To renew it, you can call the "renew passport" function with the required parameters.',
  "The caller has said goodbye.",
  "NULL",
  "TypeError: 'NoneType' object is not subscriptable",
])("%j is not for the caller", (text) =>
  expect(held(text, [called("book_table")])).toMatchObject({ passed: "", stop: "jargon" }),
);

test.each([
  ["Okay, I canceled the timer.", "en"],
  ["I've set a timer for you.", "en"],
  ["Gern, ich habe einen Tisch reserviert.", "de"],
])("without tools %j is never true", (text, code) =>
  expect(held(text, [user], code, [])).toMatchObject({
    passed: text.includes(",") ? text.slice(0, text.indexOf(",") + 2) : "",
    stop: "claim",
  }),
);

test.each([
  "I am Oak. I see that you have booked a table.",
  "The table is set. It is nice.",
  "I sent my love.".replace("sent", "feel"),
])("without tools %j passes", (text) =>
  expect(held(text, [user], "en", [])).toMatchObject({ passed: text, stop: undefined }),
);

test("without tools words pass at once until the speaker is named", () => {
  const clauses = new HeldClauses({ tools: [], messages: [user] }, languageOf("en"));
  expect(clauses.push("The spa")).toBe("The spa");
  expect(clauses.push(" is open, and I")).toBe(" is open, and ");
  expect(clauses.push(" like it. Come")).toBe("I like it. ");
});

test("a clause passes as soon as it ends", () => {
  const clauses = new HeldClauses({ tools: TOOLS, messages: [user] }, languageOf("en"));
  expect(clauses.push("Well, let ")).toBe("Well, ");
  expect(clauses.push("me see. We")).toBe("let me see. ");
  expect(clauses.end()).toBe("We");
});

// Qwen2.5-Coder 1.5B, after the call had the corrected time: "A table for two has been booked for tomorrow at six."
test.each([
  ["A table for two is booked tomorrow at six.", "wrong"],
  ["A table for two is booked tomorrow at 6 PM.", "wrong"],
  ["A table for two is booked tomorrow at eight.", undefined],
  ["A table for two is booked tomorrow at 8 PM.", undefined],
  ["A table for two is booked tomorrow at 8:00 AM.", "wrong"],
  ["There are 14 tables left.", undefined],
])("the report %j of a call at 20:00 is %j", (text, stop) => {
  const messages: ChatMessage[] = [
    { role: "user", content: "a table for two tomorrow at six" },
    { role: "user", content: "wait no at eight" },
    { role: "call", name: "book_table", arguments: '{"people":2,"time":"20:00"}', content: "ok" },
  ];
  expect(held(text, messages).stop).toBe(stop);
});

// "The pasta timer for nine minutes has started ringing." without a call.
test.each([
  ["no make it nine minutes", "The pasta timer for nine minutes has started.", "claim"],
  ["no make it nine minutes", "Do you want nine minutes?", undefined],
  ["no make it nine minutes", "The pasta timer runs for twelve minutes.", undefined],
  ["are nine minutes enough", "Yes, nine minutes are enough.", undefined],
])("after %j the reply %j without a call is %j", (words, text, stop) => {
  const messages: ChatMessage[] = [
    { role: "call", name: "set_timer", arguments: '{"minutes":12}', content: "ok" },
    { role: "user", content: words },
  ];
  expect(held(text, messages, "en", [tool("set_timer", "Sets a timer.")]).stop).toBe(stop);
});

test("a whole sentence is held when it may have to be asked for again", () => {
  const clauses = new HeldClauses({ tools: TOOLS, messages: [user] }, languageOf("en"), "sentence");
  expect(clauses.push("Could you tell me the day, ")).toBe("");
  expect(clauses.push("and the time? ")).toBe("Could you tell me the day, and the time? ");
});

// Qwen2.5-Coder 1.5B: "To remind you to buy milk, you can use the `set_reminder` function".
test("the name of a tool is not spoken, and the reply means a call of it", () => {
  const clauses = new HeldClauses({ tools: TOOLS, messages: [user] }, languageOf("en"));
  expect(clauses.push("You can use the `cancel_timer` for this. Or wait.")).toBe("");
  expect([clauses.stop, clauses.meant]).toEqual(["jargon", "cancel_timer"]);
});
