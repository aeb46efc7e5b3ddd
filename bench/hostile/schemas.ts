import type { Chance } from "./chance.ts";
import type { JsonObject } from "./messages.ts";

const TYPES = ["string", "number", "integer", "boolean", "null", "array", "object", "any", "", "__proto__"] as const;
const REFERENCES = [
  "#",
  "#/$defs/a",
  "#/$defs/b",
  "#/definitions/a",
  "#/properties/a",
  "https://x/y",
  "#/%",
  "",
] as const;
const PATTERNS = ["^(a+)+$", "(", "\\A.\\Z", "(?i)x", "^[0-9]{2}$", "\\p{L}", "(.*)*\\1", "\u0000"] as const;
const COUNTS = [-1, 0, 1, 50, 1e9, 1e308, "2", null] as const;
const MOST_DEPTH = 12;
const MOST_PARTS = 300;

/** The parameters of a tool: schemas that grow, refer to themselves, contradict each other, or are not schemas. */
export function hostileSchema(chance: Chance): JsonObject {
  const parts = { left: MOST_PARTS };
  const schema = schemaAt(chance, 0, parts);
  if (chance.happens(0.8)) schema["type"] = "object";
  if (chance.happens(0.5)) schema["$defs"] = { a: schemaAt(chance, 1, parts), b: { $ref: "#/$defs/a" } };
  return schema;
}

function schemaAt(chance: Chance, depth: number, parts: { left: number }): JsonObject {
  const below = () => (depth >= MOST_DEPTH || (parts.left -= 1) < 0 ? {} : schemaAt(chance, depth + 1, parts));
  const some = () => Array.from({ length: chance.size(20) }, below);
  const schema: JsonObject = {};
  for (let keywords = 1 + chance.int(3); keywords > 0; keywords -= 1)
    Object.assign(
      schema,
      chance.pick<() => JsonObject>([
        () => ({ type: chance.pick(TYPES) }),
        () => ({ type: Array.from({ length: chance.size(100) }, () => chance.pick(TYPES)) }),
        () => ({ type: ["array", "array", "object"], items: below(), additionalProperties: below() }),
        () => ({ properties: { a: below(), b: below(), toString: below() }, required: ["a", "c", "toString"] }),
        () => ({ anyOf: some() }),
        () => ({ oneOf: some(), allOf: some() }),
        () => ({ items: below(), minItems: chance.pick<JsonObject[string]>(COUNTS), maxItems: chance.pick<JsonObject[string]>(COUNTS), uniqueItems: true }),
        () => ({ $ref: chance.pick(REFERENCES) }),
        () => ({ pattern: chance.pick(PATTERNS), format: chance.pick(["date", "email", "x"]) }),
        () => ({ patternProperties: { [chance.pick(PATTERNS)]: below() }, propertyNames: below() }),
        () => ({ enum: Array.from({ length: chance.size(500) }, (_, at) => chance.pick<JsonObject[string]>([at, "x", null, { a: [at] }])) }),
        () => ({ const: { a: [null] }, not: below() }),
        () => ({ minimum: chance.pick<JsonObject[string]>(COUNTS), multipleOf: chance.pick([0, -1, 1e-320, 0.01]) }),
        () => ({ minLength: chance.pick<JsonObject[string]>(COUNTS), maxLength: chance.pick<JsonObject[string]>(COUNTS) }),
        () => ({ if: below(), else: below(), dependentRequired: { a: ["b"] } }),
      ])(),
    );
  return schema;
} // prettier-ignore

/** Arguments that a model may write for any schema. */
export function hostileArguments(chance: Chance): JsonObject {
  let left = MOST_PARTS;
  const value = (depth: number): JsonObject[string] => {
    left -= 1;
    if (depth > MOST_DEPTH || left < 0) return depth;
    return chance.pick<() => JsonObject[string]>([
      () => "a".repeat(chance.size(100)),
      () => chance.int(100),
      () => null,
      () => Array.from({ length: chance.size(30) }, () => value(depth + 1)),
      () => ({ a: value(depth + 1), b: value(depth + 1), toString: 1 }),
    ])();
  };
  return { a: value(0), b: value(0) };
}
