import { isDeepStrictEqual } from "node:util";
import { checkKeywords } from "./keywords.ts";
import { targetOf } from "./references.ts";
import { isRecord, type Fault, type PartCheck } from "./schema.ts";

/** Visits of a schema with a part of the value. Usual arguments need less than 100. */
const MAX_STEPS = 20_000;
/** References to themselves and nested values go no deeper. */
const MAX_DEPTH = 64;
/** Characters of a list of allowed values in a message. */
const MAX_LISTED = 300;

class TooMuchWork extends Error {}

/**
 * The faults of a value by a JSON Schema. Run it within a budget of time, because it applies the schema's regular expressions.
 * Keywords that it does not know, and references to other documents, allow every value. Returns undefined when the value cannot be
 * checked in a bounded number of steps.
 */
export function faultsOf(schema: unknown, value: unknown): readonly Fault[] | undefined {
  try {
    return new ValueCheck(schema).faults(schema, value, "", 0);
  } catch (error) {
    if (error instanceof TooMuchWork) return undefined;
    throw error;
  }
}

class ValueCheck implements PartCheck {
  readonly #root: unknown;
  #stepsLeft = MAX_STEPS;

  constructor(root: unknown) {
    this.#root = root;
  }

  fits(schema: unknown, value: unknown, path: string, depth: number): boolean {
    return this.faults(schema, value, path, depth).length === 0;
  }

  faults(schema: unknown, value: unknown, path: string, depth: number): readonly Fault[] {
    this.spend(1);
    if (depth > MAX_DEPTH) throw new TooMuchWork();
    if (schema === false) return [{ path, message: "is not allowed" }];
    if (!isRecord(schema)) return [];
    if (value === null && schema["nullable"] === true) return [];
    const { enum: values, const: fixed, $ref } = schema;
    if (typeof $ref === "string") {
      const faults = this.faults(targetOf(this.#root, $ref), value, path, depth + 1);
      if (faults.length > 0) return faults;
    }
    if (Array.isArray(values)) {
      this.spend(values.length);
      if (!values.some((each) => isDeepStrictEqual(each, value))) return [{ path, message: oneOf(values) }];
    }
    if ("const" in schema && !isDeepStrictEqual(fixed, value)) return [{ path, message: oneOf([fixed]) }];
    const types = typesOf(schema["type"]);
    if (types !== undefined && !types.some((type) => isOfType(type, value)))
      return [{ path, message: `must be of type ${types.join(" or ")}` }];
    return checkKeywords(this, schema, value, path, depth);
  }

  spend(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) throw new TooMuchWork();
  }
}

const typesOf = (type: unknown): readonly string[] | undefined => {
  const types = [type].flat().filter((each) => typeof each === "string");
  return types.length === 0 ? undefined : [...new Set(types)];
};

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function oneOf(values: readonly unknown[]): string {
  const all = values.map((value) => JSON.stringify(value)).join(", ");
  const listed = all.length <= MAX_LISTED ? all : `${all.slice(0, MAX_LISTED)} ...`;
  return `must be ${values.length === 1 ? "" : "one of "}${listed}`;
}
