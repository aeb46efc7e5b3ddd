import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/shared/package-root.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { writeOutput } from "../../src/shared/files/write-output.ts";
import { htmlPage, htmlTable } from "../html-page.ts";
import { describeMachine } from "../../src/simulated-callers/machine.ts";
import { readOptions } from "../options.ts";
import { escape } from "../plot.ts";
import { alignRows } from "../text-table.ts";
import { hasRedis, measureValkey } from "./measure-valkey.ts";
import type { Study } from "./study.ts";
import { costs, PROFILES, withFigures } from "./study-cost.ts";
import { days } from "./study-day.ts";
import { failures } from "./study-failure.ts";
import { fillByShape, fillBySize, fillByStaleness } from "./study-fill.ts";
import { SNAPSHOT_BYTES, valkeyLimits } from "./study-valkey.ts";
import { upgrades } from "./study-upgrade.ts";

const USAGE = `npm run simulate:fleet -- [--quick] [--calls-a-day N] [--price PROFILE=NUMBER]... [--calls-per-box PROFILE=NUMBER]... [--out FOLDER]
Simulates fleets of 3 to 1,000 boxes behind HAProxy in virtual time. Prints tables and writes fleet.json and fleet.html. The whole study takes a few
minutes on one core; --quick simulates a tenth of the calls, with rougher figures.`;

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    quick: { type: "boolean", default: false },
    "calls-a-day": { type: "number", default: 1_000_000 },
    price: { type: "string", multiple: true, default: [] },
    "calls-per-box": { type: "string", multiple: true, default: [] },
    out: { type: "string", default: join(packageRoot, "build", "fleet") },
  });
  const callsADay = values["calls-a-day"] / (values.quick ? 10 : 1);
  if (!(callsADay > 0)) throw new Error("--calls-a-day: give a number above 0.");
  const priced = withFigures(PROFILES, "pricePerHour", values.price);
  const profiles = withFigures(priced, "callsPerBox", values["calls-per-box"]);
  const calls = values.quick ? 8_000 : 40_000;
  const studies: Study[] = [];
  const add = (study: Study) => {
    studies.push(study);
    console.log(`\n${study.title}\n${study.text}\n${alignRows(study.table)}`);
  };
  add(fillBySize(calls));
  add(fillByStaleness(calls));
  add(fillByShape(calls));
  add(failures(values.quick ? 5 : 40));
  add(upgrades());
  const day = days(callsADay);
  add(day.study);
  add(costs(profiles, day.facts));
  if (hasRedis()) add(valkeyLimits(await measureValkey(SNAPSHOT_BYTES), describeMachine()));
  else
    console.log(
      "\nWhere Valkey ends was not measured: redis-server and redis-benchmark are missing (apt-get install redis).",
    );
  mkdirSync(values.out, { recursive: true });
  const data = Object.fromEntries(studies.map(({ name, data: numbers }) => [name, numbers]));
  writeOutput(join(values.out, "fleet.json"), `${JSON.stringify(data, undefined, 2)}\n`);
  writeOutput(
    join(values.out, "fleet.html"),
    htmlPage("Oakvoice fleet", `<h1>A fleet of Oakvoice boxes</h1>${studies.map(section).join("\n")}`),
  );
  console.log(`\n${values.out}/fleet.{json,html}`);
}

const section = ({ title, text, table, figure = "" }: Study): string =>
  `<h2>${escape(title)}</h2><p>${escape(text)}</p>${htmlTable(table)}${figure}`;

main().catch((error: unknown) => {
  console.error(`simulate:fleet: ${errorMessage(error)}`);
  process.exitCode = 1;
});
