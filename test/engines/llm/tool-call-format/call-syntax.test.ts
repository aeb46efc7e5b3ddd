import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { getLlama, LlamaLogLevel, type Llama } from "node-llama-cpp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CallGrammars } from "../../../../src/engines/llm/tool-call-format/call-grammars.ts";
import { hermesForm, lfmForm } from "../../../../src/engines/llm/tool-call-format/call-form.ts";
import { gemmaCall, jsonCall, pythonCall, xmlCall } from "../../../../src/engines/llm/tool-call-format/call-syntax.ts";
import { checkTool } from "../../../../src/engines/llm/tool-call-format/check-tool.ts";

const modelPath = fileURLToPath(new URL("../../../../models/starter/llm/starter.gguf", import.meta.url));
const SYNTAXES = { json: jsonCall, python: pythonCall, gemma: gemmaCall, xml: xmlCall };

let llama: Llama;
beforeAll(async () => {
  llama = await getLlama({ build: "never", gpu: false, logLevel: LlamaLogLevel.disabled, progressLogs: false });
});
afterAll(() => llama.dispose());

const parameters = {
  type: "object",
  properties: { text: { type: "string" }, more: {}, list: { type: "array" }, flag: { type: "boolean" } },
  required: ["text"],
};

test.each(Object.entries(SYNTAXES))("property: %s reads the arguments that it writes", (name, syntax) => {
  // Gemma and XML have no way to write their delimiters inside a text.
  const text = name === "json" || name === "python" ? fc.string() : fc.stringMatching(/^[\w "',:={}[\]()\\é-]*$/u);
  const args = fc.record({ text, flag: fc.boolean(), list: fc.array(fc.oneof(text, fc.integer(), fc.constant(null))) });
  fc.assert(
    fc.property(args, (given) => {
      const written = syntax.write(given);
      expect(syntax.parse(written, parameters)).toEqual(given);
      expect(syntax.parse(written.slice(0, -1), parameters)).toBeUndefined();
    }),
  );
});

const node = { type: "object", properties: { next: { $ref: "#/$defs/node" }, name: { type: "string" } } };

test.each([
  ["no parameters", undefined],
  ["an empty schema", {}],
  ["only optional parameters", { type: "object", properties: { a: { type: "string" }, b: {}, c: { type: "null" } } }],
  ["a required parameter without a schema", { type: "object", required: ["a"] }],
  [
    "keywords that a grammar cannot express",
    {
      type: "object",
      properties: { a: { type: "string", pattern: "^x+$", format: "date" }, b: { allOf: [{ type: "string" }] } },
      required: ["b"],
    },
  ],
  ["a choice of schemas", { type: "object", properties: { a: { anyOf: [{ type: "string" }, { type: "null" }] } } }],
  ["a list of types", { type: "object", properties: { a: { type: ["integer", "null"] } } }],
  ["fixed values", { type: "object", properties: { a: { enum: ["x", 'say "y"', 2, null] }, b: { const: true } } }],
  [
    "a schema that contains itself",
    { type: "object", properties: { node: { $ref: "#/$defs/node" } }, $defs: { node } },
  ],
  ["a reference to nothing", { type: "object", properties: { a: { $ref: "https://example.com/x" } } }],
  [
    "lists with limits",
    { type: "object", properties: { a: { type: "array", minItems: 2, maxItems: 900, items: {} } } },
  ],
  [
    "nested objects",
    { type: "object", properties: { a: { type: "object", additionalProperties: { type: "integer" } } } },
  ],
  ["long texts", { type: "object", properties: { a: { type: "string", minLength: 2, maxLength: 90_000 } } }],
  ["a pattern that names U+0000", { type: "object", properties: { a: { type: "string", pattern: "[^\\u0000]" } } }],
  ["names with quotation marks", { type: "object", properties: { 'a"b\\': { type: "string" }, "c d": {} } }],
])("llama.cpp takes the grammars of %s", async (_, schema) => {
  for (const syntax of Object.values(SYNTAXES)) await llama.createGrammar({ grammar: syntax.grammar("tool", schema) });
});

test.each([
  ["set light", {}, "The tool name"],
  ["", {}, "The tool name"],
  ["tool", "text", "JSON Schema"],
  ["tool", { type: "string" }, '"type": "object"'],
  ["tool", { type: "object", properties: { "a\u0000": {} } }, "U+0000"],
  ["tool", { type: "object", properties: { a: { enum: ["b\u0000c"] } } }, "U+0000"],
  ["tool", { type: "object", properties: ["a"] }, '"properties"'],
  ["tool", { type: "object", required: "a" }, '"required"'],
  ["tool", { type: "object", properties: { a: { enum: [] } } }, '"enum"'],
  ["tool", { type: "object", properties: { a: { type: "date" } } }, '"date"'],
  ["tool", { type: "object", properties: { a: false } }, "no value"],
  ["tool", { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { $ref: "#/$defs/a" } } }, "itself"],
])("the tool %j with the parameters %j is refused when it is checked", (name, schema, message) => {
  expect(() => checkTool({ name, description: "", parameters: schema })).toThrow(
    expect.objectContaining({ code: "TOOL_UNUSABLE", message: expect.stringContaining(message) }),
  );
});

test("llama.cpp takes any text that a schema fixes", async () => {
  const text = fc.string({ unit: "binary" }).filter((each) => !each.includes("\u0000"));
  const one = async (value: string, key: string) => {
    const schema = { type: "object", properties: { a: { enum: [value] }, [key]: { const: value } } };
    checkTool({ name: "tool", description: "", parameters: schema });
    for (const syntax of Object.values(SYNTAXES))
      await llama.createGrammar({ grammar: syntax.grammar("tool", schema) });
  };
  await fc.assert(fc.asyncProperty(text, text, one));
});

test("the grammars of a set of tools are compiled once", async () => {
  const model = await llama.loadModel({ modelPath, vocabOnly: true });
  for (const form of [hermesForm, lfmForm]) {
    const grammars = new CallGrammars(model, form);
    const tools = [{ name: "find", description: "", parameters }];
    expect(await grammars.of([...tools])).toBe(await grammars.of(tools));
    await expect(grammars.of([{ name: "find", description: "", parameters: 3 }])).rejects.toMatchObject({
      code: "TOOL_UNUSABLE",
    });
  }
});

const optionals = (count: number) => ({
  type: "object",
  properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${String(at)}`, { type: "integer" }])),
});

test("a grammar grows no faster than its schema", () => {
  const length = (count: number) => jsonCall.grammar("f", optionals(count)).length;
  expect(length(120) / length(30)).toBeLessThan(5);
});

test.each([
  ["many arguments", optionals(129), /more than 128/u],
  ["a large schema", { type: "object", description: "a".repeat(20_000) }, /characters/u],
])("a tool with %s is refused", (_, schema, message) => {
  expect(() => checkTool({ name: "f", description: "", parameters: schema })).toThrow(message);
});
