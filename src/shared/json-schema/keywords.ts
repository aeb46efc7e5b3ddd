import { isDeepStrictEqual } from "node:util";
import { isRecord, type Fault, type JsonSchema, type PartCheck } from "./schema.ts";
import { textFaults } from "./texts.ts";

/** The faults of a value by all keywords but those that name its type or fixed values. */
export function checkKeywords(
  check: PartCheck,
  schema: JsonSchema,
  value: unknown,
  path: string,
  depth: number,
): readonly Fault[] {
  const at = { check, schema, path, depth };
  return [
    ...(typeof value === "string" ? textFaults(schema, value, path) : []),
    ...(typeof value === "number" ? numberFaults(schema, value, path) : []),
    ...(Array.isArray(value) ? listFaults(at, value) : []),
    ...(isRecord(value) ? objectFaults(at, value) : []),
    ...combinedFaults(at, value),
  ];
}

interface Place {
  readonly check: PartCheck;
  readonly schema: JsonSchema;
  readonly path: string;
  readonly depth: number;
}

function numberFaults(schema: JsonSchema, value: number, path: string): Fault[] {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf: step } = schema;
  const messages = [
    // Draft 4 writes true beside the limit.
    isNumber(minimum) && (above === true ? value <= minimum : value < minimum)
      ? `must be ${above === true ? "more than" : "at least"} ${String(minimum)}`
      : undefined,
    isNumber(maximum) && (below === true ? value >= maximum : value > maximum)
      ? `must be ${below === true ? "less than" : "at most"} ${String(maximum)}`
      : undefined,
    isNumber(above) && value <= above ? `must be more than ${String(above)}` : undefined,
    isNumber(below) && value >= below ? `must be less than ${String(below)}` : undefined,
    isNumber(step) && step > 0 && !isMultiple(value, step) ? `must be a multiple of ${String(step)}` : undefined,
  ];
  return messages.flatMap((message) => (message === undefined ? [] : [{ path, message }]));
}

/** 0.3 is a multiple of 0.1, although the computer's 0.3 is not exactly three times its 0.1. */
function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) <= 1e-9 * Math.max(1, Math.abs(times));
}

function listFaults({ check, schema, path, depth }: Place, values: readonly unknown[]): Fault[] {
  const { items, prefixItems, minItems, maxItems, uniqueItems, contains, additionalItems } = schema;
  const first = [Array.isArray(items) ? items : prefixItems].flat().filter((each) => each !== undefined);
  const rest = Array.isArray(items) ? additionalItems : items;
  const faults = values.flatMap((value, index) =>
    check.faults(index < first.length ? first[index] : rest, value, join(path, String(index)), depth + 1),
  );
  if (isNumber(minItems) && values.length < minItems)
    faults.push({ path, message: `must have at least ${String(minItems)} items` });
  if (isNumber(maxItems) && values.length > maxItems)
    faults.push({ path, message: `must have at most ${String(maxItems)} items` });
  if (uniqueItems === true && hasEqual(check, values)) faults.push({ path, message: "must not repeat an item" });
  if (contains !== undefined && !values.some((value) => check.fits(contains, value, path, depth + 1)))
    faults.push({ path, message: "lacks an item of the kind that it must contain" });
  return faults;
}

function hasEqual(check: PartCheck, values: readonly unknown[]): boolean {
  check.spend((values.length * values.length) / 2);
  return values.some((value, index) => values.slice(0, index).some((other) => isDeepStrictEqual(other, value)));
}

function objectFaults({ check, schema, path, depth }: Place, value: Readonly<Record<string, unknown>>): Fault[] {
  const { properties, required, additionalProperties: others, propertyNames, dependentRequired } = schema;
  const { minProperties: least, maxProperties: most } = schema;
  const known = isRecord(properties) ? properties : {};
  const patterns = Object.entries(isRecord(schema["patternProperties"]) ? schema["patternProperties"] : {});
  const names = Object.keys(value);
  const needed = [
    ...namesOf(required),
    ...Object.entries(isRecord(dependentRequired) ? dependentRequired : {}).flatMap(([name, more]) =>
      Object.hasOwn(value, name) ? namesOf(more) : [],
    ),
  ];
  const faults: Fault[] = needed.flatMap((name) =>
    Object.hasOwn(value, name) ? [] : [{ path: join(path, name), message: "is missing" }],
  );
  check.spend(names.length * (patterns.length + 1) + needed.length);
  for (const name of names) {
    const schemas = patterns.flatMap(([pattern, inner]) =>
      textFaults({ pattern }, name, "").length === 0 ? [inner] : [],
    );
    if (Object.hasOwn(known, name)) schemas.push(known[name]);
    if (propertyNames !== undefined && !check.fits(propertyNames, name, path, depth + 1))
      faults.push({ path, message: `must not have a property of the name ${JSON.stringify(name.slice(0, 40))}` });
    if (schemas.length === 0 && others === false)
      faults.push({ path, message: `has no property ${JSON.stringify(name.slice(0, 40))}` });
    else
      for (const inner of schemas.length === 0 ? [others] : schemas)
        faults.push(...check.faults(inner, value[name], join(path, name), depth + 1));
  }
  if (isNumber(least) && names.length < least)
    faults.push({ path, message: `must have at least ${String(least)} properties` });
  if (isNumber(most) && names.length > most)
    faults.push({ path, message: `must have at most ${String(most)} properties` });
  return faults;
}

function combinedFaults({ check, schema, path, depth }: Place, value: unknown): readonly Fault[] {
  const { anyOf, oneOf, allOf, not, if: condition, then, else: otherwise } = schema;
  const faultsOf = (inner: unknown) => check.faults(inner, value, path, depth + 1);
  const faults = listOf(allOf).flatMap(faultsOf);
  if (listOf(anyOf).length > 0) faults.push(...nearest(listOf(anyOf).map(faultsOf)));
  const only = listOf(oneOf).map(faultsOf);
  if (only.filter(({ length }) => length === 0).length > 1)
    faults.push({ path, message: "fits more than one of the alternatives, but must fit exactly one" });
  else if (only.length > 0) faults.push(...nearest(only));
  if (not !== undefined && check.fits(not, value, path, depth + 1)) faults.push({ path, message: "is not allowed" });
  if (condition !== undefined) faults.push(...faultsOf(faultsOf(condition).length === 0 ? then : otherwise));
  return faults;
}

/** The faults by the alternative that was probably meant: the one whose faults are deepest inside the value. */
function nearest(alternatives: readonly (readonly Fault[])[]): readonly Fault[] {
  const depthOf = (faults: readonly Fault[]) =>
    faults.length === 0
      ? Infinity
      : Math.max(...faults.map(({ path }) => path.split(".").length * Number(path !== "")));
  return alternatives.reduce((best, faults) => (depthOf(faults) > depthOf(best) ? faults : best));
}

const isNumber = (value: unknown): value is number => typeof value === "number";
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
const namesOf = (value: unknown): readonly string[] => listOf(value).filter((name) => typeof name === "string");
const join = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
