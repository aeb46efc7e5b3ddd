import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";

const folder = fileURLToPath(new URL("../../deploy/prometheus/", import.meta.url));
const RULES = "oakvoice-alerts.yaml";
const TRIALS = "oakvoice-alerts-test.yaml";
const read = (name: string): unknown => parse(readFileSync(`${folder}${name}`, "utf8"));
const promtool = (...args: string[]) => spawnSync("promtool", args, { cwd: folder, encoding: "utf8" });
const isThere = promtool("--version").status === 0;
if (!isThere) process.stderr.write("alert rules: SKIPPED, promtool is missing (apt-get install prometheus)\n");

test.skipIf(!isThere)("Prometheus accepts the rules, and each fires only when it should", () => {
  for (const args of [
    ["check", "rules", RULES],
    ["test", "rules", TRIALS],
  ]) {
    const { status, stdout, stderr } = promtool(...args);
    expect(status, stdout + stderr).toBe(0);
  }
});

test("every rule has a test", () => {
  const { groups } = read(RULES) as { groups: { rules: { alert: string }[] }[] };
  const { tests } = read(TRIALS) as { tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[] };
  const fired = tests
    .flatMap((trial) => trial.alert_rule_test)
    .filter((trial) => trial.exp_alerts.length > 0)
    .map((trial) => trial.alertname);
  expect(new Set(fired)).toEqual(new Set(groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))));
});
