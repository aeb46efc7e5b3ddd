import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { freePort } from "../../bench/hostile/server-process.ts";
import { createApiKey } from "../../src/auth/api-keys.ts";
import { readKeyFile } from "../../src/auth/key-file.ts";
import { voiceAddress } from "../../src/client/address.ts";
import { keyFilePath } from "../../src/config/data-folder.ts";
import { isAlive } from "../../src/shared/is-alive.ts";
import { MAIN } from "../support/built-program.ts";
import { makeCertificate } from "../support/certificate.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const SERVER = [process.execPath, MAIN, "serve"];
const hasScript = spawnSync("script", ["--version"]).status === 0;
let dataDir: string;
let env: NodeJS.ProcessEnv;
const started: ChildProcess[] = [];

beforeEach(() => {
  dataDir = temporaryFolder();
  env = { ...process.env, OAKVOICE_DATA_DIR: dataDir, OAKVOICE_PORT: "0" };
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

function start(words: readonly string[], stdout: "pipe" | number = "pipe") {
  const [command = "", ...args] = words;
  const child = spawn(command, args, { env, stdio: ["ignore", stdout, "pipe"] });
  started.push(child);
  const log: string[] = [];
  createInterface({ input: child.stderr! }).on("line", (line) => log.push(line));
  return { child, log, pid: child.pid ?? 0 };
}

function childrenOf(pid: number): number[] {
  const path = `/proc/${String(pid)}/task/${String(pid)}/children`;
  return readFileSync(path, "utf8").split(" ").filter(Boolean).map(Number);
}

const health = (port: number) => fetch(`http://127.0.0.1:${String(port)}/healthz`).then(({ status }) => status);
const untilReady = (port: number) =>
  vi.waitFor(async () => expect(await health(port)).toBe(200), { timeout: 50_000, interval: 100 });

function expectOneOutputWarning(log: readonly string[]): void {
  expect(log.filter((line) => line.includes("OUTPUT_FAILED"))).toHaveLength(1);
  expect(log.join("\n")).not.toMatch(/oak_|^ +at /mu);
}

const untilGone = (pids: readonly number[]) =>
  vi.waitFor(() => expect(pids.filter((pid) => isAlive(pid))).toEqual([]), { timeout: 50_000 });

it.skipIf(process.platform !== "linux" || !hasScript)(
  "a server whose terminal closes stops as after SIGTERM and leaves no process",
  async () => {
    // The shell leads the session: the kernel signals the whole group when it ends.
    const command = `${SERVER.map((word) => `'${word}'`).join(" ")}; true`;
    const { child: terminal, pid } = start(["script", "-qfec", command, "/dev/null"]);
    for await (const line of createInterface({ input: terminal.stdout! })) if (line.includes("api_key=")) break;
    const [shell = 0] = childrenOf(pid);
    const [server = 0] = childrenOf(shell);
    const engines = childrenOf(server);
    expect(engines.length).toBeGreaterThanOrEqual(3);
    const keys = () => readKeyFile(keyFilePath(dataDir)).length;
    expect(keys()).toBe(1);
    terminal.kill("SIGKILL");
    await untilGone([shell, server, ...engines]);
    expect(keys()).toBe(0);
  },
);

it("SIGHUP without a terminal reloads voices and certificate and logs the result", async () => {
  const certificate = makeCertificate();
  mkdirSync(join(dataDir, "voices"));
  Object.assign(env, { OAKVOICE_TLS_CERT_FILE: certificate.cert_file, OAKVOICE_TLS_KEY_FILE: certificate.key_file });
  createApiKey(keyFilePath(dataDir), "reception", undefined, Date.now());
  const { child, log } = start(SERVER);
  await once(child.stdout!, "data");
  writeFileSync(join(dataDir, "voices", "desk.yaml"), "config_id: desk\nsystem_prompt: Be brief.\n");
  child.kill("SIGHUP");
  const reloads = () => log.filter((line) => line.includes('"reloaded"')).map((line) => JSON.parse(line) as object);
  await vi.waitFor(() => expect(reloads()).toHaveLength(1), { timeout: 30_000 });
  expect(reloads()[0]).toMatchObject({ voices: 2, keys: 1, certificate: expect.stringMatching(/^until \d{4}-/u) });
  renameSync(certificate.key_file, `${certificate.key_file}.gone`);
  child.kill("SIGHUP");
  await vi.waitFor(() => expect(log.some((line) => line.includes("TLS_INVALID"))).toBe(true), { timeout: 30_000 });
  expect(reloads()).toHaveLength(1);
  // Node's inspector stays closed.
  child.kill("SIGUSR1");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(log.join("\n")).not.toContain("Debugger");
});

it("a standard output that is a closed pipe gives one warning", async () => {
  const port = await freePort();
  env["OAKVOICE_PORT"] = String(port);
  const { child, log } = start(["bash", "-c", 'exec "$0" "$@" > >(true)', ...SERVER]);
  const ended = once(child, "exit");
  await untilReady(port);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expectOneOutputWarning(log);
});

it("a second SIGTERM ends a long drain in order, also with a full standard output", async () => {
  const port = await freePort();
  Object.assign(env, {
    OAKVOICE_PORT: String(port),
    OAKVOICE_LIMITS_DRAIN: "calls",
    OAKVOICE_LIMITS_DRAIN_TIMEOUT_SECONDS: "7200",
  });
  const { key } = createApiKey(keyFilePath(dataDir), "caller", undefined, Date.now());
  const { child, log } = start(SERVER, openSync("/dev/full", "w"));
  await untilReady(port);
  const base = `ws://127.0.0.1:${String(port)}`;
  const call = new WebSocket(voiceAddress({ base, apiKey: key, configId: "default" })("c"));
  const heard: string[] = [];
  call.on("message", (data: Buffer) => heard.push(data.toString()));
  const closed = once(call, "close");
  await once(call, "open");
  await vi.waitFor(() => expect(heard).toHaveLength(1), 10_000);
  child.kill("SIGTERM");
  await vi.waitFor(() => expect(heard.join("\n")).toContain('"draining"'), { timeout: 20_000 });
  expect(await health(port)).toBe(200);
  expect(call.readyState).toBe(WebSocket.OPEN);
  child.kill("SIGTERM");
  expect((await closed)[0]).toBe(1001);
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(log.filter((line) => line.includes("not waiting"))).toHaveLength(1);
  expectOneOutputWarning(log);
});
