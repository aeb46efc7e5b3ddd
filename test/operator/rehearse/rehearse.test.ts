import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { modelFor, loadModelCatalog } from "../../../src/config/model-catalog.ts";
import { loadServerConfig } from "../../../src/config/server-config.ts";
import { installState, verifyModel } from "../../../src/model-install/installed.ts";
import { startOwnServer } from "../../../src/operator/rehearse/own-server.ts";
import { RehearsalPlace } from "../../../src/operator/rehearse/place.ts";
import { rehearseCommand } from "../../../src/operator/rehearse/rehearse.ts";
import { requireDisk } from "../../../src/operator/rehearse/space.ts";
import { VoiceClient } from "../../../src/client/voice-client.ts";
import { onNode } from "../../../src/client/node.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const home = temporaryFolder();
const dataDir = join(home, "data", "oakvoice");
const { config } = loadServerConfig(undefined, { OAKVOICE_DATA_DIR: dataDir });
const { signal } = new AbortController();
const voice = modelFor(loadModelCatalog(), "tts", "cpu");
const file = { pieces: [Buffer.from("a model")], cacheBytesPerToken: 0 };

test("a model that does not fit gives one line with the numbers, and no file is written", async () => {
  const models = { ...config.models, llm: { ...config.models.llm, contextTokens: 131_072 } };
  const tooMany = rehearseCommand(["--profile", "cpu", "--callers", "1000"], { ...config, models });
  await expect(tooMany).rejects.toThrow(/^The rehearsal needs \d+\.\d GB of memory; \d+\.\d GB are free\. Use .*$/u);
  const machine = {
    cpu: "",
    cores: 1,
    hasAvx2: true,
    memoryMb: 1,
    memoryAvailableMb: 1,
    diskFreeMb: 900,
    gpu: undefined,
    node: "",
  };
  expect(() => requireDisk(5e9, machine, "/data")).toThrow(
    /^The rehearsal needs 5\.0 GB of disk; 0\.9 GB are free in \/data\. .* --keep DIR\.$/u,
  );
  expect(existsSync(dataDir)).toBe(false);
});

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

test("a workspace removes all its files and those of a killed rehearsal", async () => {
  mkdirSync(join(dataDir, "rehearsal-4194304", "models"), { recursive: true });
  writeFileSync(join(dataDir, "kept"), "");
  {
    using place = new RehearsalPlace(dataDir, undefined);
    await place.write(voice, file, signal, () => undefined);
    expect(readdirSync(dataDir).toSorted()).toEqual(["kept", `rehearsal-${String(process.pid)}`]);
  }
  expect(readdirSync(dataDir)).toEqual(["kept"]);
  rmSync(join(home, "data"), { recursive: true });
  {
    using _ = new RehearsalPlace(dataDir, undefined);
  }
  expect(readdirSync(home)).toEqual([]);
});

test("a kept model is not written again and does not count as installed", async () => {
  const keep = join(home, "kept");
  for (let run = 0; run < 2; run += 1) {
    using place = new RehearsalPlace(dataDir, keep);
    let written = 0;
    await place.write(voice, file, signal, (bytes) => (written = bytes));
    place.discard(voice);
    expect([run, written > 0, place.isWritten(voice, file)]).toEqual([run, run === 0, true]);
  }
  expect(installState(voice, keep)).toBe("installed"); // Otherwise no server would start with it.
  expect(await verifyModel(voice, keep)).toEqual([expect.stringMatching(/manifest\.json is not the one/u)]);
});

test("a folder with other files is refused and does not change", async () => {
  const installed = join(home, "installed");
  mkdirSync(join(installed, "models"), { recursive: true });
  await expect(rehearseCommand(["--profile", "cpu", "--keep", installed], config)).rejects.toThrow(
    /^--keep: .*installed holds other files; name a new folder/u,
  );
  expect(readdirSync(installed)).toEqual(["models"]);
});

test("an unused folder for kept models is removed", () => {
  const keep = join(home, "new", "folder");
  {
    using _ = new RehearsalPlace(dataDir, keep);
    expect(readdirSync(keep)).toEqual(["rehearsal.txt"]);
  }
  expect(existsSync(join(home, "new"))).toBe(false);
});

test("a folder that cannot be created is reported in one line", async () => {
  writeFileSync(join(home, "file"), "");
  const keep = join(home, "file", "folder");
  await expect(rehearseCommand(["--keep", keep], config)).rejects.toThrow(/^The rehearsal cannot write to .*folder: /u);
});

test("a server with rehearsal models reports them in its log and to each client", async () => {
  const keep = join(home, "marked");
  using _ = new RehearsalPlace(dataDir, keep);
  const server = await startOwnServer(keep, { port: 0, data_dir: keep }, signal);
  const client = new VoiceClient({ address: (id) => server.urlOf(id), settings: {}, ...onNode(), reconnect: false });
  const status = new Promise((resolve) => {
    client.on("message", (message) => message.type === "status" && resolve(message.data));
  });
  await client.connect();
  expect(await status).toMatchObject({ status: "ready", details: { rehearsal: true } });
  client.close();
  await server.stop();
  expect(readFileSync(join(keep, "server.log"), "utf8")).toMatch(/"rehearsal: .*always say one sentence/u);
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

test("a signal during the writing of a file leaves nothing behind", async () => {
  const said = await interrupted("cpu", /writing/u, "SIGTERM");
  expect(said).toMatch(/^rehearsal: writing .*\noakvoice: stopped; nothing is left behind\n$/su);
});

test("a signal during a call also ends the server", async () => {
  const said = await interrupted("starter", /1 caller/u, "SIGINT");
  expect(said).toMatch(/oakvoice: stopped; nothing is left behind\n$/u);
  expect(said).toMatch(/^rehearsal: \d+ cores?: recognition .*\nrehearsal: memory: .* for 1 call of 2048 tokens/mu);
  expect(commandLines().filter((line) => line.includes(dataDir))).toEqual([]);
});
