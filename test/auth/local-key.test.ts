import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createApiKey, openApiKeys, revokeApiKey } from "../../src/auth/api-keys.ts";
import { keyFilePath, readKeyFile } from "../../src/auth/key-file.ts";
import { createTalkKey, localKey, removeTalkKey } from "../../src/auth/local-key.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { silentLog } from "../../src/shared/log.ts";

const NOW = Date.UTC(2026, 10, 20);

function load(extra: NodeJS.ProcessEnv = {}) {
  const { config } = loadServerConfig(undefined, {
    OAKVOICE_DATA_DIR: mkdtempSync(join(tmpdir(), "oakvoice-local-")),
    ...extra,
  });
  return { config, file: keyFilePath(config.dataDir) };
}

test("a fresh install on its own machine gets a key that works, another one at each start", () => {
  const { config, file } = load();
  const first = localKey(config, NOW) ?? "";
  expect(openApiKeys(file, silentLog).find(first)).toBeDefined();
  const second = localKey(config, NOW) ?? "";
  const keys = openApiKeys(file, silentLog);
  expect([keys.find(first), keys.find(second)?.name]).toEqual([undefined, "local start"]);
});

test("none is made once the operator has a key or tokens; a revoked key does not count", () => {
  const { config, file } = load();
  const { id } = createApiKey(file, "gateway", undefined, NOW);
  expect(localKey(config, NOW)).toBeUndefined();
  revokeApiKey(file, id, NOW);
  expect(localKey(config, NOW)).toMatch(/^oak_/);
  const tokens = load({ OAKVOICE_AUTH_JWT_ALGORITHMS: "HS256", OAKVOICE_AUTH_JWT_SECRET: "x".repeat(32) });
  expect(localKey(tokens.config, NOW)).toBeUndefined();
});

test("a server other machines can reach does not start without a key", () => {
  const tls = { OAKVOICE_TLS_CERT_FILE: "c", OAKVOICE_TLS_KEY_FILE: "k" };
  const { config, file } = load({ OAKVOICE_HOST: "0.0.0.0", ...tls });
  expect(() => localKey(config, NOW)).toThrow(expect.objectContaining({ code: "NO_KEYS" }));
  createApiKey(file, "gateway", undefined, NOW);
  expect(localKey(config, NOW)).toBeUndefined();
});

test("the key of the talk command comes and goes beside the operator's", () => {
  const { config, file } = load();
  const mine = createApiKey(file, "gateway", undefined, NOW);
  const talk = createTalkKey(config.dataDir, NOW);
  expect(openApiKeys(file, silentLog).find(talk)?.name).toBe("talk");
  removeTalkKey(config.dataDir);
  expect(readKeyFile(file).map(({ id }) => id)).toEqual([mine.id]);
});
