import { describe, expect, onTestFinished, test, vi } from "vitest";
import { FleetPlaces } from "../../src/cluster/fleet-places.ts";
import { openTestCluster } from "../support/cluster.ts";
import { hasRedis, startRedis } from "../support/redis-server.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

type Redis = Awaited<ReturnType<typeof startRedis>>;

async function startBox(redis: Redis, leaseMs = 60_000) {
  const { cluster, lines } = await openTestCluster(redis.url);
  const clock = new VirtualClock();
  const places = new FleetPlaces({ cluster, clock, leaseMs });
  onTestFinished(() => places.close());
  const claim = (connectionId: string, mostOfKey?: number, replaces?: string) =>
    places.claim({ connectionId, key: "api_key front-desk", mostOfKey, ...(replaces && { replaces }) });
  return { cluster, clock, places, claim, lines };
}

const IN_USE = { code: "CONNECTION_ID_IN_USE" };
const EXCEEDED = { code: "KEY_CONNECTIONS_EXCEEDED" };

describe.skipIf(!hasRedis)("places of a fleet", () => {
  test("an id is open on one box, until its connection ends", async () => {
    const redis = await startRedis();
    const [one, other] = [await startBox(redis), await startBox(redis)];
    const lease = await one.claim("a");
    await expect(other.claim("a")).rejects.toMatchObject(IN_USE);
    await other.claim("b");
    lease.release();
    await one.places.close();
    await other.claim("a");
  });

  test("two boxes that ask at the same time for the last place of a key: one gets it", async () => {
    const redis = await startRedis();
    const [one, other] = [await startBox(redis), await startBox(redis)];
    await one.claim("a", 2);
    const settled = await Promise.allSettled([one.claim("b", 2), other.claim("c", 2)]);
    expect(settled.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(settled.find(({ status }) => status === "rejected")).toMatchObject({ reason: EXCEEDED });
  });

  test("a box that was killed frees its ids and places when its leases end", async () => {
    const redis = await startRedis();
    const [killed, other] = [await startBox(redis, 2_000), await startBox(redis)];
    await killed.claim("a", 1);
    await expect(other.claim("b", 1)).rejects.toMatchObject(EXCEEDED);
    // Its clock stands still, so it renews nothing. The place and the id end within a millisecond of each other.
    await vi.waitFor(() => other.claim("b", 1), { timeout: 20_000, interval: 20 });
    await vi.waitFor(() => other.claim("a"), { timeout: 20_000, interval: 20 });
  });

  test("a box that lives renews the leases of all its connections", async () => {
    const redis = await startRedis();
    const box = await startBox(redis, 60_000);
    for (let call = 0; call < 250; call += 1) await box.claim(`call ${String(call)}`, 1_000);
    expect(redis.cli("dbsize")).toBe("251");
    /** Sets the time that each key still has when ARGV has it, and answers the shortest. */
    const shortest = (...ms: string[]) => {
      const each = "if ARGV[1] then redis.call('PEXPIRE', k, ARGV[1]) end t = math.min(t, redis.call('PTTL', k))";
      const script = `local t = 1e9 for _, k in ipairs(redis.call('KEYS', '*')) do ${each} end return t`;
      return Number(redis.cli("eval", script, "0", ...ms));
    };
    expect(shortest("30000")).toBeLessThanOrEqual(30_000);
    box.clock.advance(20_000);
    await vi.waitUntil(() => shortest() > 30_000, { timeout: 20_000 });
  });

  test("a connection that continues another one takes its id and its place", async () => {
    const redis = await startRedis();
    const [one, other] = [await startBox(redis), await startBox(redis)];
    await one.claim("a", 1);
    await expect(other.claim("b", 1)).rejects.toMatchObject(EXCEEDED);
    await other.claim("b", 1, "a");
    await other.claim("c");
    await expect(one.claim("c", 1, "c")).rejects.toMatchObject(EXCEEDED);
    await one.claim("b", 1, "b");
  });

  test("without the store a box goes on alone, and its calls count again when the store is back", async () => {
    const redis = await startRedis();
    const [one, other] = [await startBox(redis), await startBox(redis)];
    await redis.stop();
    await vi.waitUntil(() => !one.cluster.isConnected && !other.cluster.isConnected, 10_000);
    await one.claim("a", 1);
    await redis.start();
    await vi.waitUntil(() => one.cluster.isConnected && other.cluster.isConnected, { timeout: 20_000 });
    one.clock.advance(20_000);
    await vi.waitUntil(() => redis.cli("dbsize") === "2", { timeout: 10_000 });
    await expect(other.claim("a")).rejects.toMatchObject(IN_USE);
    await expect(other.claim("b", 1)).rejects.toMatchObject(EXCEEDED);
    expect(one.lines.filter((line) => line.startsWith("cluster.url"))).toHaveLength(1);
  });

  test("a value of the wrong kind is one line, and the box goes on alone", async () => {
    const redis = await startRedis();
    const box = await startBox(redis);
    await box.claim("a", 5);
    const quota = redis.cli("keys", "oakvoice:key:*");
    redis.cli("del", quota);
    redis.cli("set", quota, "x");
    await box.claim("b", 1);
    await box.claim("c", 1);
    expect(box.lines).toEqual(["cluster: connected", expect.stringContaining("wrong kind")]);
  });

  test("the store has no id of a connection and no name of a key in clear text", async () => {
    const redis = await startRedis();
    const box = await startBox(redis);
    await box.claim("anna-miller", 5);
    const keys = redis.cli("keys", "*").split("\n");
    expect(keys).toHaveLength(2);
    const dump = keys.map((key) => `${key} ${redis.cli(key.includes(":key:") ? "zrange" : "get", key, "0", "-1")}`);
    expect(dump.join("\n")).not.toMatch(/anna|front-desk/u);
  });
});
