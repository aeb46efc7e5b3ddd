import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { packageRoot } from "../../src/shared/package-root.ts";
import { firstThreadSeconds } from "../../src/simulated-callers/processes.ts";
import type { FromBareServer, ToBareServer } from "./bare-server.ts";
import type { FromInnerClock, ToInnerClock } from "./inner-clock.ts";
import type { RecordedCall } from "./recorded-call.ts";

const folder = join(packageRoot, "dist");

/** Processor time used by a server's JavaScript thread, and by the models that run on it. */
export interface Clocks {
  thread: number;
  models: number;
}

export interface Server {
  readonly urlOf: (id: string) => string;
  readonly port: undefined;
  readonly clocks: () => Promise<Clocks>;
  ask<Type extends FromInnerClock["type"]>(message: ToInnerClock, type: Type): Promise<FromInnerClock & { type: Type }>;
  stop(): Promise<unknown>;
}

/** The unchanged server, with a clock inside. */
export async function startServer(): Promise<Server> {
  const innerClock = pathToFileURL(join(folder, "bench", "profile", "inner-clock.js")).href;
  const server = spawn(process.execPath, ["--import", innerClock, join(folder, "src", "main.js"), "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    serialization: "advanced",
    env: { OAKVOICE_LOG_LEVEL: "warn", ...process.env },
  });
  process.once("exit", () => server.kill("SIGTERM"));
  const ended = once(server, "exit");
  const { value: address } = await createInterface({ input: server.stdout! })[Symbol.asyncIterator]().next();
  if (typeof address !== "string") throw new Error("the server did not start");
  const ask: Server["ask"] = async (message, type) => {
    const [answer] = (await asked(server, message)) as [FromInnerClock];
    if (answer.type !== type) throw new Error(`asked for ${type}, got ${answer.type}`);
    return answer as FromInnerClock & { type: typeof type };
  };
  return {
    urlOf: (id) => address.replace("<connection_id>", id),
    port: undefined,
    async clocks() {
      const { seconds: models } = await ask("models", "models");
      return { thread: threadSeconds(server), models };
    },
    ask,
    async stop() {
      server.kill("SIGTERM");
      return ended;
    },
  };
}

export interface BareServer {
  readonly url: string;
  readonly clocks: () => Promise<Clocks>;
  /** Replaces the answers for further calls. */
  learn(calls: readonly RecordedCall[]): Promise<unknown>;
  stop(): void;
}

export async function startBareServer(): Promise<BareServer> {
  const server = fork(join(folder, "bench", "profile", "bare-server.js"), { serialization: "advanced" });
  const [hello] = (await once(server, "message")) as [Exclude<FromBareServer, string>];
  return {
    url: `ws://127.0.0.1:${String(hello.port)}`,
    clocks: async () => Promise.resolve({ thread: threadSeconds(server), models: 0 }),
    learn: async (calls) => asked(server, calls.map(({ answered }) => answered) satisfies ToBareServer),
    stop: () => server.disconnect(),
  };
}

async function asked(server: ChildProcess, message: ToInnerClock | ToBareServer): Promise<unknown[]> {
  const answer = once(server, "message");
  server.send(message);
  return answer;
}

const threadSeconds = ({ pid }: ChildProcess): number => firstThreadSeconds(pid ?? 0);
