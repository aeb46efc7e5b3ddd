import type { ServerConfig } from "../config/server-config.ts";
import { isLoopback } from "../config/loopback.ts";
import { OakError } from "../shared/errors.ts";
import { isAlive } from "../shared/is-alive.ts";
import { createApiKey } from "./api-keys.ts";
import { keyFilePath, readKeyFile, updateKeyFile } from "./key-file.ts";

/** Keys made by this program for its own machine: "start 4711", "talk 4712". They do not count as the operator's. */
const LOCAL_NAME = /^(?:start|talk) (\d+)$/;

/**
 * Whether the server should make a key of its own: on this machine, while the operator has made none (nor set up tokens).
 * @throws OakError `NO_KEYS` when the server would be reachable from other machines and nobody could connect.
 */
export function needsLocalKey(config: ServerConfig): boolean {
  const keys = readKeyFile(keyFilePath(config.dataDir));
  const isOperators = keys.some((key) => key.revoked_at === null && !LOCAL_NAME.test(key.name));
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

function isLeftOver(name: string): boolean {
  const pid = Number(LOCAL_NAME.exec(name)?.[1]);
  return Number.isInteger(pid) && !isAlive(pid);
}
