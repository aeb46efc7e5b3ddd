import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { packageRoot } from "../src/shared/package-root.ts";
import { serverConfigSchema } from "../src/config/server-config-schema.ts";
import { loadServerConfig } from "../src/config/server-config.ts";
import { toolsSchema } from "../src/config/tool-configuration.ts";
import { voiceConfigurationSchema } from "../src/config/voice-configuration.ts";
import { CLOSE_CODES } from "../src/doors/close-codes.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { CLIENT_ERRORS, ERRORS } from "../src/shared/error-codes.ts";

const page = (name: string) => readFileSync(join(packageRoot, "docs", name), "utf8");
const exampleWith = (field: string) =>
  [...page("operations.md").matchAll(/```yaml\n(.*?)```/gsu)]
    .map(([, text = ""]) => text)
    .find((text) => text.includes(field)) ?? "";

/** Names of a schema's fields, those of `limits` aside, which have a table of their own. */
function fieldsOf(schema: z.core.JSONSchema.BaseSchema): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [
    name,
    ...(name === "limits" || typeof inner === "boolean" ? [] : fieldsOf(inner)),
  ]);
}

test.each([
  ["host:", serverConfigSchema],
  ["system_prompt:", voiceConfigurationSchema.omit({ turn_detection: true, emotion_detection: true })],
])("the example with %s names every field", (field, schema) => {
  const example = exampleWith(field);
  const names = fieldsOf(z.toJSONSchema(schema, { io: "input" }));
  expect(names.length).toBeGreaterThan(8);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`, "u").test(example))).toEqual([]);
});

test("both examples are valid", () => {
  const file = join(temporaryFolder(), "oakvoice.yaml");
  writeFileSync(file, exampleWith("host:"));
  expect(loadServerConfig(file, {}).warnings).toEqual([]);
  expect(voiceConfigurationSchema.parse(parse(exampleWith("system_prompt:")))).toMatchObject({
    config_id: "front-desk",
  });
});

test("the examples of tools are valid, and name every field", () => {
  const examples = Array.from(page("tools.md").matchAll(/```yaml\n(.*?)```/gsu), ([, text = ""]) => text);
  const server = examples.filter((text) => text.startsWith("egress:"));
  const voice = examples.filter((text) => text.startsWith("tools:"));
  expect([server.length, voice.length]).toEqual([1, 3]);
  for (const text of server) expect(serverConfigSchema.parse(parse(text)).egress.allowed_hosts).toHaveLength(5);
  const tools = voice.flatMap((text) => toolsSchema.parse((parse(text) as { tools: unknown }).tools));
  expect(new Set(tools.flatMap(Object.keys))).toEqual(
    new Set([
      "name",
      "description",
      "parameters",
      "webhook",
      "say",
      "confirm",
      "cancel_on_interrupt",
      "mcp",
      "client",
      "timeout_seconds",
      "builtin",
      "targets",
    ]),
  );
});

/** Cells of the tables in protocol.md whose first one is a name in this form. */
const rowsOf = (name: string, value: string): Record<string, string | undefined> =>
  Object.fromEntries(
    [...page("protocol.md").matchAll(new RegExp(`^\\| \`(${name})\`\\s+\\| (${value})\\s+\\|`, "gmu"))].map(
      ([, found = "", cell]) => [found, cell],
    ),
  );

test("the table of limits contains every limit and its default", () => {
  const { limits } = serverConfigSchema.shape;
  const defaults: Readonly<Record<string, number | boolean | string | undefined>> = limits.parse({});
  const names = fieldsOf(z.toJSONSchema(limits, { io: "input" }));
  expect(rowsOf("[a-z_]+", "none|[0-9]+|false|turns")).toEqual(
    Object.fromEntries(names.map((name) => [name, String(defaults[name] ?? "none")])),
  );
});

test("the table of errors that end a connection contains all of them with their close codes", () => {
  // No error message reports this code, so its row has no name in the first column.
  const { CLIENT_TOO_SLOW, ...reported } = CLOSE_CODES;
  expect(rowsOf("[A-Z_]+", "[0-9]{4}")).toEqual(
    Object.fromEntries(Object.entries(reported).map(([code, close]) => [code, String(close)])),
  );
  expect(page("protocol.md")).toMatch(new RegExp(`${String(CLIENT_TOO_SLOW)} +\\| \`CLIENT_TOO_SLOW\``, "u"));
});

/** Codes in the tables of a page, in backquotes. Names of environment variables and of other programs' errors are left out. */
function codesIn(tables: string): string[] {
  const rows = tables.split("\n").filter((line) => line.startsWith("|"));
  const codes = rows.flatMap((row) => [...row.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/gu)].map(([, code = ""]) => code));
  return codes.filter((code) => !/^(?:ERR|OAKVOICE)_/u.test(code));
}

test("the tables of errors in protocol.md have every code that a client may get", () => {
  const section = /^## Error codes$(.*?)^## /msu.exec(`${page("protocol.md")}\n## `)?.[1] ?? "";
  const documented = new Set(codesIn(section));
  expect(Object.keys(CLIENT_ERRORS).filter((code) => !documented.has(code))).toEqual([]);
});

test.each(["protocol.md", "operations.md"])("every code in the tables of %s exists", (name) => {
  const codes = codesIn(page(name));
  expect(codes.length).toBeGreaterThan(10);
  expect(codes.filter((code) => !Object.hasOwn(ERRORS, code))).toEqual([]);
});
