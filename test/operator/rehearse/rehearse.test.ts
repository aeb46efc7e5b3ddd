import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadServerConfig } from "../../../src/config/server-config.ts";
import { startOwnServer } from "../../../src/operator/rehearse/own-server.ts";
import { WorkFolder } from "../../../src/operator/rehearse/work-folder.ts";
import { rehearseCommand } from "../../../src/operator/rehearse/rehearse.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const home = temporaryFolder();
const dataDir = join(home, "data", "oakvoice");
const { config } = loadServerConfig(undefined, { OAKVOICE_DATA_DIR: dataDir });
const { signal } = new AbortController();

test.each([
  [["--profile", "huge"], /--profile huge: say starter, cpu, cpu-large, gpu, gpu-large;/u],
  [["--callers", "1,x"], /--callers 1,x: write numbers/u],
  [["--callers", "0"], /--callers 0: write numbers/u],
  [["--caller", "1"], /--caller/u],
  [["--json", "/nowhere/report.json"], /--json: \/nowhere cannot/u],
])("%j is a usage error", async (args, message) => {
  await expect(rehearseCommand(args, config)).rejects.toThrow(message);
  await expect(rehearseCommand(args, config)).rejects.toMatchObject({ code: "USAGE" });
});

test("a work folder removes all its files and those of a killed rehearsal, and no installed model", () => {
  const installed = join(dataDir, "models", "mine");
  mkdirSync(installed, { recursive: true });
  mkdirSync(join(dataDir, "rehearsal-4194304", "models"), { recursive: true });
  {
    using folder = new WorkFolder(dataDir);
    expect(readdirSync(join(folder.path, "models"))).toEqual(["mine"]);
    expect(readdirSync(dataDir).toSorted()).toEqual(["models", `rehearsal-${String(process.pid)}`]);
  }
  expect(readdirSync(dataDir)).toEqual(["models"]);
  expect(existsSync(installed)).toBe(true);
  rmSync(join(home, "data"), { recursive: true });
  {
    using _ = new WorkFolder(dataDir);
  }
  expect(readdirSync(home)).toEqual([]);
});

test("a folder that cannot be created is reported in one line", () => {
  const file = join(home, "file");
  writeFileSync(file, "");
  expect(() => new WorkFolder(join(file, "data"))).toThrow(/^The rehearsal cannot write to .*: /u);
  rmSync(file);
});

test("a server that does not start gives an error with its last lines", async () => {
  const starting = startOwnServer(home, { port: 0, data_dir: home, profile: "huge" }, signal);
  await expect(starting).rejects.toThrow(/^The server of the rehearsal did not start: .*profile/u);
});

/** Sends a signal to `oakvoice rehearse` when its output matches `when`, and returns the output. */
async function interrupted(profile: string, when: RegExp, name: NodeJS.Signals): Promise<string> {
  const main = fileURLToPath(new URL("../../../src/main.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", main, "rehearse", "--profile", profile, "--callers", "1"], {
    env: { ...process.env, OAKVOICE_DATA_DIR: dataDir },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  let said = "";
  child.stderr.on("data", (data: Buffer) => {
    const wasSaid = when.test(said);
    said += data.toString();
    if (!wasSaid && when.test(said)) child.kill(name);
  });
  expect(await exited).toEqual([1, null]);
  expect(existsSync(join(home, "data"))).toBe(false);
  return said;
}

const commandLines = (): string[] =>
  readdirSync("/proc")
    .filter((pid) => /^\d+$/u.test(pid))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        return ""; // ended meanwhile
      }
    });

test("a signal during a call also ends the server", async () => {
  const said = await interrupted("starter", /1 caller/u, "SIGINT");
  expect(said).toMatch(/oakvoice: stopped; nothing is left behind\n$/u);
  expect(said).toMatch(/^rehearsal: \d+ cores?: recognition .*\nrehearsal: memory: .* for 1 call of 2048 tokens/mu);
  expect(commandLines().filter((line) => line.includes(dataDir))).toEqual([]);
});
