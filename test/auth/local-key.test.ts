import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { createApiKey, openApiKeys, revokeApiKey } from "../../src/auth/api-keys.ts";
import { keysCommand } from "../../src/operator/keys-command.ts";
import { readKeyFile } from "../../src/auth/key-file.ts";
import { keyFilePath } from "../../src/config/data-folder.ts";
import { createLocalKey, needsLocalKey, removeLeftOvers, removeLocalKey } from "../../src/auth/local-key.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { startTicks } from "../../src/shared/is-alive.ts";
import { silentLog } from "../../src/shared/log.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const NOW = Date.UTC(2026, 10, 20);

function load(extra: NodeJS.ProcessEnv = {}) {
  const { config } = loadServerConfig(undefined, {
    OAKVOICE_DATA_DIR: temporaryFolder(),
    ...extra,
  });
  return { config, file: keyFilePath(config.dataDir) };
}

test("a new installation on loopback gets a key that works until the process ends", () => {
  const { config, file } = load();
  expect(needsLocalKey(config)).toBe(true);
  const key = createLocalKey(config.dataDir, "start", NOW);
  expect(openApiKeys(file, silentLog).find(key)?.name).toMatch(new RegExp(`^start ${String(process.pid)} `));
  expect(needsLocalKey(config)).toBe(true);
  removeLocalKey(config.dataDir, "start");
  expect(readKeyFile(file)).toEqual([]);
});

test("a second process keeps the first process's key and removes the keys of processes that have ended", () => {
  const { config, file } = load();
  const gone = spawnSync(process.execPath, ["--version"]).pid;
  createApiKey(file, `start ${String(gone)}`, undefined, NOW);
  const alive = createApiKey(file, `start ${String(process.ppid)}`, undefined, NOW);
  createLocalKey(config.dataDir, "talk", NOW);
  const names = readKeyFile(file).map(({ name }) => name);
  expect(names).toEqual([
    `start ${String(process.ppid)}`,
    expect.stringMatching(new RegExp(`^talk ${String(process.pid)} `)),
  ]);
  expect(openApiKeys(file, silentLog).find(alive.key)).toBeDefined();
});

test("no local key is made when the operator has an unrevoked key or tokens", () => {
  const { config, file } = load();
  const { id } = createApiKey(file, "gateway", undefined, NOW);
  expect(needsLocalKey(config)).toBe(false);
  revokeApiKey(file, id, NOW);
  expect(needsLocalKey(config)).toBe(true);
  const tokens = load({ OAKVOICE_AUTH_JWT_ALGORITHMS: "HS256", OAKVOICE_AUTH_JWT_SECRET: "x".repeat(32) });
  expect(needsLocalKey(tokens.config)).toBe(false);
});

test("a server that other machines can reach does not start without a key", () => {
  const tls = { OAKVOICE_TLS_CERT_FILE: "c", OAKVOICE_TLS_KEY_FILE: "k" };
  const { config, file } = load({ OAKVOICE_HOST: "0.0.0.0", ...tls });
  expect(() => needsLocalKey(config)).toThrow(expect.objectContaining({ code: "NO_KEYS" }));
  createApiKey(file, "gateway", undefined, NOW);
  expect(needsLocalKey(config)).toBe(false);
});

test("the talk command creates and removes its key and keeps the operator's", () => {
  const { config, file } = load();
  const mine = createApiKey(file, "gateway", undefined, NOW);
  createLocalKey(config.dataDir, "talk", NOW);
  removeLocalKey(config.dataDir, "talk");
  expect(readKeyFile(file).map(({ id }) => id)).toEqual([mine.id]);
});

test("a start removes the keys of ended processes and of its own process id, and writes nothing else", () => {
  const { config, file } = load();
  const gone = spawnSync(process.execPath, ["--version"]).pid;
  const kept = ["gateway", `talk ${String(process.ppid)}`];
  for (const name of [...kept, `start ${String(gone)}`, `start ${String(process.pid)}`])
    createApiKey(file, name, undefined, NOW);
  removeLeftOvers(config.dataDir);
  expect(readKeyFile(file).map(({ name }) => name)).toEqual(kept);
  const { ino } = statSync(file);
  removeLeftOvers(config.dataDir);
  expect(statSync(file).ino).toBe(ino);
});

test("the key of an ended process is removed although a later process has the same id", () => {
  const { config, file } = load();
  const alive = `start ${String(process.ppid)} ${startTicks(process.ppid) ?? ""}`;
  for (const name of [alive, `start ${String(process.ppid)} 1`]) createApiKey(file, name, undefined, NOW);
  removeLeftOvers(config.dataDir);
  expect(readKeyFile(file).map(({ name }) => name)).toEqual([alive]);
});

test("an operator's key cannot have the name of a local key", () => {
  const { config } = load();
  for (const name of ["talk 4711", "start 1", "start 1 2"]) {
    expect(() => keysCommand(["create", "--name", name], config.dataDir, NOW)).toThrow(
      expect.objectContaining({ code: "USAGE", message: expect.stringContaining(`--name ${name}: `) }),
    );
  }
  keysCommand(["create", "--name", "talk 4711 times"], config.dataDir, NOW);
});
