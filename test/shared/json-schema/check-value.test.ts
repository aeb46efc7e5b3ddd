import { describe, expect, test } from "vitest";
import { faultsOf } from "../../../src/shared/json-schema/check-value.ts";
import { uncheckedPart } from "../../../src/shared/json-schema/unchecked.ts";

const guest = { type: ["object", "null"], properties: { name: { type: "string" } }, required: ["name"] };
const money = { type: "object", properties: { sum: { type: "number", multipleOf: 0.01 } }, required: ["sum"] };

const cases: [name: string, schema: object, right: unknown[], wrong: [unknown, string][]][] = [
  ["a required property that is not described", { required: ["a"] }, [{ a: 1 }], [[{}, "a: is missing"]]],
  [
    "an inherited name",
    { properties: { toString: { type: "string" } } },
    [{}, { toString: "x" }],
    [[{ toString: 1 }, "toString: must be of type string"]],
  ],
  [
    "no type beside properties",
    { properties: { b: { type: "string" } }, required: ["b"] },
    [{ b: "x" }],
    [[{}, "b: is missing"]],
  ],
  [
    "a default",
    { properties: { b: { type: "string", default: "x" } }, required: ["b"] },
    [{ b: "y" }],
    [[{}, "b: is missing"]],
  ],
  [
    "an enum",
    { enum: ["soup", "fish"] },
    ["soup"],
    [
      ["pizza", 'must be one of "soup", "fish"'],
      [null, "must be one of"],
      [["soup"], "must be one of"],
    ],
  ],
  ["an enum with objects", { enum: [{ a: 1 }, [1]] }, [{ a: 1 }, [1]], [[{ a: 2 }, "must be one of"]]],
  ["a const", { const: { a: 1 } }, [{ a: 1 }], [[{ a: 2 }, 'must be {"a":1}']]],
  [
    "a list of types",
    { type: ["integer", "null"] },
    [1, 1.0, null],
    [
      ["1", "must be of type integer or null"],
      [1.5, "must be"],
    ],
  ],
  [
    "an object or null",
    { properties: { guest } },
    [{ guest: null }, { guest: { name: "A" } }],
    [[{ guest: {} }, "guest.name: is missing"]],
  ],
  ["nullable", { type: "string", nullable: true }, ["x", null], [[1, "must be of type string"]]],
  ["limits without a type", { minimum: 3 }, [3, "x"], [[1, "must be at least 3"]]],
  [
    "exclusive limits",
    { exclusiveMinimum: 3, exclusiveMaximum: 5 },
    [4],
    [
      [3, "must be more than 3"],
      [5, "must be less than 5"],
    ],
  ],
  ["exclusive limits of draft 4", { minimum: 3, exclusiveMinimum: true }, [4], [[3, "must be more than 3"]]],
  ["multiples", money, [{ sum: 19.99 }, { sum: 0.3 }], [[{ sum: 0.005 }, "sum: must be a multiple of 0.01"]]],
  [
    "lengths in characters",
    { minLength: 2, maxLength: 2 },
    ["ab", "😀😀"],
    [
      ["a", "at least 2"],
      ["abc", "at most 2"],
    ],
  ],
  ["a pattern", { pattern: "^[A-Z]{2}$" }, ["AB"], [["ab", "regular expression"]]],
  [
    "a pattern with needless escapes",
    { pattern: String.raw`^\d{2}\-\d{2}$` },
    ["12-34"],
    [["1234", "regular expression"]],
  ],
  ["a pattern of Python", { pattern: String.raw`\A(?i)x\Z` }, ["anything"], []],
  ["dates", { format: "date" }, ["2026-05-31"], [["tomorrow", "must be a date such as"]]],
  ["times", { format: "time" }, ["19:30:00Z", "19:30:00"], [["soon", "must be a time such as"]]],
  ["an unknown format", { format: "phone" }, ["anything"], []],
  [
    "lists",
    { items: { type: "string" }, minItems: 1, maxItems: 2 },
    [["a"]],
    [
      [[], "at least 1 items"],
      [["a", "b", "c"], "at most 2 items"],
      [["a", 2], "1: must be of type string"],
    ],
  ],
  [
    "tuples",
    { prefixItems: [{ type: "string" }], items: { type: "number" } },
    [["a", 1, 2]],
    [[["a", "b"], "1: must be of type number"]],
  ],
  [
    "tuples of draft 7",
    { items: [{ type: "string" }], additionalItems: false },
    [["a"]],
    [[["a", 1], "1: is not allowed"]],
  ],
  [
    "lists without repetition",
    { uniqueItems: true },
    [[{ a: 1 }, { a: 2 }]],
    [[[{ a: 1 }, { a: 1 }], "must not repeat"]],
  ],
  [
    "no other properties",
    { properties: { a: {} }, additionalProperties: false },
    [{ a: 1 }],
    [[{ b: 1 }, 'has no property "b"']],
  ],
  [
    "a schema for other properties",
    { additionalProperties: { type: "string" } },
    [{ a: "x" }],
    [[{ a: 1 }, "a: must be of type string"]],
  ],
  [
    "properties by pattern",
    { patternProperties: { "^n_": { type: "number" } } },
    [{ n_a: 1, b: "x" }],
    [[{ n_a: "x" }, "n_a: must be of type number"]],
  ],
  [
    "alternatives",
    { anyOf: [{ type: "null" }, money] },
    [null, { sum: 1 }],
    [[{ sum: "1" }, "sum: must be of type number"]],
  ],
  [
    "exactly one alternative",
    { oneOf: [{ type: "number" }, { type: "integer" }] },
    [1.5],
    [[1, "more than one of the alternatives"]],
  ],
  [
    "alternatives of required names",
    { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] },
    [{ b: 1 }],
    [[{}, "a: is missing"]],
  ],
  ["all of several", { allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1], [[3, "must be at most 2"]]],
  ["a negation", { not: { const: 0 } }, [1], [[0, "is not allowed"]]],
  [
    "a condition",
    JSON.parse('{ "if": { "required": ["a"] }, "then": { "required": ["b"] } }') as object,
    [{}, { a: 1, b: 1 }],
    [[{ a: 1 }, "b: is missing"]],
  ],
  ["dependent names", { dependentRequired: { a: ["b"] } }, [{}, { a: 1, b: 1 }], [[{ a: 1 }, "b: is missing"]]],
  [
    "a reference",
    { properties: { g: { $ref: "#/$defs/a" } }, $defs: { a: { type: "string" } } },
    [{ g: "x" }],
    [[{ g: 3 }, "g: must be of type string"]],
  ],
  [
    "a reference of draft 7",
    { properties: { g: { $ref: "#/definitions/a%20b" } }, definitions: { "a b": { type: "string" } } },
    [{ g: "x" }],
    [[{ g: 3 }, "g: must be"]],
  ],
  ["a reference to another document", { $ref: "https://example.org/a.json" }, [1], []],
  ["values that are no schemas", { properties: { g: null, h: 5 }, items: "x", required: "g" }, [{ g: 1, h: 2 }], []],
];

describe.each(cases)("%s", (_, schema, right, wrong) => {
  test.each(right.map((value) => [JSON.stringify(value), value]))("%s fits", (__, value) => {
    expect(faultsOf(schema, value)).toEqual([]);
  });
  test.each(wrong.map(([value, why]) => [JSON.stringify(value), value, why] as const))(
    "%s does not fit",
    (__, value, why) => {
      expect(
        (faultsOf(schema, value) ?? [])
          .map(({ path, message }) => [path, message].filter(Boolean).join(": "))
          .join("; "),
      ).toContain(why);
    },
  );
});

test.each([
  [{ properties: { a: { pattern: "(?i)a" } } }, "(?i)a is not a regular expression"],
  [{ properties: { a: { $ref: "#/$defs/b" } } }, "#/$defs/b is not in the schema"],
  [{ items: { unevaluatedItems: false } }, "unevaluatedItems is not supported"],
  [{ properties: { unevaluatedItems: { type: "string" } }, enum: [{ pattern: "(" }] }, undefined],
])("%j: the part that is not checked is named", (schema, part) => {
  if (part === undefined) expect(uncheckedPart(schema)).toBeUndefined();
  else expect(uncheckedPart(schema)).toContain(part);
});
