import { expect, test } from "vitest";
import { jUnitOf } from "../../../src/operator/scenarios/junit.ts";
import { reportPage } from "../../../src/operator/scenarios/report-page.ts";
import type { ScenarioResult } from "../../../src/operator/scenarios/run-scenarios.ts";

const result = (given: Partial<ScenarioResult>): ScenarioResult => ({
  name: "towels & <tea>",
  file: "tests/towels.yaml",
  run: 1,
  seconds: 4.25,
  failures: [],
  call: undefined,
  wav: undefined,
  ...given,
});
const results = [result({}), result({ run: 2, failures: ['replied "no\u{1b}"', "called no tool"] })];

test("JUnit XML counts calls and failures, and holds no character that XML forbids", () => {
  expect(jUnitOf(results)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="oakvoice" tests="2" failures="1" time="8.500">
  <testcase name="towels &amp; &lt;tea&gt;" classname="tests/towels.yaml" time="4.250"/>
  <testcase name="towels &amp; &lt;tea&gt; (run 2)" classname="tests/towels.yaml" time="4.250">
    <failure message="replied &quot;no &quot;">replied &quot;no &quot;
called no tool</failure>
  </testcase>
</testsuite>
`);
});

test("the page opens failed calls and has their sound", () => {
  const page = reportPage(results, ({ failures }) => (failures.length > 0 ? "002.wav" : undefined));
  expect(page).toContain("<title>1 of 2 calls passed</title>");
  expect(page.match(/<details class="failed" open>/gu)).toHaveLength(1);
  expect(page.match(/<audio controls src="002.wav">/gu)).toHaveLength(1);
  expect(page).not.toContain("<tea>");
});
