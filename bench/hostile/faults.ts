import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { createApiKey, revokeApiKey } from "../../src/auth/api-keys.ts";
import { keyFilePath } from "../../src/config/data-folder.ts";
import { voiceAddress } from "../../src/client/address.ts";
import { frame, goodHandshake, OPCODE } from "./frames.ts";
import { CLIENT_FAULTS } from "./client-faults.ts";
import { answered, isAlive, must, type Fault } from "./fault.ts";
import { HonestCaller, isAnswered } from "./honest-caller.ts";
import { OPERATOR_FAULTS } from "./operator-faults.ts";
import { ServerProcess, type EngineName } from "./server-process.ts";
import { SESSION_FAULTS } from "./session-faults.ts";

const ENGINES: readonly EngineName[] = ["whisper-cpp", "llama", "sherpa", "emotion"];
/** Time for pings every 2 s, 8 s to answer, 0.2 s of back-off, and the start of the model. */
const HANG_FOUND_MS = 30_000;

/** Asks until an answer comes. A turn during the fault may fail. Turns after the recovery must not. */
async function recovers(caller: HonestCaller, withinMs: number): Promise<string> {
  const startMs = performance.now();
  const errors = new Set<string>();
  for (let tries = 1; ; tries += 1) {
    const answer = await caller.ask();
    for (const error of answer.errors) errors.add(error);
    must(caller.client.state === "ready", `the call was lost: ${[...errors].join(", ")}`);
    if (isAnswered(answer)) {
      const how = errors.size === 0 ? "no error" : `reported ${[...errors].join(", ")}`;
      return `${how}; answered at question ${String(tries)}`;
    }
    must(
      performance.now() - startMs < withinMs,
      `no answer after ${String(tries)} questions: ${JSON.stringify(answer)}`,
    );
  }
}

/** A fault of an engine's process. The emotion model runs in a process only on slow machines. */
const inEngine = (
  engine: EngineName,
  what: string,
  run: (pid: number, server: ServerProcess, caller: HonestCaller) => Promise<string>,
): Fault => ({
  name: `${engine} ${what}`,
  run: async (server, caller) => {
    const pid = server.engine(engine);
    if (pid !== undefined) return run(pid, server, caller);
    must(engine === "emotion", "the engine does not run");
    return "skipped: the engine runs in the server's process on this machine";
  },
});

const killed = (engine: EngineName) =>
  inEngine(engine, "killed during a turn", async (pid, _, caller) => {
    await caller.say();
    process.kill(pid, "SIGKILL");
    return recovers(caller, 20_000);
  });

const hung = (engine: EngineName) =>
  inEngine(engine, "hangs", async (pid, _, caller) => {
    process.kill(pid, "SIGSTOP");
    const seen = await recovers(caller, HANG_FOUND_MS);
    // A reply does not need the emotion, so the hang is detected after the answer.
    const startMs = performance.now();
    while (isAlive(pid) && performance.now() - startMs < HANG_FOUND_MS) await sleep(200);
    must(!isAlive(pid), "the process that hangs was not killed");
    return seen;
  });

const slowed = (engine: EngineName) =>
  inEngine(engine, "slowed to a fifth", async (pid, _, caller) => {
    let isOver = false;
    const slowing = (async () => {
      while (!isOver && isAlive(pid)) {
        process.kill(pid, "SIGSTOP");
        await sleep(80);
        process.kill(pid, "SIGCONT");
        await sleep(20);
      }
    })();
    try {
      const { delayMs } = await answered(caller);
      must(isAlive(pid), "it was killed for being slow");
      return `answered after ${delayMs.toFixed(0)} ms`;
    } finally {
      isOver = true;
      await slowing;
    }
  });

const outOfMemory = (engine: EngineName) =>
  inEngine(engine, "out of memory", async (pid, _, caller) => {
    const bytes = Number(/^VmSize:\s+(\d+)/mu.exec(readFileSync(`/proc/${String(pid)}/status`, "utf8"))?.[1]) * 1024;
    const { status } = spawnSync("prlimit", ["--pid", String(pid), `--as=${String(bytes)}`]);
    must(status === 0, "prlimit could not set the limit");
    const seen = await recovers(caller, 60_000);
    return `${seen}; ${isAlive(pid) ? "the process lived" : "the process died and was replaced"}`;
  });

const diskFull: Fault = {
  name: "the disk of the traces is full",
  quick: true,
  server: {
    yaml: "trace_dir: {folder}/traces\n",
    wrapper: ["unshare", "--map-root-user", "--mount", "sh", "-c",
      'mkdir "$0" && mount -t tmpfs -o size=8k none "$0" && exec "$@"', "{folder}/traces"],
  },
  async run(server, caller) {
    const { delayMs } = await answered(caller);
    must(server.log.some((line) => line.includes("a replay log could not be written")), "the log does not report it");
    return `answered after ${delayMs.toFixed(0)} ms, one line in the log`;
  },
}; // prettier-ignore

const LOG_ON_ITS_OWN_DISK = 'mkdir "$0" && mount -t tmpfs -o size=64k none "$0" && exec "$@" 2>> "$0/log"';

const logDiskFull: Fault = {
  name: "the disk of the log is full",
  quick: true,
  server: { wrapper: ["unshare", "--map-root-user", "--mount", "sh", "-c", LOG_ON_ITS_OWN_DISK, "{folder}/log"] },
  async run(server, caller) {
    const disk = join("/proc", String(server.pid), "root", server.folder, "log");
    const log = join(disk, "log");
    fillDisk(log);
    const filled = statSync(log).size;
    await answered(caller);
    await answered(caller);
    must(statSync(log).size === filled, "the disk was not full");
    truncateSync(log);
    await answered(caller);
    const lines = readFileSync(log, "utf8").trim().split("\n").map((line) => JSON.parse(line) as { msg: string });
    const logged = lines.filter(({ msg }) => msg === "turn answered").length;
    must(logged === 3, `three turns were answered, the log has ${String(logged)}`);
    return "no call was affected, and the log continued without a loss when the disk had room again";
  },
}; // prettier-ignore

const DATA_ON_ITS_OWN_DISK =
  'mkdir "$0" && mount -t tmpfs -o size=64k none "$0" && cp "$0/../api-keys.json" "$0" && OAKVOICE_DATA_DIR="$0" exec "$@"';

const dataDiskFull: Fault = {
  name: "the disk of the data is full",
  server: { wrapper: ["unshare", "--map-root-user", "--mount", "sh", "-c", DATA_ON_ITS_OWN_DISK, "{folder}/data"] },
  async run(server, caller) {
    const disk = join("/proc", String(server.pid), "root", server.folder, "data");
    const file = keyFilePath(disk);
    const { id, key } = createApiKey(file, "other", undefined, Date.now());
    const urlOf = voiceAddress({ base: server.url, apiKey: key, configId: "default" });
    must((await tryToCall(urlOf(randomUUID()))) === "a call", "the new key is refused");
    fillDisk(join(disk, "filler"));
    revokeApiKey(file, id, Date.now());
    const end = await tryToCall(urlOf(randomUUID()));
    must(end !== "a call", "the revoked key still opens calls");
    await answered(caller);
    rmSync(join(disk, "filler"));
    createApiKey(file, "third", undefined, Date.now());
    return `the key was revoked on the full disk (${end}), and a new one was made when the disk had room again`;
  },
};

/** Makes a file as large as its disk allows. */
function fillDisk(file: string): void {
  try {
    for (;;) appendFileSync(file, "\n".repeat(1_000));
  } catch (error) {
    must((error as NodeJS.ErrnoException).code === "ENOSPC", String(error));
  }
}

const halfOpen: Fault = {
  name: "twenty clients that neither read nor answer pings",
  quick: true,
  server: { yaml: "limits: { ping_interval_seconds: 3, max_connections: 24 }\n" },
  async run(server, caller) {
    const sockets = Array.from({ length: 20 }, () => {
      const url = new URL(server.urlOf(randomUUID()));
      const socket = connect({ host: url.hostname, port: Number(url.port) });
      socket.on("error", () => undefined);
      socket.pause();
      socket.write(Buffer.concat([goodHandshake(url), settings]));
      return socket;
    });
    while ((await server.metric("oakvoice_connections_accepted_total")) < 21) await sleep(50);
    const startMs = performance.now();
    while ((await server.metric("oakvoice_sessions")) > 1) {
      must(performance.now() - startMs < 20_000, "they are still connected after 20 s");
      await sleep(100);
    }
    const seconds = (performance.now() - startMs) / 1000;
    for (const socket of sockets) socket.destroy();
    await answered(caller);
    return `dropped within ${seconds.toFixed(1)} s`;
  },
};

const settings = frame(
  OPCODE.text,
  Buffer.from('{"type":"session_settings","timestamp":1,"message_id":"s","data":{}}'),
);

/** Connects, in 1,000, that the server may close before an answer. */
const MOST_EVICTED = 50;

const connectStorm: Fault = {
  name: "200 connects a second for 5 seconds",
  quick: true,
  async run(server, caller) {
    const ends = new Map<string, number>();
    const handlesBefore = server.handles;
    const storm = (async () => {
      const startMs = performance.now();
      const attempts: Promise<void>[] = [];
      for (let number = 0; number < 1_000; number += 1) {
        attempts.push(
          tryToCall(server.urlOf(randomUUID())).then((end) => void ends.set(end, (ends.get(end) ?? 0) + 1)),
        );
        await sleep(Math.max(0, startMs + number * 5 - performance.now()));
      }
      await Promise.all(attempts);
    })();
    const answer = await caller.ask();
    await storm;
    must(isAnswered(answer), `the caller was not answered: ${JSON.stringify(answer)}`);
    const known = ["a call", "SERVER_BUSY", "503"];
    const others = [...ends].filter(([end]) => !known.includes(end));
    // A server without time for the storm closes the oldest sockets that wait (`server/http/lobby.ts`).
    must(
      others.every(([end]) => /ECONNRESET|socket hang up/u.test(end)) &&
        others.reduce((sum, [, count]) => sum + count, 0) <= MOST_EVICTED,
      `ends: ${JSON.stringify([...ends])}`,
    );
    while (server.handles > handlesBefore + 2) await sleep(100);
    return [...ends].map(([end, count]) => `${end} ${String(count)}`).join(", ");
  },
};

/** The outcome of a connection attempt. An accepted call is closed at once. */
function tryToCall(url: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    socket.once("message", (data: Buffer) => {
      if (data.includes('"connection_metadata"')) resolve("a call");
      socket.close();
    });
    socket.once("unexpected-response", (_request, response) => resolve(String(response.statusCode)));
    socket.once("close", (_code, reason) => resolve(reason.toString()));
    socket.once("error", (error) => resolve(error.message));
  });
}

const stopped: Fault = {
  name: "SIGTERM during a reply",
  quick: true,
  async run(server, caller) {
    const types: string[] = [];
    caller.client.on("message", ({ type }) => types.push(type));
    const ended = new Promise<string>((resolve) => {
      caller.client.on("closed", (error) => resolve(error?.code ?? "by itself"));
    });
    const finalText = new Promise<void>((resolve) => {
      caller.client.on("llm_response_chunk", ({ is_final }) => is_final && resolve());
    });
    const begun = new Promise<void>((resolve) => {
      caller.client.on("speech", () => resolve());
    });
    const asking = caller.ask();
    await begun;
    server.signal("SIGTERM");
    const late = await until(() => tryToCall(server.urlOf(randomUUID())), (end) => end.includes("503"));
    const before = types.length;
    await finalText;
    const { delayMs, transcript } = await asking;
    must(transcript !== "" && delayMs < Infinity, "the reply was cut off");
    must((await ended) === "SERVER_SHUTDOWN", `closed with ${await ended}`);
    must(types.slice(before).includes("tts_chunk"), "no speech came after the signal");
    const { code } = await server.exited;
    must(code === 0, `exit code ${String(code)}`);
    return `${late}; the reply went on, then SERVER_SHUTDOWN, exit code 0`;
  },
}; // prettier-ignore

async function until<Value>(look: () => Promise<Value>, isRight: (value: Value) => boolean): Promise<Value> {
  for (;;) {
    const value = await look();
    if (isRight(value)) return value;
    await sleep(50);
  }
}

export const FAULTS: readonly Fault[] = [
  ...ENGINES.map(killed),
  ...ENGINES.map(hung),
  ...ENGINES.filter((engine) => engine !== "emotion").map(slowed),
  ...ENGINES.map(outOfMemory),
  diskFull,
  logDiskFull,
  dataDiskFull,
  halfOpen,
  connectStorm,
  stopped,
  ...OPERATOR_FAULTS,
  ...SESSION_FAULTS,
  ...CLIENT_FAULTS,
];

/** Runs one fault on a new server. @throws Error when a condition of the fault fails. */
export async function runFault(fault: Fault): Promise<string> {
  await using server = await ServerProcess.start(fault.server);
  const caller = await HonestCaller.connect(server.urlOf);
  try {
    await answered(caller);
    return await fault.run(server, caller);
  } finally {
    caller.close();
  }
}
