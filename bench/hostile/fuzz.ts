/** Sends a million hostile messages to the built server during an honest call, then floods of each kind. */
import { randomUUID } from "node:crypto";
import { useOf } from "../../src/simulated-callers/processes.ts";
import { attack } from "./attacker.ts";
import { Chance } from "./chance.ts";
import { measureFloods } from "./floods.ts";
import { HonestCaller, isAnswered, type Answer } from "./honest-caller.ts";
import { ServerProcess } from "./server-process.ts";
import { attackSecrets } from "./secrets.ts";
import { attackAnswers, attackSchemas } from "./tool-parts.ts";
import { readOptions } from "../options.ts";

const USAGE = "npm run fuzz -- [--messages 100000] [--seed 1] [--attackers 4] [--flood-turns 3] [--flood NAME]";
/** Most messages at once. It is below the server's limit, which would close the connection. */
const MOST_PER_CONNECTION = 250;

const values = readOptions(USAGE, {
  messages: { type: "number", default: 100_000 },
  seed: { type: "number", default: 1 },
  attackers: { type: "number", default: 4 },
  "flood-turns": { type: "number", default: 3 },
  flood: { type: "string", default: "" },
});
const { messages: wanted, seed: firstSeed, attackers } = values;

await using server = await ServerProcess.start({ yaml: "log_level: warn\n" });
const caller = await HonestCaller.connect(server.urlOf);
const before: Answer[] = [];
for (let turn = 0; turn < 4; turn += 1) before.push(await caller.ask());
// The memory is read after the first hostile callers, when code is compiled and buffers have their full size.
let seed = firstSeed * 1_000_003;
for (let warm = 0; warm < 100; warm += 1) await attack(new URL(server.urlOf(randomUUID())), new Chance(seed++), 50);
const start = { residentMb: server.residentMb, handles: server.handles };

const idle = useOf(server.pid);
const ends = new Map<string, number>();
const faults: string[] = [];
let sent = 0;
/** Requests for client secrets, schemas of tools, and answers of tools. */
let asked = 0;
const startedMs = performance.now();
let printedMs = startedMs;
const during: Answer[] = [];
const attacking = Array.from({ length: attackers }, async () => {
  while (sent < wanted) {
    const chance = new Chance(seed++);
    const url = new URL(server.urlOf(randomUUID()));
    url.pathname = chance.pick([url.pathname, url.pathname, "/ws/asterisk", "/ws/media-stream", "/v1/realtime"]);
    const result = await attack(url, chance, MOST_PER_CONNECTION);
    sent += result.sent;
    ends.set(result.end, (ends.get(result.end) ?? 0) + 1);
    faults.push(...result.faults);
    if (performance.now() - printedMs < 30_000) continue;
    printedMs = performance.now();
    const { residentMb, handles } = server;
    console.log(`${String(sent)} messages, ${residentMb.toFixed(0)} MB, ${String(handles)} handles`);
  }
});
const asking = (async () => {
  while (sent < wanted) {
    const chance = new Chance(seed++);
    faults.push(...(await attackSecrets(server.url, server.key, chance, 20)));
    faults.push(...attackSchemas(chance, 20), ...(await attackAnswers(chance, 20)));
    asked += 60;
  }
})();
let isOver = false;
const talking = (async () => {
  while (!isOver) during.push(await caller.ask());
})();
const lags: number[] = [];
const probing = (async () => {
  while (!isOver) {
    const askedMs = performance.now();
    await fetch(`${server.url.replace("ws", "http")}/healthz`);
    lags.push(performance.now() - askedMs);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
})();
await Promise.all([...attacking, asking]);
const seconds = (performance.now() - startedMs) / 1000;
const cpu = useOf(server.pid);
isOver = true;
await Promise.all([talking, probing]);
// Abandoned sessions have ended by then.
await new Promise((resolve) => setTimeout(resolve, 5_000));
const after = { residentMb: server.residentMb, handles: server.handles };
const restarts = await server.metric("oakvoice_engine_restarts_total");
const sessions = await server.metric("oakvoice_sessions");

const median = (answers: readonly Answer[]) =>
  answers.map(({ delayMs }) => delayMs).toSorted((a, b) => a - b)[Math.floor(answers.length / 2)] ?? NaN;
console.log(`${String(sent)} hostile messages in ${seconds.toFixed(0)} s, seed ${String(firstSeed)}`);
const cores = (now = 0, then = 0) => ((now - then) / seconds).toFixed(2);
console.log(
  `${String(asked / 3)} each of requests for client secrets, schemas of tools with arguments, and answers of tools`,
);
console.log(`processor: ${cores(cpu?.rootCpuSeconds, idle?.rootCpuSeconds)} cores the server, ${cores(cpu?.cpuSeconds, idle?.cpuSeconds)} with its engines, ${cores(process.cpuUsage().user / 1e6)} the attackers`); // prettier-ignore
console.log(`connections: ${[...ends].toSorted(([, a], [, b]) => b - a).map(([end, count]) => `${end} ${String(count)}`).join(", ")}`); // prettier-ignore
console.log(`memory: ${start.residentMb.toFixed(0)} MB before, ${after.residentMb.toFixed(0)} MB after`);
console.log(`handles: ${String(start.handles)} before, ${String(after.handles)} after; open calls after: ${String(sessions)}`); // prettier-ignore
const lag = (part: number) => lags.toSorted((a, b) => a - b)[Math.floor(part * (lags.length - 1))]?.toFixed(0) ?? "";
console.log(`health checks during the attack: ${lag(0.5)} ms at the median, ${lag(0.99)} at 99 %, ${lag(1)} at most`);
const same = during.filter(({ transcript }) => transcript === before[0]?.transcript).length;
console.log(`the honest caller: ${String(during.filter(isAnswered).length)} of ${String(during.length)} questions answered, ${String(same)} with the same transcript as before`); // prettier-ignore
console.log(
  `  reply after ${median(before).toFixed(0)} ms before, ${median(during).toFixed(0)} ms during the attack (medians)`,
);

caller.close();
const floodTurns = values["flood-turns"];
const felt = floodTurns > 0 ? await measureFloods(server, floodTurns, values.flood) : [];

const failures = [
  ...felt,
  ...faults.slice(0, 5).map((fault) => `an answer outside the interface: ${fault}`),
  ...(ends.has("hung") ? ["a connection hung"] : []),
  ...(ends.has("closed 1011") ? ["a session failed (1011)"] : []),
  ...during.filter((answer) => !isAnswered(answer)).map((answer) => `the honest caller: ${JSON.stringify(answer)}`),
  ...(restarts > 0 ? ["an engine restarted"] : []),
  ...(sessions > 1 ? ["calls were left open"] : []),
  ...(after.handles > start.handles + 8 ? ["handles were left open"] : []),
  ...(after.residentMb > start.residentMb * 1.25 + 50 ? ["memory grew"] : []),
];
for (const failure of failures) console.log(`FAILED: ${failure}`);
// The server's log of faults has codes and places, but no words of callers.
for (const line of new Set(server.log.map((entry) => entry.replace(/"(time|connection)":"[^"]*",/gu, ""))))
  console.log(`log: ${line}`);
console.log(failures.length === 0 ? "passed" : "failed");
process.exitCode = failures.length === 0 ? 0 : 1;
