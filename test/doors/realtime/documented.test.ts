import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../../src/shared/package-root.ts";
import { CLIENT_EVENTS } from "../../../src/doors/realtime/client/client-events.ts";
import { responseParamsSchema } from "../../../src/doors/realtime/session/response-params.ts";
import { SERVER_EVENTS } from "../../../src/doors/realtime/server/server-events.ts";
import { sessionPatchSchema } from "../../../src/doors/realtime/session/session-config.ts";

const page = readFileSync(join(packageRoot, "docs", "realtime.md"), "utf8");

/** Names in the first cells of the tables under a heading. */
function named(heading: string): Set<string> {
  const [, section = ""] = page.split(`${heading}\n`);
  const [table = ""] = section.split(/\n##/u);
  const cells = table.split("\n").flatMap((line) => line.split("|").slice(1, 3));
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/gu)].map(([, name = ""]) => name)));
}

/** Dotted paths of the fields of a schema, whose values have no fields of their own or are named as a whole. */
function pathsOf(schema: z.core.JSONSchema.BaseSchema, prefix = ""): string[] {
  const parts = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])] as z.core.JSONSchema.BaseSchema[];
  return parts.flatMap((part) =>
    (part === schema ? [] : pathsOf(part, prefix)).concat(
      Object.entries(part.properties ?? {}).flatMap(([name, inner]) => {
        const path = prefix === "" ? name : `${prefix}.${name}`;
        return [path, ...(typeof inner === "boolean" ? [] : pathsOf(inner, path))];
      }),
    ),
  );
}

const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
/** Groups of fields, and parts of a value that has a row. */
const WITHIN_A_ROW = /^audio(\.(input|output))?$|\.(type|rate|id)$|^(tools|tool_choice|input)\./u;

test("the table of client events has every event and every field", () => {
  const names = named("## Client events");
  expect(Object.keys(CLIENT_EVENTS).filter((type) => !names.has(type))).toEqual([]);
  const fields = Object.values(CLIENT_EVENTS).flatMap(({ shape }) => Object.keys(shape));
  expect(fields.filter((field) => field !== "type" && !names.has(field))).toEqual([]);
});

test.each([
  ["### Session", sessionPatchSchema],
  ["### Response", responseParamsSchema],
])("the table %s has every field", (heading, schema) => {
  const names = named(heading);
  const paths = pathsOf(schemaOf(schema)).filter((path) => !WITHIN_A_ROW.test(path));
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !names.has(path))).toEqual([]);
});

test("the table of server events has every event and no other", () => {
  const names = [...named("## Server events")].filter((name) => name.includes(".") || name === "error");
  const events = Object.keys(SERVER_EVENTS);
  expect(events.filter((type) => !names.includes(type))).toEqual([]);
});
