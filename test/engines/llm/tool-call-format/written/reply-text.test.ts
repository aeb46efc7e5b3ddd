import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { ReplyText } from "../../../../../src/engines/llm/tool-call-format/written/reply-text.ts";
import { WRITTEN, type Values } from "./written-forms.ts";

const tool = (name: string, properties: Readonly<Record<string, object>>) => ({
  name,
  description: "",
  parameters: { type: "object", properties },
});
const TOOLS = [
  tool("book_table", {
    day: { type: "string" },
    guests: { type: "integer" },
    outside: { type: "boolean" },
    note: { type: "string" },
  }),
  tool("lookup", { query: { type: "string" }, most: { type: "number" } }),
];

/** Reads a reply that comes in such pieces. */
function read(pieces: readonly string[], options: { readonly tools?: typeof TOOLS; readonly mayCall?: boolean } = {}) {
  const reply = new ReplyText({ tools: TOOLS, mayCall: true, ...options });
  const found = [...pieces.flatMap((piece) => reply.push(piece)), ...reply.end()];
  const words = found
    .filter((piece) => typeof piece === "string")
    .join("")
    .trimEnd();
  const calls = found.flatMap((piece) => (typeof piece === "string" ? [] : [[piece.tool.name, piece.args]]));
  return { words, calls, fault: reply.fault };
}

/** Cuts a text at these places, given as parts of its length. */
function cutAt(text: string, places: readonly number[]): string[] {
  const at = [0, ...places.map((place) => Math.floor(place * text.length)).toSorted((a, b) => a - b), text.length];
  return at.slice(1).map((end, index) => text.slice(at[index], end));
}

const text = fc.stringMatching(/^[A-Za-zäöüß0-9][A-Za-zäöüß0-9 .,:;!?'()_/-]{0,20}[A-Za-z0-9]$/u);
const quoted = fc.stringMatching(/^[A-Za-z][A-Za-z "'{}\\,:[\]()]{0,20}[a-z]$/u);
const valuesOf = (words: fc.Arbitrary<string>): fc.Arbitrary<readonly [string, Values]> =>
  fc.oneof(
    fc.tuple(
      fc.constant("book_table"),
      fc.record({ day: words, guests: fc.integer({ min: -9, max: 99 }), outside: fc.boolean(), note: words }),
    ),
    fc.tuple(fc.constant("lookup"), fc.record({ query: words, most: fc.integer({ max: 5_000 }) })),
  );
const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 });
const before = fc.constantFrom("", "Sure, one moment. ", "I look at 5 < 6 and [that].\n");
const RAW = /DeepSeek V3\.2|Qwen3-Coder|Seed|MiniMax|GLM 4\.5|FunctionGemma|Gemma 4/u;

test.each<[string, string, string]>([
  ["a tag of a result", '<tool_response>\n{"booked":true,"table":4}\n</tool_response>', ""],
  [
    "a result and words",
    '<tool_response>{"booked":true}</tool_response>\nYour table is booked.',
    "Your table is booked.",
  ],
  ["a result without its end", '<tool_response>\n{"booked":true}', ""],
  ["a thought", "<think>Hm.</think>Yes.", "Yes."],
  ["the end of a thought", "</think>\n\nYes.", "Yes."],
  ["the end of the message", "Yes.<|im_end|>\n<|im_start|>user\nAnd then?", "Yes."],
  ["tags around words", "<answer>Yes.</answer>", "Yes."],
  ["a header", "<|start_header_id|>assistant<|end_header_id|>\n\nYes.", "Yes."],
  [
    "channels",
    "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes.<|return|>",
    "Yes.",
  ],
  ["a mark of Mistral", "[INST] Hi [/INST] Yes.", "Hi  Yes."],
  ["a cut tag", "Yes. <tool_ca", "Yes."],
  [
    "signs of words",
    "Is 3 < 5? Yes, [really] a_b - `so` I <3 it (lookup).",
    "Is 3 < 5? Yes, [really] a_b - `so` I <3 it (lookup).",
  ],
  ["a lone sign", "Yes <", "Yes <"],
])("%s: only words stay", (_, written, words) => {
  for (const tools of [TOOLS, []])
    for (const pieces of [[written], Array.from(written)])
      expect(read(pieces, { tools, mayCall: tools.length > 0 })).toEqual({ words, calls: [], fault: undefined });
});

test.each<[string, string, string]>([
  ["a tool that does not exist", '<tool_call>{"name": "order_pizza", "arguments": {}}</tool_call>', "unknown"],
  ["JSON that is no call", '{"answer": "We open at nine."}', "unreadable"],
  ["a call in no known form", "<tool_call>I book the table.</tool_call>", "unreadable"],
  ["a call that is cut in a value", '{"name": "lookup", "arguments": {"query": "op', "cut"],
  ["a call that is cut in a number", '{"name": "lookup", "arguments": {"most": 1', "cut"],
])("%s is a fault, and nothing of it is spoken", (_, written, fault) => {
  for (const pieces of [[written], Array.from(written)])
    expect(read(["Sure. ", ...pieces])).toEqual({ words: "Sure.", calls: [], fault });
});

test.each(['order_pizza(size="large")', "[OrderPizza()]", "```python\nprint(order_pizza())\n```"])(
  "a function that does not exist is a fault: %s",
  (written) => {
    for (const pieces of [[written], Array.from(written)])
      expect(read(pieces)).toEqual({ words: "", calls: [], fault: "unknown" });
  },
);

test("several calls are read, and words after them end the reply", () => {
  const list = `[${WRITTEN["bare JSON"]?.("lookup", { query: "a", most: 1 })}, ${WRITTEN["bare JSON"]?.("lookup", { query: "b", most: 2 })}]`;
  const calls = [
    ["lookup", { query: "a", most: 1 }],
    ["lookup", { query: "b", most: 2 }],
  ];
  for (const written of [list, list.slice(1, -1).replace(", {", "\n{"), `<tool_call>${list}</tool_call>`])
    expect(read(Array.from(`${written}\nI looked it up. {"name": "lookup"`))).toEqual({
      words: "",
      calls,
      fault: undefined,
    });
});

test("arguments that no grammar held fit the tool as far as they can", () => {
  expect(read(['BookTable("Friday", "4", true)']).calls).toEqual([
    ["book_table", { day: "Friday", guests: 4, outside: true }],
  ]);
  expect(read(['{"name": "functions.lookup", "arguments": {"query": 724}}']).calls).toEqual([
    ["lookup", { query: "724" }],
  ]);
});

describe.each(Object.entries(WRITTEN))("a call as written by %s", (name, write) => {
  it("is read when it comes in two pieces, whatever the place of the cut", () => {
    const args = { day: "Friday", guests: 4, outside: true, note: "by the window" };
    const written = `Sure. ${write("book_table", args)}`;
    for (let at = 0; at <= written.length; at += 1)
      expect(read([written.slice(0, at), written.slice(at)]), `cut at ${at}: ${written.slice(0, at)}`).toEqual({
        words: "Sure.",
        calls: [["book_table", args]],
        fault: undefined,
      });
  });

  it("is read, however it comes, and nothing of it is spoken", () => {
    const values = RAW.test(name) ? valuesOf(text) : valuesOf(fc.oneof(text, quoted));
    fc.assert(
      fc.property(values, places, before, ([called, args], cuts, said) => {
        const found = read(cutAt(said + write(called, args), cuts));
        expect(found).toEqual({ words: said.trimEnd(), calls: [[called, args]], fault: undefined });
      }),
      { numRuns: 120 },
    );
  });
});
