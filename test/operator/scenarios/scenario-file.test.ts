import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../../src/shared/package-root.ts";
import { readScenarioFile, scenarioSchema } from "../../../src/operator/scenarios/scenario-file.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function read(text: string) {
  const file = join(temporaryFolder(), "call.yaml");
  writeFileSync(file, text);
  return { file, read: () => readScenarioFile(file, "call") };
}

test("a short form and defaults", () => {
  const { read: scenario } = read("turns: [hello]\n");
  expect(scenario()).toMatchObject({
    name: "call",
    caller: "speaks",
    repeat: 1,
    turns: [{ say: "hello", pause: 0.8, expect: { reply: [], heard: [] } }],
    expect: { nothing_invented: false, judge: [] },
  });
});

test("tools are wanted by name, or with arguments", () => {
  const { read: scenario } = read("turns:\n  - { say: a, expect: { tools: [one, { two: { day: friday } }] } }\n");
  expect(scenario().turns[0]?.expect.tools).toEqual([
    { name: "one", arguments: {} },
    { name: "two", arguments: { day: "friday" } },
  ]);
});

test.each([
  ["turns:\n  - say: hello\n    expects: {}\n", /:3: turns\.0: .*expects.*did you mean expect\?/u],
  ["turns: [hello]\nexpect:\n  nothing_invinted: true\n", /:3: expect: .*did you mean nothing_invented\?/u],
  ["turns: [hello]\ncaller: sings\n", /:2: caller: .*"speaks"\|"types"/u],
  ["turns:\n  - say: hello\n    pause: long\n", /:3: turns\.0\.pause: /u],
  [
    "turns:\n  - { say: hello, expect: { reply: /a(/ } }\n",
    /:2: turns\.0\.expect\.reply: is not a regular expression/u,
  ],
  ["caller: types\n", /turns: /u],
  ["turns: [\n", /call\.yaml: .*line 2/u],
])("%j is refused with the place of the fault", (text, fault) => {
  const { file, read: scenario } = read(text);
  expect(scenario).toThrow(expect.objectContaining({ code: "SCENARIO_INVALID" }) as Error);
  expect(scenario).toThrow(fault);
  expect(scenario).toThrow(file);
});

describe("docs/testing-your-assistant.md", () => {
  const page = readFileSync(join(packageRoot, "docs", "testing-your-assistant.md"), "utf8");

  test("its example is a scenario", () => {
    const [, example = ""] = /```yaml\n(.*?)```/su.exec(page) ?? [];
    expect(read(example).read().turns).toHaveLength(3);
  });

  test("it names each field", () => {
    const fields = (schema: unknown): string[] =>
      typeof schema === "object" && schema !== null
        ? Object.entries(schema).flatMap(([key, value]) =>
            key === "properties" ? [...Object.keys(value as object), ...fields(value)] : fields(value),
          )
        : [];
    const { settings: _settings, ...own } =
      z.toJSONSchema(scenarioSchema, { io: "input", unrepresentable: "any" }).properties ?? {};
    expect(fields({ properties: own }).filter((field) => !page.includes(`\`${field}\``))).toEqual([]);
  });
});
