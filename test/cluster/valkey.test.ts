import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { packageRoot } from "../../src/shared/package-root.ts";
import { FleetPlaces } from "../../src/cluster/fleet-places.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { describeFailure } from "../../src/cluster/valkey-failure.ts";
import { defineScript } from "../../src/cluster/valkey.ts";
import { openTestCluster } from "../support/cluster.ts";
import { hasRedis, startRedis } from "../support/redis-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const connected = (cluster: { isConnected: boolean }) =>
  vi.waitUntil(() => cluster.isConnected, { timeout: 20_000, interval: 10 });

const passwordFile = (text: string) => {
  const file = join(temporaryFolder(), "password");
  writeFileSync(file, `${text}\n`, { mode: 0o600 });
  return file;
};

const ttlMs = 60_000;

describe.skipIf(!hasRedis)("a real Redis", () => {
  test("values live for their time, for all boxes", async () => {
    const redis = await startRedis();
    const { cluster, lines } = await openTestCluster(redis.url);
    const { cluster: other } = await openTestCluster(redis.url);
    expect(cluster.isConnected).toBe(true);
    await cluster.set("a", "first", { ttlMs });
    expect((await other.get("a"))?.toString()).toBe("first");
    expect(Number(redis.cli("pttl", "oakvoice:a"))).toBeGreaterThan(0);
    const bytes = Buffer.from([0, 255, 10, 13]);
    await cluster.set("b", bytes, { ttlMs });
    expect(await other.get("b")).toEqual(bytes);
    expect([await cluster.delete("b"), await cluster.delete("b"), await cluster.get("b")]).toEqual([
      true,
      false,
      undefined,
    ]);
    expect(lines).toEqual(["cluster: connected"]);
  });

  test("fleets with different names share no key", async () => {
    const redis = await startRedis();
    const { cluster } = await openTestCluster(redis.url, { name: "north" });
    const { cluster: other } = await openTestCluster(redis.url, { name: "south" });
    await cluster.set("a", "1", { ttlMs });
    expect(await other.get("a")).toBeUndefined();
    expect(redis.cli("keys", "*")).toBe("north:a");
  });

  test("a script runs again after the store forgot it", async () => {
    const redis = await startRedis();
    const { cluster } = await openTestCluster(redis.url);
    const script = defineScript("return redis.call('INCRBY', KEYS[1], ARGV[1])");
    expect(await cluster.run(script, ["n"], [2])).toBe(2);
    redis.cli("script", "flush");
    expect(await cluster.run(script, ["n"], [3])).toBe(5);
  });

  test("a stopped store is one line in the log, and commands fail at once until it is back", async () => {
    const redis = await startRedis();
    const { cluster, lines } = await openTestCluster(redis.url);
    await redis.stop();
    await vi.waitUntil(() => !cluster.isConnected, 10_000);
    for (let count = 0; count < 3; count += 1)
      await expect(cluster.get("a")).rejects.toMatchObject({ code: "CLUSTER_UNAVAILABLE", retryable: true });
    await vi.waitUntil(() => cluster.failures.unreachable > 2, { timeout: 20_000 });
    await redis.start();
    await connected(cluster);
    await cluster.set("a", "1", { ttlMs });
    expect(lines).toEqual(["cluster: connected", expect.stringContaining("cluster.url"), "cluster: connected"]);
  });

  test("a full store has a line of its own, and is healthy again when it has room", async () => {
    const redis = await startRedis();
    const { cluster, lines } = await openTestCluster(redis.url);
    redis.cli("config", "set", "maxmemory", "1");
    for (let count = 0; count < 3; count += 1)
      await expect(cluster.set("a", "1", { ttlMs })).rejects.toMatchObject({ code: "CLUSTER_UNAVAILABLE" });
    expect(cluster.fault).toContain("maxmemory");
    expect(cluster.isConnected).toBe(true);
    redis.cli("config", "set", "maxmemory", "0");
    await cluster.set("a", "1", { ttlMs });
    expect(cluster.fault).toBeUndefined();
    expect(lines).toEqual(["cluster: connected", expect.stringContaining("maxmemory")]);
  });

  test("a store that refuses the writes of scripts says why, and its values are not blamed", async () => {
    const redis = await startRedis();
    const { cluster, lines } = await openTestCluster(redis.url);
    const write = defineScript("return redis.call('SET', KEYS[1], ARGV[1])");
    const refused = async (setting: string, wrong: string, right: string) => {
      redis.cli("config", "set", setting, wrong);
      await expect(cluster.run(write, ["a"], ["1"])).rejects.toMatchObject({ code: "CLUSTER_UNAVAILABLE" });
      const { fault } = cluster;
      redis.cli("config", "set", setting, right);
      await cluster.run(write, ["a"], ["1"]);
      expect(cluster.fault).toBeUndefined();
      return fault;
    };
    expect(await refused("maxmemory", "1", "0")).toContain("maxmemory");
    expect(await refused("min-replicas-to-write", "1", "0")).toContain("NOREPLICAS");
    expect([cluster.isConnected, cluster.failures.data]).toEqual([true, 0]);
    expect(lines.filter((line) => line.includes("cluster.name"))).toEqual([]);
  });

  test("a store that stops answering costs one deadline, and no command waits for it", async () => {
    const redis = await startRedis();
    const { cluster, lines } = await openTestCluster(redis.url);
    redis.freeze();
    const commands = [cluster.get("a"), cluster.set("a", "1", { ttlMs }), cluster.delete("a")];
    for (const command of await Promise.allSettled(commands))
      expect(command).toMatchObject({ status: "rejected", reason: { code: "CLUSTER_UNAVAILABLE" } });
    expect(cluster.isConnected).toBe(false);
    await expect(cluster.get("a")).rejects.toMatchObject({ code: "CLUSTER_UNAVAILABLE" });
    redis.thaw();
    await connected(cluster);
    expect(await cluster.get("b")).toBeUndefined();
    expect(lines).toEqual([
      "cluster: connected",
      "cluster.url: the store did not answer in time.",
      "cluster: connected",
    ]);
  });

  test("a wrong password is one line that names the field, and the right one works", async () => {
    const redis = await startRedis({ password: "right horse" });
    const { cluster, lines } = await openTestCluster(redis.url, { password_file: passwordFile("wrong") });
    await vi.waitUntil(() => cluster.failures.refused > 2, { timeout: 20_000 });
    expect(lines).toEqual(["cluster.url: the store refuses the password. Check cluster.password_file."]);
    const { cluster: other } = await openTestCluster(redis.url, { password_file: passwordFile("right horse") });
    await other.set("a", "1", { ttlMs });
    const none = await openTestCluster(redis.url);
    await vi.waitUntil(() => none.lines.length > 0, 10_000);
    expect(none.lines).toEqual(lines);
  });

  test("the user of docs/operations.md may do everything that boxes do, and no more", async () => {
    const line = /^ACL SETUSER oakvoice .*$/mu.exec(readFileSync(join(packageRoot, "docs/operations.md"), "utf8"))?.[0];
    const redis = await startRedis();
    redis.cli(...(line ?? "").replace("PASSWORD", "right horse").split(/ (?!horse)/u));
    redis.cli("config", "set", "requirepass", "other");
    const url = redis.url.replace("redis://", "redis://oakvoice@");
    const { cluster, lines } = await openTestCluster(`${url}/0`, { password_file: passwordFile("right horse") });
    const places = new FleetPlaces({ cluster, clock: systemClock });
    const lease = await places.claim({ connectionId: "a", key: "k", mostOfKey: 1 });
    await expect(places.claim({ connectionId: "b", key: "k", mostOfKey: 1 })).rejects.toThrow("limit of 1");
    lease.release();
    await places.close();
    await places.claim({ connectionId: "b", key: "k", mostOfKey: 1 });
    await cluster.set("a", "1", { ttlMs });
    expect((await cluster.get("a"))?.toString()).toBe("1");
    expect(await cluster.delete("a")).toBe(true);
    expect(await cluster.get("a")).toBeUndefined();
    expect(lines).toEqual(["cluster: connected"]);
    const all = defineScript("return redis.call('KEYS', '*')");
    await expect(cluster.run(all, [], [])).rejects.toMatchObject({ code: "CLUSTER_UNAVAILABLE" });
  });

  test("a value of another kind fails the command and not the connection", async () => {
    const redis = await startRedis();
    const { cluster, lines } = await openTestCluster(redis.url);
    redis.cli("lpush", "oakvoice:a", "x");
    for (let count = 0; count < 2; count += 1)
      await expect(cluster.get("a")).rejects.toMatchObject({ code: "CLUSTER_DATA_WRONG" });
    expect([cluster.isConnected, cluster.failures.data]).toEqual([true, 2]);
    expect(lines).toEqual(["cluster: connected", expect.stringContaining("cluster.name")]);
  });
});

test("a box starts without the store", async () => {
  const { cluster, lines } = await openTestCluster("redis://127.0.0.1:1");
  expect(cluster.isConnected).toBe(false);
  await vi.waitUntil(() => cluster.failures.unreachable > 1, 10_000);
  expect(lines).toEqual(["cluster.url: the store cannot be used (ECONNREFUSED)."]);
});

test("another program at the address is not taken for a store", async () => {
  const server = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  const { cluster, lines } = await openTestCluster(
    `redis://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
  );
  await vi.waitUntil(() => cluster.failures.unreachable > 0, 10_000);
  expect(cluster.isConnected).toBe(false);
  expect(lines).toHaveLength(1);
});

test.each([
  ["-OOM command not allowed when used memory > 'maxmemory'.", "refused"],
  ["WRONGTYPE Operation against a key holding the wrong kind of value", "data"],
  ["-READONLY You can't write against a read only replica.", "unreachable"],
])("the error of a command in a script of Redis 6 is known: %s", (text, reason) => {
  const message = `ERR Error running script (call to f_0123): @user_script:2: @user_script: 2: ${text} `;
  expect(describeFailure(new Error(message)).reason).toBe(reason);
});
