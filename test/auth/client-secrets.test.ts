import { expect, test } from "vitest";
import { createApiKey, openApiKeys } from "../../src/auth/api-keys.ts";
import { createAuthenticator, type Identity } from "../../src/auth/authenticate.ts";
import { ClientSecrets } from "../../src/auth/client-secrets.ts";
import { updateKeyFile } from "../../src/auth/key-file.ts";
import { keyFilePath } from "../../src/config/data-folder.ts";
import { silentLog } from "../../src/shared/log.ts";
import { openTestCluster } from "../support/cluster.ts";
import { hasRedis, startRedis } from "../support/redis-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const owner: Identity = { method: "api_key", id: "key_1", projectId: undefined, configId: "bank" };

test("a secret stands for its owner until it expires", async () => {
  let now = 0;
  const secrets = new ClientSecrets({ now: () => now });
  const { value, expiresAtMs } = await secrets.mint(owner, 60_000);
  expect(value).toMatch(/^ek_[0-9a-f]{48}$/u);
  expect(expiresAtMs).toBe(60_000);
  now = 59_999;
  expect(await secrets.find(value)).toEqual(owner);
  now = 60_000;
  await expect(secrets.find(value)).rejects.toThrow(/expired/u);
  await expect(secrets.find("ek_other")).rejects.toThrow(/not known/u);
});

test("a secret ends no later than the token that made it", async () => {
  const secrets = new ClientSecrets({ now: () => 0 });
  const holder: Identity = { ...owner, method: "jwt", expiresAtMs: 5_000 };
  expect((await secrets.mint(holder, 60_000)).expiresAtMs).toBe(5_000);
  expect((await secrets.mint(holder, 1_000)).expiresAtMs).toBe(1_000);
});

test("an owner has a limited number, and another owner's stay", async () => {
  const secrets = new ClientSecrets({ now: () => 0 });
  const other = await secrets.mint({ ...owner, id: "key_2" }, 1_000);
  const first = await secrets.mint(owner, 1_000);
  for (let made = 0; made < 1_000; made += 1) await secrets.mint(owner, 1_000);
  await expect(secrets.find(first.value)).rejects.toThrow(/not known/u);
  expect((await secrets.find(other.value)).id).toBe("key_2");
});

test("an owner has a limited size, and all owners together", async () => {
  const secrets = new ClientSecrets({ now: () => 0 });
  const preset = "x".repeat(60_000);
  const other = await secrets.mint({ ...owner, id: "key_2" }, 1_000);
  const first = await secrets.mint({ ...owner, preset }, 1_000);
  for (let made = 0; made < 70; made += 1) await secrets.mint({ ...owner, preset }, 1_000);
  await expect(secrets.find(first.value)).rejects.toThrow(/not known/u);
  expect((await secrets.find(other.value)).id).toBe("key_2");
  const mintMany = async () => {
    for (let made = 0; made < 1_200; made += 1)
      await secrets.mint({ ...owner, id: `key ${String(made)}`, preset }, 1_000);
  };
  await expect(mintMany()).rejects.toMatchObject({ code: "TOO_MANY_SECRETS" });
  expect((await secrets.find(other.value)).id).toBe("key_2");
});

test("an owner's requests are counted, and another owner's are not", () => {
  let now = 0;
  const secrets = new ClientSecrets({ now: () => now });
  const ask = (times: number) => {
    for (let asked = 0; asked < times; asked += 1) secrets.admit(owner);
  };
  ask(100);
  expect(() => ask(1)).toThrow(expect.objectContaining({ code: "TOO_MANY_SECRETS" }));
  secrets.admit({ ...owner, id: "key_2" });
  now = 1_000;
  ask(5);
  expect(() => ask(1)).toThrow();
});

test.skipIf(!hasRedis)(
  "boxes of a cluster know each other's secrets, and the store holds nothing readable",
  async () => {
    const redis = await startRedis();
    const boxes = [await openTestCluster(redis.url), await openTestCluster(redis.url)] as const;
    const [one, two] = boxes.map(({ cluster }) => new ClientSecrets({ cluster })) as [ClientSecrets, ClientSecrets];
    const preset = { instructions: "Speak of the bank only." };
    const { value } = await one.mint({ ...owner, preset }, 60_000);
    expect(await two.find(value)).toEqual({ ...owner, preset });
    await expect(two.find(`${value.slice(0, -1)}x`)).rejects.toThrow(/not known/u);
    const [name = ""] = redis.cli("KEYS", "*").split("\n");
    const stored = name + redis.cli("GET", name);
    for (const text of [value, "key_1", "bank"]) expect(stored).not.toContain(text);
    expect(Number(redis.cli("PTTL", name))).toBeGreaterThan(0);
  },
);

test.skipIf(!hasRedis)("without its store a box knows only its own secrets", async () => {
  const redis = await startRedis();
  const [{ cluster: first }, { cluster: second }] = [
    await openTestCluster(redis.url),
    await openTestCluster(redis.url),
  ];
  await redis.stop();
  const one = new ClientSecrets({ cluster: first });
  const { value } = await one.mint(owner, 60_000);
  expect(await one.find(value)).toEqual(owner);
  await expect(new ClientSecrets({ cluster: second }).find(value)).rejects.toThrow(/not known/u);
});

test("a secret has the limits that its key has now", async () => {
  const file = keyFilePath(temporaryFolder());
  const { id, key } = createApiKey(file, "app", undefined, 0, { max_connections: 2 });
  const secrets = new ClientSecrets();
  const keys = openApiKeys(file, silentLog);
  const auth = createAuthenticator({ keys, verifyToken: undefined, secrets });
  const bearer = (token: string) => ({ query: new URLSearchParams(), header: `Bearer ${token}` });
  const { value } = await secrets.mint(await auth.authenticate(bearer(key)), 60_000);
  expect((await auth.authenticate(bearer(value))).limits).toEqual({ max_connections: 2 });
  updateKeyFile(file, (records) => records.map((record) => ({ ...record, limits: { max_connections: 1 } })));
  expect(await auth.authenticate(bearer(value))).toMatchObject({ id, limits: { max_connections: 1 } });
});
