import type { ServerConfig } from "../config/server-config.ts";
import { isLoopback } from "../config/loopback.ts";
import { OakError } from "../shared/errors.ts";
import { isAlive } from "../shared/is-alive.ts";
import { createApiKey } from "./api-keys.ts";
import { keyFilePath, readKeyFile, updateKeyFile, type KeyRecord } from "./key-file.ts";

/** Keys made by this program for its own machine: "start 4711", "talk 4712". They do not count as the operator's. */
const LOCAL_NAME = /^(?:start|talk) (\d+)$/;

/** Whether a key of this name would be taken for one of the program's own, and taken away. */
export const isLocalName = (name: string): boolean => LOCAL_NAME.test(name);

/**
 * Whether the server should make a key of its own: on this machine, while the operator has made none (nor set up tokens).
 * @throws OakError `NO_KEYS` when the server would be reachable from other machines and nobody could connect.
 */
export function needsLocalKey(config: ServerConfig): boolean {
  const keys = readKeyFile(keyFilePath(config.dataDir));
  const isOperators = keys.some((key) => key.revoked_at === null && !isLocalName(key.name));
  if (isOperators || config.auth.jwt !== undefined) return false;
  if (!isLoopback(config.host) && !config.allowInsecure) {
    throw new OakError(
      `${config.host} is reachable from other machines and there are no API keys: make one with "oakvoice keys create --name NAME", or pass --allow-insecure.`,
      { code: "NO_KEYS" },
    );
  }
  return true;
}

/** A key that lives as long as this process; only its hash is kept. Those of processes that are gone are taken away. */
export function createLocalKey(dataDir: string, use: "start" | "talk", nowMs: number): string {
  const file = keyFilePath(dataDir);
  updateKeyFile(file, (keys) => keys.filter(({ name }) => !isLeftOver(name)));
  return createApiKey(file, `${use} ${String(process.pid)}`, undefined, nowMs).key;
}

/** Takes this process's own key away again. */
export function removeLocalKey(dataDir: string, use: "start" | "talk"): void {
  updateKeyFile(keyFilePath(dataDir), (keys) => keys.filter(({ name }) => name !== `${use} ${String(process.pid)}`));
}

/** For a start that has made no key yet: one of its number is of an earlier process, as in a container, where they repeat. */
export function removeLeftOvers(dataDir: string): void {
  const file = keyFilePath(dataDir);
  const isStale = ({ name }: KeyRecord) => isLeftOver(name) || pidOf(name) === process.pid;
  if (readKeyFile(file).some(isStale)) updateKeyFile(file, (keys) => keys.filter((key) => !isStale(key)));
}

const pidOf = (name: string) => Number(LOCAL_NAME.exec(name)?.[1]);

function isLeftOver(name: string): boolean {
  const pid = pidOf(name);
  return Number.isInteger(pid) && !isAlive(pid);
}
