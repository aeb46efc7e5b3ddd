import { expect, test } from "vitest";
import { gemmaCall, jsonCall, pythonCall, xmlCall } from "../../../src/engines/llm/tool-call-format/call-syntax.ts";
import { checkTool } from "../../../src/engines/llm/tool-call-format/check-tool.ts";

const guest = { properties: { name: { type: "string" } }, required: ["name"], additionalProperties: false };
const shapes: Record<string, object> = {
  "object or null": { type: ["object", "null"], ...guest },
  "null or object": { type: ["null", "object"], ...guest },
  "object, string or null": { type: ["object", "string", "null"], ...guest },
  "only an object, in a list of types": { type: ["object"], ...guest },
  "object or null without properties": { type: ["object", "null"] },
  "list of objects that may be null": { type: "array", items: { type: ["object", "null"], ...guest } },
};
const inTool = (schema: object) => ({ type: "object", properties: { guest: schema }, required: ["guest"] });

test.each(Object.entries(shapes))("%s is accepted", (_, schema) => {
  expect(() => checkTool({ name: "book", description: "", parameters: inTool(schema) })).not.toThrow();
});

test.each(Object.entries(shapes))("%s behind a reference is accepted", (_, schema) => {
  const parameters = { ...inTool({ $ref: "#/$defs/guest" }), $defs: { guest: schema } };
  expect(() => checkTool({ name: "book", description: "", parameters })).not.toThrow();
});

test.each(Object.entries({ jsonCall, pythonCall, gemmaCall, xmlCall }))(
  "the grammar of %s allows the object and null",
  (_, syntax) => {
    const grammar = syntax.grammar("book", inTool({ type: ["object", "null"], ...guest }));
    expect(grammar).toContain("name");
    expect(grammar).toMatch(/"null"|"None"/u);
  },
);

test("the tool itself must still be an object", () => {
  const parameters = { type: ["object", "null"], ...guest };
  expect(() => checkTool({ name: "book", description: "", parameters })).toThrow('must have "type": "object"');
});
