import type { ServerConfig } from "../config/server-config.ts";
import { isLoopback } from "../config/loopback.ts";
import { OakError } from "../shared/errors.ts";
import { createApiKey } from "./api-keys.ts";
import { keyFilePath, readKeyFile, updateKeyFile } from "./key-file.ts";

/** Keys made by this program for its own machine, one of each name; they do not count as the operator's. */
const LOCAL_NAMES = new Set(["local start", "talk"]);

/**
 * A key for whoever starts the server on this machine and has made none: new at each start, for only its hash is kept.
 * Undefined when there are keys (or tokens) already.
 * @throws OakError `NO_KEYS` when the server would be reachable from other machines and nobody could connect.
 */
export function localKey(config: ServerConfig, nowMs: number): string | undefined {
  const file = keyFilePath(config.dataDir);
  const isOperators = readKeyFile(file).some((key) => key.revoked_at === null && !LOCAL_NAMES.has(key.name));
  if (isOperators || config.auth.jwt !== undefined) return undefined;
  if (!isLoopback(config.host) && !config.allowInsecure) {
    throw new OakError(
      `${config.host} is reachable from other machines and there are no API keys: make one with "oakvoice keys create --name NAME", or pass --allow-insecure.`,
      { code: "NO_KEYS" },
    );
  }
  return replaceKey(file, "local start", nowMs);
}

/** A key for `npm run talk` against a server that already runs; take it away with `removeTalkKey`. */
export function createTalkKey(dataDir: string, nowMs: number): string {
  return replaceKey(keyFilePath(dataDir), "talk", nowMs);
}

export function removeTalkKey(dataDir: string): void {
  updateKeyFile(keyFilePath(dataDir), (keys) => keys.filter(({ name }) => name !== "talk"));
}

function replaceKey(file: string, name: string, nowMs: number): string {
  updateKeyFile(file, (keys) => keys.filter((key) => key.name !== name));
  return createApiKey(file, name, undefined, nowMs).key;
}
