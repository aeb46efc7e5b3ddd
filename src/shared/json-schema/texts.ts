import { z } from "zod";
import type { Fault, JsonSchema } from "./schema.ts";

const FORMATS: ReadonlyMap<unknown, readonly [name: string, schema: z.ZodType]> = new Map([
  ["date", ["a date such as 2026-05-31", z.iso.date()]],
  [
    "time",
    ["a time such as 19:30:00", z.iso.time().or(z.string().regex(/^\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/iu))],
  ],
  ["date-time", ["a time such as 2026-05-31T19:30:00Z", z.iso.datetime({ offset: true })]],
  ["duration", ["a duration such as PT30M", z.iso.duration()]],
  ["email", ["an e-mail address", z.email()]],
  ["uri", ["an address such as https://example.org", z.url()]],
  ["uuid", ["a UUID", z.uuid()]],
  ["ipv4", ["an IPv4 address", z.ipv4()]],
  ["ipv6", ["an IPv6 address", z.ipv6()]],
] as const);

/** Python writes the ends of a text as \A and \Z, which JavaScript takes for letters. */
const FOREIGN = /\\[AZz]/u;

/** The faults of a text by the length, the pattern and the format of a schema. */
export function textFaults(schema: JsonSchema, text: string, path: string): Fault[] {
  const { minLength: least, maxLength: most, pattern, format } = schema;
  const length = typeof least === "number" || typeof most === "number" ? Array.from(text).length : 0;
  const [name, wanted] = FORMATS.get(format) ?? [];
  const messages = [
    typeof least === "number" && length < least ? `must have at least ${String(least)} characters` : undefined,
    typeof most === "number" && length > most ? `must have at most ${String(most)} characters` : undefined,
    typeof pattern === "string" && expressionOf(pattern)?.test(text) === false
      ? `must match the regular expression ${pattern.slice(0, 200)}`
      : undefined,
    wanted?.safeParse(text).success === false ? `must be ${String(name)}` : undefined,
  ];
  return messages.flatMap((message) => (message === undefined ? [] : [{ path, message }]));
}

/** Undefined when JavaScript cannot read it. */
export function expressionOf(pattern: string): RegExp | undefined {
  if (FOREIGN.test(pattern)) return undefined;
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Outside of Unicode mode more escapes are allowed.
    }
  }
  return undefined;
}
