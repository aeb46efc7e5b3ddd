import type { ServerConfig } from "../config/server-config.ts";
import { isLoopback } from "../shared/loopback.ts";
import { errorCode, OakError } from "../shared/errors.ts";
import { isAlive, startTicks } from "../shared/is-alive.ts";
import { newApiKey, revoked } from "./api-keys.ts";
import { readKeyFile, updateKeyFile, type KeyRecord } from "./key-file.ts";
import { keyFilePath } from "../config/data-folder.ts";

/** Names of temporary keys, such as "start 4711 90210": use, process id, start time of the process. */
const LOCAL_NAME = /^(?:start|talk) (?<pid>\d+)(?: (?<ticks>\d+))?$/;

/** Whether a key of this name counts as temporary, so that the program removes it. */
export const isLocalName = (name: string): boolean => LOCAL_NAME.test(name);

/**
 * Whether the server needs a temporary key: it listens on this machine only, and the operator has set up no keys and no tokens.
 * @throws OakError `NO_KEYS` when other machines can reach the server and it has no keys.
 */
export function needsLocalKey(config: ServerConfig): boolean {
  const keys = readKeyFile(keyFilePath(config.dataDir));
  const isOperators = keys.some((key) => key.revoked_at === null && key.role === undefined && !isLocalName(key.name));
  if (isOperators || config.auth.jwt !== undefined) return false;
  if (!isLoopback(config.host) && !config.allowInsecure) {
    throw new OakError(
      `${config.host} is reachable from other machines and there are no API keys: make one with "oakvoice keys create --name NAME", or pass --allow-insecure.`,
      { code: "NO_KEYS" },
    );
  }
  return true;
}

type Use = "start" | "talk";

/** Makes a key for the lifetime of this process. Removes the keys of processes that have ended. */
export function createLocalKey(dataDir: string, use: Use, nowMs: number): string {
  const { key, record } = newApiKey(ownName(use), undefined, nowMs, {}, ["inspect"]);
  updateKeyFile(keyFilePath(dataDir), (keys) => [...keys.filter((other) => !isLeftOver(other)), record]);
  return key;
}

/** Removes the key of this process. On a full disk the key is only revoked, and a later start removes it. */
export function removeLocalKey(dataDir: string, use: Use, nowMs = Date.now()): void {
  const file = keyFilePath(dataDir);
  const isOwn = ({ name }: KeyRecord) => name === ownName(use);
  try {
    updateKeyFile(file, (keys) => keys.filter((key) => !isOwn(key)));
  } catch (error) {
    if (errorCode(error) !== "KEYS_UNWRITABLE") throw error;
    updateKeyFile(file, (keys) => revoked(keys, isOwn, nowMs));
  }
}

/** Removes keys of ended processes. Call before making a key: a key with this process's id is then an older process's, as in a container. */
export function removeLeftOvers(dataDir: string): void {
  const file = keyFilePath(dataDir);
  const isStale = (key: KeyRecord) =>
    isLeftOver(key) || Number(LOCAL_NAME.exec(key.name)?.groups?.["pid"]) === process.pid;
  if (readKeyFile(file).some(isStale)) updateKeyFile(file, (keys) => keys.filter((key) => !isStale(key)));
}

const ownName = (use: Use) => [use, process.pid, startTicks(process.pid)].join(" ").trim();

/** Whether the key's process has ended, even if a newer process has the same id. */
function isLeftOver({ name }: KeyRecord): boolean {
  const { pid, ticks } = LOCAL_NAME.exec(name)?.groups ?? {};
  if (pid === undefined) return false;
  return !isAlive(Number(pid)) || (ticks !== undefined && (startTicks(Number(pid)) ?? ticks) !== ticks);
}
