import { execFileSync } from "node:child_process";

/** Work of Redis since its start. */
export interface StoreUse {
  /** Scripts that the boxes had it run: nearly all that they send. */
  readonly scripts: number;
  readonly kilobytesIn: number;
}

/** Undefined when Redis does not run, or `redis-cli` is missing. */
export function storeUse(address: string, port: number): StoreUse | undefined {
  try {
    const options = ["-h", address, "-p", String(port), "info", "all"];
    return parseInfo(execFileSync("redis-cli", options, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  } catch {
    return undefined;
  }
}

/** Reads the answer of `INFO all`. A script is one command. */
export function parseInfo(text: string): StoreUse | undefined {
  const bytes = /^total_net_input_bytes:(\d+)/mu.exec(text)?.[1];
  if (bytes === undefined) return undefined;
  const scripts = Array.from(text.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gmu), ([, calls]) => Number(calls));
  return { scripts: scripts.reduce((sum, calls) => sum + calls, 0), kilobytesIn: Number(bytes) / 1000 };
}
