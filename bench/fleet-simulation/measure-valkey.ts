import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CLAIM, RELEASE, RENEW } from "../../src/cluster/place-scripts.ts";
import type { Script } from "../../src/cluster/cluster.ts";
import { SAVE } from "../../src/server/calls/snapshot-store.ts";
import { freePort } from "../hostile/server-process.ts";
import { Program } from "../fleet/program.ts";

const REQUESTS = 60_000;
/** Connections: boxes that send at the same time. */
const BOXES = 50;
const LEASE_MS = "15000";

/** Commands that one server process serves in a second of processor time. */
export interface ValkeyRates {
  readonly claim: number;
  readonly release: number;
  /** Renewals of eight leases. */
  readonly renew: number;
  readonly snapshot: number;
}

export const hasRedis = (): boolean =>
  ["redis-server", "redis-benchmark"].every((program) => spawnSync(program, ["--version"]).status === 0);

/** Commands for each second of processor time of a real redis-server on this machine, with the server's own scripts. `snapshotBytes`: of a call to resume. */
export async function measureValkey(snapshotBytes: number): Promise<ValkeyRates> {
  const folder = mkdtempSync(join(tmpdir(), "oakvoice-valkey-"));
  const port = String(await freePort());
  await using server = new Program([
    "redis-server",
    "--port",
    port,
    "--bind",
    "127.0.0.1",
    "--save",
    "",
    "--dir",
    folder,
  ]);
  try {
    await server.until(() => server.lines.some((line) => line.includes("Ready to accept connections")));
    const commands = new Commands(port);
    const id = "oakvoice:id:__rand_int__";
    const call = "oakvoice:resume:{__rand_int__}";
    return {
      claim: commands.script(
        CLAIM,
        [id, "oakvoice:key:k", "oakvoice:id:"],
        ["box", LEASE_MS, "__rand_int__", "1000000", ""],
      ),
      renew: commands.script(RENEW, Array.from({ length: 8 }, () => [id, id]).flat(), [
        "box",
        LEASE_MS,
        ...Array.from({ length: 8 }, () => ""),
      ]),
      release: commands.script(RELEASE, [id, id], ["box", ""]),
      snapshot: commands.script(SAVE, [call, `${call}:taken`], ["box", "x".repeat(snapshotBytes), "120000"]),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class Commands {
  readonly #port: string;

  constructor(port: string) {
    this.#port = port;
  }

  script({ text, sha1 }: Script, keys: readonly string[], args: readonly string[]): number {
    execFileSync("redis-cli", ["-p", this.#port, "script", "load", text]);
    return this.#rate(["EVALSHA", sha1, String(keys.length), ...keys, ...args]);
  }

  /** Sends the command with redis-benchmark. Processor time does not depend on other work on the machine, elapsed time does. */
  #rate(command: readonly string[]): number {
    const options = ["-p", this.#port, "-c", String(BOXES), "-n", String(REQUESTS), "-r", "100000", "--csv"];
    const before = this.#processorSeconds();
    execFileSync("redis-benchmark", [...options, ...command], { stdio: "ignore" });
    return REQUESTS / (this.#processorSeconds() - before);
  }

  #processorSeconds(): number {
    const info = execFileSync("redis-cli", ["-p", this.#port, "info", "cpu"], { encoding: "utf8" });
    const times = info.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gmu);
    return Array.from(times, ([, seconds]) => Number(seconds)).reduce((sum, seconds) => sum + seconds, 0);
  }
}
