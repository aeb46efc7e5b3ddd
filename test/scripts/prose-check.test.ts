import { describe, expect, test } from "vitest";
import { passagesOfCode, passagesOfMarkdown, passagesOfScript } from "../../scripts/prose/passages.ts";
import { checkNames, checkProse } from "../../scripts/prose/rules.ts";

const rulesOf = (text: string) => checkProse(text).map(({ rule }) => rule);

describe("checkProse finds", () => {
  test.each([
    ["genitive first", "Of speech, 0-1."],
    ["what as a noun", "What is left of it is dropped."],
    ["what as a noun", "A mean of what was heard."],
    ["is no", "It is no answer."],
    ["is no", "A session that is none ends."],
    ["house word", "The caller is told the reason."],
    ["house word", "A reply that was taken back."],
    ["for meaning because", "It stops, for it has no words."],
    ["person", "Nobody waits for it."],
    ["person", "The caller and his words."],
    ["genitive first", "of a sound that long nothing is shown"],
    ["what as a noun", "what sounds finished ends the turn"],
    ["what as a noun", "It is found by what was kept."],
    ["is no", "Taken away by no program."],
    ["is no", "An echo like that of no room."],
    ["house word", "A minute that turns in what the prompts tell: it is read again."],
    ["house word", "Speech before the reply takes it back."],
    ["house word", "The last look at the recording."],
    ["house word", "These words outweigh the voice."],
    ["for meaning because", "It says its code only, for a message may quote the caller."],
    ["bare unit", "MB. A child needs little."],
    ["hidden subject", "First of all: unheard it would end the process."],
    ["chain of colons", "Sounds: the room: a bark."],
  ])("%s in %j", (rule, text) => {
    expect(rulesOf(text)).toContain(rule);
  });

  test("a sentence that is too long", () => {
    const text = `${"word ".repeat(34)}end.`;
    expect(rulesOf(text)).toEqual(["long sentence"]);
    expect(checkProse(text, 35)).toEqual([]);
  });
});

test.each([
  "How much voice interrupts the reply, by the words that the recogniser heard so far.",
  "Wordless sound never interrupts, so it has no entry.",
  "There is no model for this language.",
  "The list is no longer in use.",
  "Of course it stops.",
  "What time is it?",
  "what",
  "It tells the client that the reply ended.",
  "How much voice interrupts the reply, by what the recogniser heard so far.",
  "If the words cannot end a sentence, cap the acoustic log odds.",
  "Wall-clock time shown in this turn's prompts. Frozen per turn, so that a minute change keeps the prefill.",
  "Clock time of session time 0, as the echo guard uses it.",
  "The room looks like a small one.",
  "The echo has gone when it stays this far below, dB, for this many rows.",
  "Three parts, for the caller, the server and the page.",
  "A name in code, such as `is no`, does not count.",
])("checkProse accepts %j", (text) => {
  expect(checkProse(text)).toEqual([]);
});

test("checkNames finds puns, not weights", () => {
  expect(checkNames("const weights = 1;\nweighPause(overheard);").map(({ line, phrase }) => [line, phrase])).toEqual([
    [2, "weighPause"],
    [2, "overheard"],
  ]);
});

test("code has comments, test names and messages", () => {
  const source = [
    "/** A block. */ const a = /[\"']/u;",
    "// One comment",
    "// in two lines.",
    'log.info("The server stops now.");',
    'const name = "short name";',
    "log.warn(`${file} is not open`);",
    `const words = "${"word ".repeat(12)}";`,
  ].join("\n");
  expect(passagesOfCode(source, false).map(({ line, text }) => [line, text.trim()])).toEqual([
    [1, "A block."],
    [4, "The server stops now."],
    [6, "… is not open"],
    [2, "One comment  in two lines."],
  ]);
  const tests = 'test("a name", () => f("The server stops now."));\nit.each([1])("%s is a name", g);';
  expect(passagesOfCode(tests, true).map(({ text }) => text)).toEqual(["a name", "x is a name"]);
});

test("Markdown has paragraphs, items and cells, without code", () => {
  const page = "# Title\n\nTwo\nlines with [a link](x).\n- an item\n\n```sh\ncode\n```\n| a | b |\n";
  expect(passagesOfMarkdown(page).map(({ text }) => text.trim())).toEqual([
    "Title",
    "Two lines with a link.",
    "an item",
    "",
    "a",
    "b",
    "",
  ]);
});

test("scripts have comments and docstrings", () => {
  const script = '"""Makes words."""\nLIST = """a b\nc"""\n# One comment\n# in two lines.\nx = 1  # and another\n';
  expect(passagesOfScript(script).map(({ text }) => text)).toEqual([
    "Makes words.",
    "One comment in two lines.",
    "and another",
  ]);
});
