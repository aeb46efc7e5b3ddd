import fc from "fast-check";
import { getLlama, LlamaLogLevel, type Llama } from "node-llama-cpp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { gemmaCall, jsonCall, pythonCall, xmlCall } from "../../../src/engines/llm/tool-call-format/call-syntax.ts";
import { checkTool } from "../../../src/engines/llm/tool-call-format/check-tool.ts";
import { SessionBudget } from "../../../src/engines/llm/tool-call-format/grammar-rules.ts";
import { oneOf } from "../../../src/engines/llm/tool-call-format/grammar-text.ts";
import { errorCode } from "../../../src/shared/errors.ts";

type Schema = Record<string, unknown>;
const SYNTAXES = [jsonCall, pythonCall, gemmaCall, xmlCall];
/** Characters of the largest grammar. Names of rules and separators are not counted in the budget. */
const MOST_CHARACTERS = 400_000;

let llama: Llama;
beforeAll(async () => {
  llama = await getLlama({ build: "never", gpu: false, logLevel: LlamaLogLevel.disabled, progressLogs: false });
});
afterAll(() => llama.dispose());

const repeat = (count: number, make: (at: number) => unknown) => Array.from({ length: count }, (_, at) => make(at));
const nested = (depth: number, wrap: (inner: Schema) => Schema): Schema => {
  let schema: Schema = { type: "string" };
  for (let level = 0; level < depth; level += 1) schema = wrap(schema);
  return schema;
};
const withA = (a: unknown, more: Schema = {}): Schema => ({
  type: "object",
  properties: { a },
  required: ["a"],
  ...more,
});
const check = (parameters: Schema) => () => checkTool({ name: "x", description: "", parameters });
const listOf = (items: unknown, more: Schema = {}): Schema => ({ type: "array", items, ...more });
const toA = { $ref: "#/$defs/a" };
const recursive = (a: unknown) => withA(toA, { $defs: { a } });

test.each<[string, Schema]>([
  ["each type named twice, 45 levels", withA(nested(45, (items) => ({ type: ["array", "array"], items })))],
  ["800 types on each of two levels", withA(nested(2, (items) => ({ type: Array(800).fill("array"), items })))],
  ["1,700 times the same type", withA({ type: Array(1_700).fill("string") })],
  ["the same alternative many times", withA({ anyOf: repeat(600, () => ({ type: "string" })) })],
  ["40 types on each of three levels", withA(nested(3, (items) => ({ type: Array(40).fill("array"), items })))],
])("a schema with %s has a grammar as short as itself", (_, parameters) => {
  expect(check(parameters)).not.toThrow();
  for (const syntax of SYNTAXES) expect(syntax.grammar("x", parameters).length).toBeLessThan(20_000);
});

const texts = (minLength: number) => ({
  type: "object",
  properties: Object.fromEntries(
    Array.from({ length: 76 }, (_, at) => [String(at), { type: "string", minLength, maxLength: 420 + at }]),
  ),
});

test.each<[string, Schema, RegExp]>([
  ["a list that may be read in 20 ways at each level", recursive({ anyOf: repeat(20, (at) => listOf(toA, { maxItems: 20 + at })) }), /begin alike/u],
  ["two such ways", recursive({ anyOf: [listOf(toA, { maxItems: 20 }), listOf(toA)] }), /begin alike/u],
  ["two recursive objects with the same first key", recursive({ oneOf: [withA(toA), withA(toA, { properties: { a: toA, b: {} } })] }), /begin alike/u],
  ["two such objects by way of each other", withA(toA, { $defs: { a: { anyOf: [listOf({ $ref: "#/$defs/b" }), listOf(toA, { maxItems: 9 })] }, b: { anyOf: [listOf(toA), { type: "string" }] } } }), /begin alike/u],
  ["a reference that is spelled in two ways", recursive({ anyOf: [listOf(toA, { maxItems: 3 }), listOf({ $ref: "#/%24defs/a" })] }), /begin alike/u],
  ["three ways on each of three levels", withA(nested(3, (items) => ({ anyOf: repeat(3, (at) => listOf(items, { maxItems: 20 + at })) }))), /begin alike/u],
  ["17 texts of different lengths", withA({ anyOf: repeat(17, (at) => ({ type: "string", maxLength: 100 + at })) }), /begin alike/u],
  ["a text beside 16 lists of texts and texts", withA(listOf({ anyOf: repeat(17, (at) => ({ type: "string", minLength: at })) })), /begin alike/u],
  ["too many lengths of texts", { type: "object", properties: { a: texts(1), b: texts(2), c: texts(3), d: texts(4) } }, /too large/u],
])("a schema with %s is refused", (_, parameters, message) => {
  expect(check(parameters)).toThrow(expect.objectContaining({ code: "TOOL_UNUSABLE", message: expect.stringMatching(message) }));
}); // prettier-ignore

const kind = (value: string, more: Schema = {}) => ({
  type: "object",
  properties: { kind: { const: value }, ...more },
  required: ["kind"],
});

test.each<[string, Schema]>([
  ["a list, a choice and an object", { type: "object", properties: { orders: listOf({ type: "object", properties: { dish: { anyOf: [{ type: "string", enum: ["soup", "fish"] }, { type: "null" }] }, notes: { type: ["array", "null"], items: { type: ["string", "null"] }, maxItems: 5 }, count: { type: "integer" } } }) }, required: ["orders"] }],
  ["forty kinds of objects", withA({ oneOf: repeat(40, (at) => kind(`kind ${String(at)}`, { value: {} })) })],
  ["a tree", recursive({ anyOf: [kind("leaf", { text: { type: "string" } }), kind("node", { children: listOf(toA) })] })],
  ["nested conditions", recursive({ oneOf: [kind("and", { all: listOf(toA) }), kind("or", { any: listOf(toA) }), kind("is", { field: {}, value: {} })] })],
  ["a text or texts", withA({ anyOf: [{ type: "string" }, listOf({ type: "string" })] })],
  ["any JSON value", recursive({ anyOf: [{ type: ["string", "number", "boolean", "null"] }, listOf(toA), { type: "object", additionalProperties: toA }] })],
  ["300 fixed values", withA({ enum: repeat(300, (at) => `product number ${String(at)}`) })],
  ["100 fixed numbers, each with a title", withA({ oneOf: repeat(100, (at) => ({ const: at, title: "x" })) })],
  ["a number or a fixed text", withA({ anyOf: [{ type: "number" }, { const: "all" }, { enum: [1, 2] }] })],
])("a schema with %s is accepted", async (_, parameters) => {
  expect(check(parameters)).not.toThrow();
  for (const syntax of SYNTAXES) await llama.createGrammar({ grammar: syntax.grammar("x", parameters) });
}); // prettier-ignore

test("Gemma's keys have no quotation marks, so a key inside a value cannot hold its delimiters", () => {
  const parameters = withA({ type: "object", properties: { "b:{c": {}, b: {} } });
  expect(check(parameters)).not.toThrow();
  expect(() => gemmaCall.grammar("x", parameters)).toThrow(expect.objectContaining({ code: "TOOL_UNUSABLE" }));
});

test("the tools of a session share a limit", () => {
  const lengths = Object.fromEntries(repeat(100, (at) => [`p${String(at)}`, { type: "string", maxLength: 300 + at }]) as [string, Schema][]);
  const tool = { name: "x", description: "", parameters: { type: "object", properties: lengths } };
  const session = new SessionBudget();
  expect(() => {
    for (let count = 0; count < 128; count += 1) checkTool(tool, session);
  }).toThrow("the tools before it");
  expect(() => checkTool(tool)).not.toThrow();
}); // prettier-ignore

const leaf = fc.oneof(
  fc.constantFrom<unknown>({ type: "string" }, { type: "number" }, {}, true, toA, { const: 3 }, { enum: ["a", "ab"] }),
  fc.record({ type: fc.constant("string"), maxLength: fc.nat(600), minLength: fc.nat(600) }),
);
const schema = fc.letrec<{ any: unknown }>((tie) => {
  const any = tie("any");
  const some = fc.array(any, { minLength: 1, maxLength: 8 });
  const types = fc.array(fc.constantFrom("string", "array", "object", "null", "integer"), {
    minLength: 1,
    maxLength: 9,
  });
  return {
    any: fc.oneof(
      { maxDepth: 7, withCrossShrink: true },
      leaf,
      fc.record({ type: types, items: any, additionalProperties: any }),
      fc.record({ anyOf: some }),
      fc.record({ type: fc.constant("array"), items: any, minItems: fc.nat(3), maxItems: fc.nat(60) }),
      fc.record({ type: fc.constant("object"), properties: fc.dictionary(fc.string(), any, { maxKeys: 6 }) }),
    ),
  };
}).any;

test("property: every schema is refused, or has grammars within the limit", () => {
  fc.assert(
    fc.property(schema, schema, (a, definition) => {
      const parameters = withA(a, { $defs: { a: definition } });
      for (const syntax of SYNTAXES)
        try {
          expect(syntax.grammar("x", parameters).length).toBeLessThan(MOST_CHARACTERS);
        } catch (error) {
          if (errorCode(error) !== "TOOL_UNUSABLE") throw error;
        }
    }),
  );
});

/** The same expression for JavaScript. */
const pattern = (expression: string) =>
  expression.replace(/"((?:[^"\\]|\\.)*)"| /gu, (_, text: string | undefined) =>
    (text ?? "").replace(/\\(.)/gu, "$1").replace(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`),
  );

test("property: a choice of texts matches each of them, and no other", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "é", "😀", "😁", '"', "\\", "(", "|"), maxLength: 5 });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 12 }), text, (choices, other) => {
      const expression = new RegExp(`^${pattern(oneOf(choices))}$`, "u");
      for (const each of [...choices, other]) expect(expression.test(each), each).toBe(choices.includes(each));
    }),
  );
});
