import { spawn, spawnSync, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readKeyFile } from "../src/auth/key-file.ts";
import { keyFilePath } from "../src/config/data-folder.ts";
import { packageRoot } from "../src/shared/package-root.ts";
import { builtScript, MAIN } from "./support/built-program.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const TALK = builtScript("talk");
const COMMAND_LINE = join(dirname(MAIN), "command-line.js");
const RUNNER = fileURLToPath(new URL("./support/command-lines.mjs", import.meta.url));
const { version, engines } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as {
  version: string;
  engines: { node: string };
};
/** The environment without the test run's configuration. */
const plain = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("OAKVOICE_")));
const dataDir = temporaryFolder();

interface Run {
  readonly program?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly stdio?: StdioOptions;
  readonly flags?: readonly string[];
}

async function run(args: readonly string[], { program = MAIN, env = {}, stdio = "pipe", flags = [] }: Run = {}) {
  const child = spawn(process.execPath, [...flags, program, ...args], {
    env: { ...plain, OAKVOICE_DATA_DIR: dataDir, ...env },
    stdio,
  });
  child.stdin?.end();
  const read = async (stream: Readable | null) => (stream === null ? "" : await text(stream));
  const [stdout, stderr, [status]] = await Promise.all([
    read(child.stdout),
    read(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return { status, stdout, stderr };
}

const COMMANDS = ["serve", "keys", "token", "models", "doctor", "rehearse"];
const oneLine = (pattern: string) => expect.stringMatching(new RegExp(`^oakvoice: [^\\n]*${pattern}[^\\n]*\\n$`, "u"));

/** Runs the command lines one after the other in one process. Its start takes longer than most commands. */
async function runEach(lines: readonly (readonly string[])[]): Promise<unknown> {
  const { stdout, stderr } = await run([COMMAND_LINE, JSON.stringify(lines)], { program: RUNNER });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

describe.concurrent("every command", { timeout: 120_000 }, () => {
  it("prints help for --help and -h, and the version for --version", async () => {
    const names = [[], ...COMMANDS.map((name) => [name]), ["keys", "create"], ["models", "install"]];
    const help = { status: 0, stdout: expect.stringContaining("oakvoice"), stderr: "" };
    for (const option of ["--help", "-h"])
      expect(await runEach(names.map((words) => [...words, option]))).toEqual(names.map(() => help));
    const lines = names.map((words) => [...words, "--version"]);
    expect(await runEach(lines)).toEqual(names.map(() => ({ status: 0, stdout: `${version}\n`, stderr: "" })));
  });

  it("accepts --config=FILE and requires a file", async () => {
    const missing = join(dataDir, "none.yaml");
    const unreadable = oneLine(`none\\.yaml: cannot be read: it does not exist \\(ENOENT\\)`);
    for (const option of [["--config", missing], [`--config=${missing}`]])
      expect(await runEach(COMMANDS.map((name) => [name, ...option]))).toEqual(
        COMMANDS.map(() => ({ status: 1, stdout: "", stderr: unreadable })),
      );
    const options = [["--config"], ["--config="], ["--config", ""], ["--config", "--json"]];
    const lines = COMMANDS.flatMap((name) => options.map((option) => [name, ...option]));
    const refused = { status: 2, stdout: "", stderr: oneLine("--config names no file") };
    expect(await runEach(lines)).toEqual(lines.map(() => refused));
  });

  it("refuses an unknown option", async () => {
    const names = [...COMMANDS.map((name) => [name]), ["keys", "create"], ["models", "list"]];
    const stderr = oneLine(`Unknown option '--colour'; see "oakvoice .*--help"`);
    expect(await runEach(names.map((words) => [...words, "--colour"]))).toEqual(
      names.map(() => ({ status: 2, stdout: "", stderr })),
    );
  });

  it("is refused in one line when it does not exist", async () => {
    expect(await run(["kyes", "list"])).toEqual({
      status: 2,
      stdout: "",
      stderr: oneLine("Unknown command 'kyes', did you mean 'keys'"),
    });
    expect(await run(["constructor"])).toEqual({ status: 2, stdout: "", stderr: oneLine("Unknown command") });
    expect(await run(["serve", "now"])).toEqual({
      status: 2,
      stdout: "",
      stderr: oneLine("Unexpected argument 'now'"),
    });
    for (const name of ["keys", "models"])
      expect(await run([name])).toMatchObject({ status: 2, stderr: oneLine("Say ") });
  });

  it("treats an empty OAKVOICE_CONFIG as unset", async () => {
    expect(await run(["keys", "list"], { env: { OAKVOICE_CONFIG: "" } })).toMatchObject({ status: 0, stderr: "" });
  });
});

/** Node's options that make the program see another version of Node. */
function pretend(node: string): string[] {
  const script = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${node}" } });`;
  return ["--import", `data:text/javascript,${encodeURIComponent(script)}`];
}

describe.concurrent("an old Node", () => {
  const tooOld = (node: string) => `oakvoice: Node ${node} is too old: install Node 20.19 or newer.\n`;

  it.each([...COMMANDS, "--version"])("gets one line from %s", async (name) => {
    expect(await run([name], { flags: pretend("18.20.8") })).toEqual({
      status: 1,
      stdout: "",
      stderr: tooOld("18.20.8"),
    });
  });

  it("gets one line from talk", async () => {
    const old = { status: 1, stdout: "", stderr: tooOld("20.18.3") };
    expect(await run(["--help"], { program: TALK, flags: pretend("20.18.3") })).toEqual(old);
  });

  it("is older than package.json requires, and loads only the version check", async () => {
    expect(engines.node).toBe(">=20.19.0");
    expect((await run(["--version"], { flags: pretend("20.19.0") })).status).toBe(0);
    expect(readFileSync(MAIN, "utf8").match(/^import .*/gmu)).toEqual(['import "./node-version.js";']);
    expect(readFileSync(join(packageRoot, "src", "node-version.ts"), "utf8")).not.toMatch(/^(?:import|export)/mu);
  });
});

describe("a standard output that cannot be written", () => {
  const full = { stdio: ["ignore", openSync("/dev/full", "w"), "pipe"] as StdioOptions };

  it.each(["--help", "--version", "keys list", "models list"])("%s fails in one line", async (words) => {
    expect(await run(words.split(" "), full)).toMatchObject({
      status: 1,
      stderr: "oakvoice: Standard output cannot be written (ENOSPC).\n",
    });
  });

  it("creates no key when its output is lost", async () => {
    const args = ["keys", "create", "--name", "reception"];
    expect(await run(args, full)).toMatchObject({ status: 1, stderr: oneLine("ENOSPC.*was removed again") });
    expect(await run(args, { stdio: ["ignore", "ignore", "pipe"] })).toMatchObject({ status: 1, stderr: oneLine("no key was created") }); // prettier-ignore
    const closed = spawnSync("sh", ["-c", `exec "$0" "$@" >&-`, process.execPath, MAIN, ...args], {
      env: { ...plain, OAKVOICE_DATA_DIR: dataDir },
      encoding: "utf8",
    });
    expect(closed).toMatchObject({ status: 1, stderr: oneLine("no key was created") });
    expect(readKeyFile(keyFilePath(dataDir))).toEqual([]);
    expect((await run(args)).stdout).toMatch(/^oak_/u);
  });

  it("gets one line from talk", async () => {
    const { status, stderr } = await run(["--help"], { ...full, program: TALK });
    expect([status, stderr]).toEqual([1, "talk: Standard output cannot be written (ENOSPC).\n"]);
  });
});

it("a system error is one line, a bug is one line with its place, and the debug level prints the stack", async () => {
  const file = join(dataDir, "break.cjs");
  const broken = (code: string) => (writeFileSync(file, code), { flags: ["--require", file] });
  const sync = `require("node:module").syncBuiltinESMExports();`;
  const system = `require("node:crypto").randomBytes = () => require("node:fs").readdirSync("/none/x\\ny"); ${sync}`;
  const args = ["keys", "create", "--name", "x"];
  expect(await run(args, broken(system))).toMatchObject({ status: 1, stderr: oneLine("ENOENT") });
  const bug = `require("node:crypto").randomBytes = () => { throw new TypeError("broken\\nin two"); }; ${sync}`;
  const told = oneLine(String.raw`unexpected error, please report it: broken in two \(at .*break\.cjs`);
  expect(await run(args, broken(bug))).toMatchObject({ status: 1, stderr: told });
  const { stderr } = await run(args, { ...broken(bug), env: { OAKVOICE_LOG_LEVEL: "debug" } });
  expect(stderr.split("\n").length).toBeGreaterThan(3);
});
