import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { checkArguments } from "../../../src/shared/json-schema/check-arguments.ts";

const name = (pattern: string) => ({
  type: "object",
  properties: { name: { type: "string", pattern } },
  required: ["name"],
});
const words = `${"a".repeat(60)}!`;

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ["words with spaces", name("^([A-Za-z]+ ?)+$"), { name: words }],
  ["a list with commas", name(String.raw`^(\w+,?\s?)*$`), { name: words }],
  ["a reference back", name(String.raw`^(a+)+\1$`), { name: words }],
  ["names of properties", { type: "object", patternProperties: { "^(a+)+$": { type: "string" } } }, { [words]: "x" }],
  [
    "items of a list",
    { type: "object", properties: { names: { type: "array", items: { type: "string", pattern: "^(a|a)*$" } } } },
    { names: Array.from({ length: 50 }, () => words) },
  ],
])("a regular expression for %s that takes hours is stopped, and the next check works", async (_, schema, args) => {
  const check = (values: Record<string, unknown>) => checkArguments(schema, values);
  expect(() => check(args)).toThrow(expect.objectContaining({ code: "TOOL_REFUSED" }));
  expect(() => check({ name: "aa", names: [] })).not.toThrow();
  await sleep(0);
});

test("a regular expression is still checked", () => {
  const check = (values: Record<string, unknown>) => checkArguments(name("^[A-Z]{2}[0-9]{4}$"), values);
  expect(() => check({ name: "AB1234" })).not.toThrow();
  expect(() => check({ name: "AB123" })).toThrow("name: ");
});

test("alternatives that all allow the same cannot hold up the server", () => {
  const anyOf = Array.from({ length: 20 }, (_, index) => ({
    type: "array",
    items: { $ref: "#/$defs/a" },
    maxItems: 100 + index,
  }));
  let nested: unknown = "end";
  for (let depth = 0; depth < 30; depth += 1) nested = [nested];
  const schema = { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { anyOf } } };
  expect(() => checkArguments(schema, { a: nested })).toThrow("too long to check");
});

test.each([
  ["a reference to itself", { $ref: "#" }],
  ["references in a circle", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }],
])("%s is refused", (_, schema) => {
  expect(() => checkArguments(schema, {})).toThrow("too long to check");
});
