import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import type { ServerConfig } from "../../config/server-config.ts";
import { OakError } from "../../shared/errors.ts";
import { parseOptions, usageError } from "../../shared/options.ts";
import type { Log } from "../../shared/log.ts";
import { scenariosIn } from "./find-scenarios.ts";
import { jUnitOf } from "./junit.ts";
import { reportPage } from "./report-page.ts";
import { runScenarios, type ScenarioResult } from "./run-scenarios.ts";

/**
 * `oakvoice test FOLDER`: makes the calls of all scenarios and prints one line for each.
 * @throws OakError `USAGE`, `SCENARIO_INVALID`, `SCENARIOS_FAILED`, and those of the server.
 */
export async function testCommand(
  args: readonly string[],
  config: ServerConfig,
  print: (line: string) => Promise<void>,
  log: Log,
): Promise<void> {
  const { folder, atOnce, url, key, junit, report, only } = readArguments(args);
  const scenarios = scenariosIn(folder).filter(({ name }) => only === undefined || name.includes(only));
  if (scenarios.length === 0)
    throw usageError("test", `No scenario${only === undefined ? "" : ` "${only}"`} in ${folder}`);
  const results = await runScenarios(scenarios, {
    config,
    box: url === undefined ? undefined : boxAt(url, key),
    atOnce: atOnce ?? Math.min(config.limits.max_connections, Math.max(1, Math.floor(availableParallelism() / 2))),
    log,
    onResult: (result) => void print(describe(result)),
    onNote: (note) => void print(note),
  });
  if (junit !== undefined) writeFileSync(junit, jUnitOf(results));
  if (report !== undefined) writeReport(report, results);
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const summary = `${String(results.length - failed)} of ${String(results.length)} calls passed.`;
  if (failed > 0) {
    const hint = results.some(({ wav }) => wav !== undefined) ? " With --report FOLDER they can be heard." : "";
    const where = report === undefined ? hint : ` See ${join(report, "index.html")}.`;
    throw new OakError(`${summary}${where}`, { code: "SCENARIOS_FAILED" });
  }
  await print(summary);
}

function readArguments(args: readonly string[]) {
  const text = { type: "string" } as const;
  const options = { url: text, key: text, junit: text, report: text, only: text, "at-once": text } as const;
  const { values, positionals } = parseOptions("test", args, options);
  const [folder, ...rest] = positionals;
  if (folder === undefined || rest.length > 0) throw usageError("test", "Name one folder with scenarios");
  const { "at-once": calls, url, key, junit, report, only } = values;
  if (calls !== undefined && !/^[1-9]\d?$/u.test(calls)) throw usageError("test", `--at-once ${calls}: write 1 to 99`);
  return { folder, atOnce: calls === undefined ? undefined : Number(calls), url, key, junit, report, only };
}

/** The base address, or all that the server printed. */
function boxAt(text: string, given: string | undefined): { readonly base: string; readonly key: string } {
  if (!URL.canParse(text) || !/^(?:wss?|https?):/u.test(text))
    throw usageError("test", `--url ${text}: write an address such as wss://oak.example:8787`);
  const url = new URL(text);
  const inPage = new URLSearchParams(url.hash.slice(1)).get("api_key");
  const key = given ?? url.searchParams.get("api_key") ?? inPage ?? process.env["OAKVOICE_API_KEY"];
  if (key === undefined || key === "") throw usageError("test", "--url needs --key, or the key in OAKVOICE_API_KEY");
  const [path = ""] = url.pathname.split("/ws/voice");
  return { base: `${url.protocol}//${url.host}${path}`, key };
}

function describe({ name, run, failures, seconds }: ScenarioResult): string {
  const title = run === 1 ? name : `${name} (run ${String(run)})`;
  const head = `${failures.length === 0 ? "passed" : "FAILED"}  ${title} (${seconds.toFixed(0)} s)`;
  return [head, ...failures.map((failure) => `        ${failure}`)].join("\n");
}

function writeReport(folder: string, results: readonly ScenarioResult[]): void {
  mkdirSync(folder, { recursive: true });
  const names = new Map<ScenarioResult, string>();
  for (const [index, result] of results.entries()) {
    if (result.failures.length === 0 || result.wav === undefined) continue;
    const name = `${String(index + 1).padStart(3, "0")}.wav`;
    writeFileSync(join(folder, name), result.wav());
    names.set(result, name);
  }
  writeFileSync(
    join(resolve(folder), "index.html"),
    reportPage(results, (result) => names.get(result)),
  );
}
