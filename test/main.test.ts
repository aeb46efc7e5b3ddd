import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiKey } from "../src/auth/api-keys.ts";
import { readKeyFile } from "../src/auth/key-file.ts";
import { keyFilePath } from "../src/config/data-folder.ts";
import { MAIN } from "./support/built-program.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const dataDir = temporaryFolder();
const cleanUp: (() => void)[] = [];
afterAll(() => {
  for (const undo of cleanUp.splice(0).toReversed()) undo();
});

/** A server after another one that was killed. It gets a reload signal while it loads its models. */
let server: { readonly child: ChildProcess; readonly said: string; readonly url: URL };
beforeAll(async () => {
  const file = keyFilePath(dataDir);
  for (const name of [`start ${String(spawnSync("true").pid)}`, "reception"]) createApiKey(file, name, undefined, 0);
  const args = ["--port", "0", "--host", "0.0.0.0", "--allow-insecure"];
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, OAKVOICE_DATA_DIR: dataDir, OAKVOICE_MISSPELT: "said first", OAKVOICE_LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  cleanUp.push(() => child.kill("SIGKILL"));
  const ready = once(child.stdout, "data") as Promise<[Buffer]>;
  await once(child.stderr, "data");
  child.stderr.resume();
  child.kill("SIGHUP");
  const [lines] = await Promise.race([ready, once(child, "exit")]);
  const said = String(lines);
  server = { child, said, url: new URL(said.split("\n")[0] ?? "") };
});

/** State and parent of a process; undefined when it has ended. */
function processInfo(pid: number) {
  try {
    const [state, parent] =
      readFileSync(`/proc/${String(pid)}/stat`, "utf8")
        .split(") ")
        .at(-1)
        ?.split(" ") ?? [];
    return state === "Z" ? undefined : { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

const childrenOf = (parent: number): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && processInfo(pid)?.parent === parent);

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

test("a reload signal during the loading of models does not end the server", () => {
  expect(server.child.exitCode).toBeNull();
  expect(server.said).toMatch(/^ws:/u);
});

test("a key of a killed start is no longer accepted, even after other keys were made", () => {
  expect(readKeyFile(keyFilePath(dataDir)).map(({ name }) => name)).toEqual(["reception"]);
});

test("a server that listens on all addresses prints one that other machines can use", () => {
  expect(server.url.hostname).toBe(hostname().toLowerCase());
});

test("the installer sees in the journal that a server listens, at any log level", () => {
  const script = fileURLToPath(new URL("../scripts/install/service.sh", import.meta.url));
  const listens = (journal: string) =>
    spawnSync("bash", ["-euc", `. ${script}; is_listening`], { input: journal }).status;
  expect(listens(`Started oakvoice.service\n${server.said}`)).toBe(0);
  expect(listens("Started oakvoice.service\noakvoice: no such address as ws://box\n")).toBe(1);
});

test.skipIf(process.platform !== "linux")(
  "a second signal of another kind ends a hanging stop and leaves no child",
  async () => {
    const { child, url } = server;
    const exited = once(child, "exit");
    const children = childrenOf(child.pid ?? 0);
    expect(children.length).toBeGreaterThanOrEqual(3);
    // Stopped children do not close by themselves.
    for (const pid of children) process.kill(pid, "SIGSTOP");
    child.kill("SIGTERM");
    while (await isListening(Number(url.port)));
    child.kill("SIGINT");
    expect(await exited).toEqual([1, null]);
    for (const pid of children) process.kill(pid, "SIGCONT");
    while (children.some((pid) => processInfo(pid) !== undefined));
  },
);

/** The environment without the variables of tests, because the server would warn of them first. */
const others = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("OAKVOICE_")));
const start = (args: readonly string[]) =>
  spawnSync(process.execPath, [MAIN, ...args], {
    env: { ...others, OAKVOICE_DATA_DIR: dataDir },
    encoding: "utf8",
  });

test("the error names a wrong flag", () => {
  const { status, stderr } = start(["--port", "99999"]);
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^oakvoice: --port: port: .*\n$/u)]);
});

test("a port in use is reported in one line before a model is loaded", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  cleanUp.push(() => other.close());
  const { port } = other.address() as AddressInfo;
  const { status, stderr } = start(["--port", String(port)]);
  expect(stderr).toMatch(/^oakvoice: Cannot listen on 127\.0\.0\.1 port \d+: .*\n$/u);
  expect(status).toBe(1);
});
