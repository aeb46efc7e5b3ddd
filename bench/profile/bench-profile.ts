import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { packageRoot } from "../../src/config/package-root.ts";
import { errorMessage } from "../../src/shared/errors.ts";
import { firstThreadSeconds } from "../conversation/processes.ts";
import { runStage } from "../conversation/run-stage.ts";
import { loadScenario } from "../conversation/scenario.ts";
import { readOptions } from "../options.ts";
import { costs } from "./costs.ts";
import type { FromInnerClock, ToInnerClock } from "./inner-clock.ts";

const USAGE = `npm run bench:profile -- [--callers N] [--seconds S] [--scenario FILE]
What the server's JavaScript thread costs, by caller, in processor time as the system counts it, and how much of that are the
models that run on it, by the processor's clock around each inference. Three parts of S seconds (20) with one server: eight
callers to warm it up; the callers that are measured; the same again, sampled, for what most of the rest is (a sample cannot
tell work from waiting for a core: it gives the order, not the size). Each part is printed when it is known; stopped in the
middle of the second one, what was measured until then.`;

/** New code runs slowly: until it is compiled, and its optimised form is there. */
const WARM_UP_CALLERS = 8;

interface Server {
  readonly urlOf: (id: string) => string;
  readonly port: undefined;
  threadSeconds(): number;
  ask<Type extends FromInnerClock["type"]>(message: ToInnerClock, type: Type): Promise<FromInnerClock & { type: Type }>;
  stop(): Promise<unknown>;
}

async function startServer(): Promise<Server> {
  const folder = join(packageRoot, "dist");
  const innerClock = pathToFileURL(join(folder, "bench", "profile", "inner-clock.js")).href;
  const server = spawn(process.execPath, ["--import", innerClock, join(folder, "src", "main.js"), "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    serialization: "advanced",
    env: { OAKVOICE_LOG_LEVEL: "warn", ...process.env },
  });
  process.once("exit", () => server.kill("SIGTERM"));
  const ended = once(server, "exit");
  const { value: address } = await createInterface({ input: server.stdout! })[Symbol.asyncIterator]().next();
  const { pid } = server;
  if (typeof address !== "string" || pid === undefined) throw new Error("the server did not start");
  return {
    urlOf: (id) => address.replace("<connection_id>", id),
    port: undefined,
    threadSeconds: () => firstThreadSeconds(pid),
    async ask(message, type) {
      server.send(message);
      const [answer] = (await once(server, "message")) as [FromInnerClock];
      if (answer.type !== type) throw new Error(`asked for ${type}, got ${answer.type}`);
      return answer as FromInnerClock & { type: typeof type };
    },
    async stop() {
      server.kill("SIGTERM");
      return ended;
    },
  };
}

/** Resolves when those who hung up have left their places; a call that has not after a minute never will. */
async function emptied(server: Server): Promise<void> {
  const { host } = new URL(server.urlOf("any"));
  for (let tries = 0; tries < 120; tries += 1) {
    const metrics = await (await fetch(`http://${host}/metrics`)).text();
    if (/^oakvoice_sessions 0$/m.test(metrics)) return;
    await sleep(500);
  }
  throw new Error("calls that have ended still hold their places");
}

interface Reading {
  readonly atMs: number;
  readonly thread: number;
  readonly models: number;
}

async function read(server: Server): Promise<Reading> {
  const { seconds: models } = await server.ask("models", "models");
  return { atMs: performance.now(), thread: server.threadSeconds(), models };
}

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    callers: { type: "string", default: "1" },
    seconds: { type: "string", default: "20" },
    scenario: { type: "string", default: join(packageRoot, "bench", "conversation", "scenarios", "crowd.yaml") },
  });
  const callers = Number(values.callers);
  const scenario = loadScenario(values.scenario);
  const server = await startServer();
  const call = async (count: number) => runStage(scenario, count, Number(values.seconds) * 1000, server);
  const percent = (share: number) => `${((100 * share) / callers).toFixed(2)} %`.padStart(8);
  /** Returns the server's own share. */
  const report = async (began: Reading): Promise<number> => {
    const now = await read(server);
    const seconds = (now.atMs - began.atMs) / 1000;
    const [thread, models] = [(now.thread - began.thread) / seconds, (now.models - began.models) / seconds];
    console.log(`${String(callers)} callers, ${seconds.toFixed(0)} s; of one core, by caller:`);
    console.log(`${percent(thread)}  JavaScript thread, processor time`);
    console.log(`${percent(models)}    models in it`);
    console.log(`${percent(thread - models)}    the server's own work`);
    return thread - models;
  };

  await call(WARM_UP_CALLERS);
  await emptied(server);
  const began = await read(server);
  const cutShort = () => void report(began).then(() => process.exit(1));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, cutShort);
  await call(callers);
  const own = await report(began);
  for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, cutShort);

  await emptied(server);
  await server.ask("start sampling", "sampling");
  await call(callers);
  const { profile } = await server.ask("stop sampling", "samples");
  await server.stop();
  console.log("              of which most is");
  for (const { name, share } of costs(profile).slice(0, 20)) console.log(`${percent(share * own)}      ${name}`);
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(`bench: ${errorMessage(error)}`);
    process.exit(1);
  },
);
