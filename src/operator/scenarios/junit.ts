import { escapeMarkup } from "./escape-markup.ts";
import type { ScenarioResult } from "./run-scenarios.ts";

/** The results in the XML that CI servers read. */
export function jUnitOf(results: readonly ScenarioResult[]): string {
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const total = results.reduce((sum, { seconds }) => sum + seconds, 0);
  const cases = results.map(({ name, file, run, seconds, failures }) => {
    const title = run === 1 ? name : `${name} (run ${String(run)})`;
    const head = `  <testcase name="${escapeMarkup(title)}" classname="${escapeMarkup(file)}" time="${seconds.toFixed(3)}"`;
    const [first = ""] = failures;
    if (failures.length === 0) return `${head}/>`;
    return `${head}>\n    <failure message="${escapeMarkup(first)}">${escapeMarkup(failures.join("\n"))}</failure>\n  </testcase>`;
  });
  const counts = `tests="${String(results.length)}" failures="${String(failed)}" time="${total.toFixed(3)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="oakvoice" ${counts}>`,
    ...cases,
    "</testsuite>",
    "",
  ].join("\n");
}
