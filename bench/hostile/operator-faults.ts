import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { keyFilePath } from "../../src/config/data-folder.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { setTimeout as sleep } from "node:timers/promises";
import { answered, isAlive, must, type Fault } from "./fault.ts";
import { HonestCaller } from "./honest-caller.ts";
import type { ServerProcess } from "./server-process.ts";

/** Time for a drain and a shutdown. Their default limits are 25 s together. */
const STOP_MS = 40_000;
/** Longest time for which parsing a file in the server's process may block the event loop. */
const MAX_LAG_MS = 1_000;

/** The shell leads the session like a login shell, so its end signals the whole group. */
const IN_A_TERMINAL = `exec script -qfec "$(printf "'%s' " "$@"); true" /dev/null`;

const terminalClosed: Fault = {
  name: "the terminal closes",
  server: { wrapper: ["sh", "-c", IN_A_TERMINAL, "sh"] },
  async run(server, caller) {
    const { family } = server;
    must(family.length >= 6, `only ${String(family.length)} processes run`);
    const ended = new Promise<string>((resolve) => {
      caller.client.on("closed", (error) => resolve(error?.code ?? "by itself"));
    });
    server.signal("SIGKILL");
    const startMs = performance.now();
    while (family.some(isAlive) && performance.now() - startMs < STOP_MS) await sleep(100);
    const orphans = family.filter(isAlive);
    for (const pid of orphans) process.kill(pid, "SIGKILL");
    must(orphans.length === 0, `${String(orphans.length)} processes stayed`);
    const code = await ended;
    must(code === "SERVER_SHUTDOWN", `the caller was closed with ${code}`);
    return "SERVER_SHUTDOWN for the caller; no process stays";
  },
};

/** Writes each kind of unusable entry, and returns their number. */
function spoil(folder: string): number {
  mkdirSync(join(folder, "dir.yaml"), { recursive: true });
  symlinkSync("loop.yaml", join(folder, "loop.yaml"));
  symlinkSync("none", join(folder, "dangling.yaml"));
  symlinkSync("/dev/zero", join(folder, "device.yaml"));
  spawnSync("mkfifo", [join(folder, "fifo.yaml")]);
  writeFileSync(join(folder, "large.yaml"), "- a: b\n".repeat(1_200_000));
  writeFileSync(join(folder, "tags.yaml"), "!!a ".repeat(65_000));
  writeFileSync(join(folder, "brackets.json"), "[".repeat(250_000));
  return 8;
}

const badVoiceFiles: Fault = {
  name: "files in voices/ that are huge, contrived, or not files",
  async run(server, caller) {
    const voices = join(server.folder, "voices");
    const bad = spoil(voices);
    let isOver = false;
    const probing = probe(server, () => isOver);
    // A new call reads the changed files.
    const other = await HonestCaller.connect(server.urlOf);
    await answered(caller);
    const lines = () => server.log.filter((line) => line.includes(voices)).length;
    must(lines() === bad, `${String(bad)} bad files, ${String(lines())} lines in the log`);
    writeFileSync(join(voices, "good.yaml"), "config_id: good\nsystem_prompt: Be brief.\n");
    const good = await HonestCaller.connect((id) => server.urlOf(id).replace("config_id=default", "config_id=good"));
    must(lines() === bad, "the log repeats the files");
    isOver = true;
    const lagMs = await probing;
    for (const { client } of [other, good]) client.close();
    must(lagMs < MAX_LAG_MS, `the event loop stood still for ${lagMs.toFixed(0)} ms`);
    return `one line for each; a health check took ${lagMs.toFixed(0)} ms at most`;
  },
};

/** Longest time of a health check, ms. */
async function probe(server: ServerProcess, isOver: () => boolean): Promise<number> {
  let mostMs = 0;
  while (!isOver()) {
    const startMs = performance.now();
    await fetch(`${server.url.replace("ws", "http")}/healthz`);
    mostMs = Math.max(mostMs, performance.now() - startMs);
    await sleep(20);
  }
  return mostMs;
}

const keysBecomePipe: Fault = {
  name: "the file of the keys becomes a pipe",
  async run(server, caller) {
    const file = keyFilePath(server.folder);
    renameSync(file, `${file}.kept`);
    spawnSync("mkfifo", [file]);
    let isOver = false;
    const probing = probe(server, () => isOver);
    const other = await HonestCaller.connect(server.urlOf);
    other.client.close();
    await answered(caller);
    isOver = true;
    const lagMs = await probing;
    must(lagMs < MAX_LAG_MS, `the event loop stood still for ${lagMs.toFixed(0)} ms`);
    const main = join(packageRoot, "dist", "src", "main.js");
    const args = [main, "keys", "list", "--config", join(server.folder, "oakvoice.yaml")];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: STOP_MS });
    must(status === 1 && stderr.includes("not a regular file"), `keys list: ${String(status)} ${stderr}`);
    renameSync(`${file}.kept`, file);
    const lines = server.log.filter((line) => line.includes(file)).length;
    must(lines === 1, `${String(lines)} lines in the log`);
    return "the keys of the last good read stay, one line in the log; keys list says why it cannot read them";
  },
};

const clockJumps: Fault = {
  name: "the wall clock jumps by a day, there and back",
  server: { flags: ["--import", fileURLToPath(new URL("./jump-clock.js", import.meta.url))] },
  async run(server, caller) {
    const restarts = await server.metric("oakvoice_engine_restarts_total");
    for (let turn = 0; turn < 4; turn += 1) await answered(caller);
    const other = await HonestCaller.connect(server.urlOf);
    await answered(other);
    other.client.close();
    must((await server.metric("oakvoice_engine_restarts_total")) === restarts, "an engine restarted");
    return "calls go on, and new ones are taken";
  },
};

const loopAtTheStart: Fault = {
  name: "a link loop in voices/ at the start",
  server: {
    wrapper: ["sh", "-c", 'mkdir "$0" && ln -s loop.yaml "$0/loop.yaml" && exec "$@"', "{folder}/voices"],
  },
  async run(server, caller) {
    const lines = server.log.filter((line) => line.includes("loop.yaml")).length;
    must(lines === 1, `${String(lines)} lines in the log`);
    await answered(caller);
    return "one line in the log, calls are taken";
  },
};

const noOutput = (what: string, redirection: string): Fault => ({
  name: `standard output is ${what} at the start`,
  server: { isMute: true, wrapper: ["bash", "-c", `exec "$0" "$@" ${redirection}`] },
  async run(_, caller) {
    await answered(caller);
    return "calls are taken";
  },
});

export const OPERATOR_FAULTS: readonly Fault[] = [
  terminalClosed,
  badVoiceFiles,
  keysBecomePipe,
  clockJumps,
  loopAtTheStart,
  noOutput("full", "> /dev/full"),
  noOutput("a closed pipe", "> >(true)"),
  noOutput("closed", ">&-"),
];
