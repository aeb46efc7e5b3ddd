import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { hostname } from "node:os";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { createApiKey } from "../src/auth/api-keys.ts";
import { readKeyFile } from "../src/auth/key-file.ts";
import { keyFilePath } from "../src/config/data-folder.ts";
import { MAIN } from "./support/built-program.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const dataDir = temporaryFolder();
const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const undo of cleanUp.splice(0).toReversed()) undo();
});

async function serve(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, "--port", "0", ...args], {
    env: { ...process.env, OAKVOICE_DATA_DIR: dataDir, OAKVOICE_LOG_LEVEL: "silent" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanUp.push(() => child.kill("SIGKILL"));
  const exited = once(child, "exit") as Promise<[code: number | null, signal: string | null]>;
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const said = line.toString();
  const { hostname: host, port } = new URL(said.split("\n")[0] ?? "");
  return { child, exited, said, host, port: Number(port) };
}

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

test.skipIf(process.platform !== "linux")(
  "a second signal of another kind ends a hanging stop and leaves no child",
  async () => {
    const { child, exited, port } = await serve();
    const children = childrenOf(child.pid ?? 0);
    expect(children.length).toBeGreaterThanOrEqual(3);
    // Stopped children do not close by themselves.
    for (const pid of children) process.kill(pid, "SIGSTOP");
    child.kill("SIGTERM");
    while (await isListening(port));
    child.kill("SIGINT");
    expect(await exited).toEqual([1, null]);
    for (const pid of children) process.kill(pid, "SIGCONT");
    while (children.some((pid) => processInfo(pid) !== undefined));
  },
);

test("a server that listens on all addresses prints one that other machines can use", async () => {
  const { host } = await serve("--host", "0.0.0.0", "--allow-insecure");
  expect(host).toBe(hostname().toLowerCase());
});

test("the installer sees in the journal that a server listens, at any log level", async () => {
  const { said } = await serve();
  const script = fileURLToPath(new URL("../scripts/install/service.sh", import.meta.url));
  const listens = (journal: string) =>
    spawnSync("bash", ["-euc", `. ${script}; is_listening`], { input: journal }).status;
  expect(listens(`Started oakvoice.service\n${said}`)).toBe(0);
  expect(listens("Started oakvoice.service\noakvoice: no such address as ws://box\n")).toBe(1);
});

test("a key of a killed start is no longer accepted, even after other keys were made", async () => {
  const file = keyFilePath(dataDir);
  for (const name of [`start ${String(spawnSync("true").pid)}`, "reception"]) createApiKey(file, name, undefined, 0);
  await serve();
  expect(readKeyFile(file).map(({ name }) => name)).toEqual(["reception"]);
});

test("a reload signal during the loading of models does not end the server", async () => {
  const child = spawn(process.execPath, [MAIN, "--port", "0"], {
    env: { ...process.env, OAKVOICE_DATA_DIR: dataDir, OAKVOICE_MISSPELT: "said first", OAKVOICE_LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  cleanUp.push(() => child.kill("SIGKILL"));
  const ready = once(child.stdout, "data").then(() => "ready");
  await once(child.stderr, "data");
  child.kill("SIGHUP");
  expect(await Promise.race([ready, once(child, "exit")])).toBe("ready");
});

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
