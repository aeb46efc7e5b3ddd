import { expect, test } from "vitest";
import { History } from "../../../../src/conversation/reply/text/history.ts";

test("two utterances of the same speaker are one message", () => {
  const history = new History();
  history.addUser("What time");
  history.addUser("is it?");
  history.addAssistant("");
  expect(history.prompt("Be brief.")).toEqual([
    { role: "system", content: "Be brief." },
    { role: "user", content: "What time is it?" },
  ]);
});

test("a note precedes the words it belongs to and is repeated only when it changes", () => {
  const history = new History();
  history.addUser("hello", "(7:41)");
  history.addUser("is anybody there", "(7:41)");
  history.addUser("hello", "(7:42)");
  const content = "(7:41)\nhello is anybody there\n(7:42)\nhello";
  expect(history.prompt("")[1]).toEqual({ role: "user", content });
  expect(history.promptAhead("", "", "(7:42)")[1]).toEqual({ role: "user", content });
  history.addAssistant("Yes.");
  expect(history.promptAhead("", "", "(7:42)").at(-1)).toEqual({ role: "user", content: "(7:42)\n" });
});

// A small model that saw the read-back as words wrote "Set light: room kitchen, on. Is that right?" itself, and made no call.
test("the model sees a read-back as the call that waits, and only the question as words", () => {
  const history = new History();
  const call = { id: "1", name: "set_timer", arguments: '{"minutes":10}' };
  const question = "Set timer: minutes 10. Is that right?";
  history.addUser("ten minutes");
  history.addAssistant("", "reply 1");
  history.setAsked("reply 1", { call, question });
  history.addAssistant("Set timer: min", "reply 1");
  expect(history.prompt("").at(-1)).toEqual({ role: "assistant", content: "Set timer: min" });
  history.addAssistant(`Sure. ${question}`, "reply 1");
  expect(history.prompt("").slice(2)).toEqual([
    { role: "assistant", content: "Sure." },
    {
      role: "call",
      name: "set_timer",
      arguments: '{"minutes":10}',
      content: "(not done: the caller must agree first)",
      isDone: false,
    },
    { role: "assistant", content: "Is that right?" },
  ]);
  expect(history.unanswered).toBe("Is that right?");
  const copy = new History();
  copy.load(history.entries);
  expect(copy.prompt("")).toEqual(history.prompt(""));
});

// While no reply is heard (speech synthesis is down), all words of the caller become one message. It must fit the
// model's context, or the model could not write a reply any more.
test("an unanswered message stays bounded and keeps the latest whole words", () => {
  const history = new History();
  for (let turn = 0; turn < 1000; turn += 1) history.addUser(`this is sentence number ${String(turn)}`, "(7:41)");
  const [, user] = history.prompt("Be brief.");
  expect(user?.content.length).toBeLessThanOrEqual(4000);
  expect(user?.content).toMatch(/^(this|is|sentence|number|\d+) .*\n\(7:41\)\n.* number 999$/);
});

// The model evaluates a prompt again from its first difference, so prompts with a new beginning must be rare.
test.each([
  ["the caller", ""],
  ["a greeting", "Hello, this is Oak."],
])(
  "a long conversation that begins with %s is cut seldom, and goes on to begin with the same speaker",
  (_, greeting) => {
    const history = new History();
    history.addAssistant(greeting);
    let before = history.prompt("Be brief.");
    let cuts = 0;
    for (let turn = 0; turn < 200; turn += 1) {
      const said = `question ${String(turn)}`;
      const ahead = history.promptAhead("Be brief.", said);
      history.addUser(said);
      const now = history.prompt("Be brief.");
      expect(now).toEqual(ahead);
      expect(now.length).toBeLessThanOrEqual(61);
      expect(now[1]?.role).toBe(greeting === "" ? "user" : "assistant");
      expect(now.slice(1).every(({ role }, at, turns) => role !== turns[at - 1]?.role)).toBe(true);
      if (now[1]?.content !== before[1]?.content && before.length > 1) cuts += 1;
      before = now;
      history.addAssistant(`answer ${String(turn)}`);
    }
    expect(cuts).toBeGreaterThan(0);
    expect(cuts).toBeLessThanOrEqual(200 / 10);
  },
);

test("a call stands between two texts of a reply, and its result follows later", () => {
  const history = new History();
  history.addUser("Is it warm?");
  history.addAssistant("One moment.");
  history.insertCall({ id: "a", name: "weather", arguments: "{}" });
  const call = { role: "call", name: "weather", arguments: "{}" };
  expect(history.prompt("").at(-1)).toEqual({ ...call, content: "(still running)" });
  expect(history.isAsked).toBe(true);
  history.addAssistant("It takes a while.");
  expect(history.isAsked).toBe(false);
  expect(history.setResult("a", "x".repeat(4_000))).toBe(true);
  const result = { ...call, content: "x".repeat(3_500) };
  expect(history.prompt("").slice(2)).toEqual([
    { role: "assistant", content: "One moment." },
    result,
    { role: "assistant", content: "It takes a while." },
  ]);
  // Servers of remote language models refuse half a character.
  for (const text of [`${"x".repeat(3_499)}😀`, "\uD83D"]) {
    history.setResult("a", text);
    expect(history.entries.every((entry) => entry.text.isWellFormed())).toBe(true);
  }
  expect(history.setResult("a", undefined)).toBe(true);
  expect(history.prompt("")[3]).toEqual({ ...call, content: "(still running)" });
  expect(history.setResult("b", "21")).toBe(false);
});

test("a long conversation with calls begins with the caller", () => {
  const history = new History();
  for (let turn = 0; turn < 100; turn += 1) {
    history.addUser("And now?");
    history.insertCall({ id: String(turn), name: "weather", arguments: "{}" });
    history.addAssistant("It is warm.");
    expect(history.prompt("").slice(0, 2)).toMatchObject([{ role: "system" }, { role: "user" }]);
    expect(history.prompt("").length).toBeLessThanOrEqual(61);
  }
});

// Qwen2.5-Coder 1.5B answered "wait no at eight" with "Could you", and so on to the end of the call.
test("the first words of a reply that was cut leave the prompt", () => {
  const history = new History();
  history.addUser("A table for two at six.");
  history.addAssistant("Could you", "", { text: "Could you please tell me the name?", spans: [] });
  expect(history.unanswered).toBe("Could you");
  history.addUser("No, at eight.");
  expect(history.prompt("").slice(1)).toEqual([{ role: "user", content: "A table for two at six. No, at eight." }]);
  history.addAssistant("Sure.");
  history.addUser("Thanks.");
  history.addAssistant("You are welcome, and", "", { text: "You are welcome, and goodbye.", spans: [] });
  history.addUser("Goodbye.");
  expect(
    history
      .prompt("")
      .slice(2)
      .map(({ content }) => content),
  ).toEqual(["Sure.", "Thanks.", "You are welcome, and", "Goodbye."]);
});
