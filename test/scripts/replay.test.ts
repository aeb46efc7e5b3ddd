import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { builtScript } from "../support/built-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const golden = fileURLToPath(new URL("../replay-logs/question.jsonl", import.meta.url));

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [builtScript("replay"), ...args], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

test("prints each differing decision, and --update writes the new ones", () => {
  expect(run(golden)).toMatchObject({ status: 0, stderr: "" });
  const changed = join(folder, "changed.jsonl");
  copyFileSync(golden, changed);
  const text = readFileSync(changed, "utf8");
  writeFileSync(changed, text.replace('"cause":"silence"', '"cause":"limit"'));
  const found = run(changed);
  expect(found.status).toBe(1);
  expect(found.stdout).toMatch(/now {2}.*"cause":"silence"/);
  expect(run(changed, "--update").status).toBe(0);
  expect(readFileSync(changed, "utf8")).toBe(text);
});

test("a file that is not a trace is reported in one line", () => {
  const noTrace = join(folder, "no.jsonl");
  writeFileSync(noTrace, '{"event":{}}\n');
  for (const file of [join(folder, "missing.jsonl"), noTrace, import.meta.filename]) {
    const { status, stderr } = run(file);
    expect(status).toBe(2);
    expect(stderr).toContain(file);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  }
});
