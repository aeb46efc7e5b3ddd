import { describe, expect, onTestFinished, test, vi } from "vitest";
import { FleetPlaces } from "../../src/cluster/fleet-places.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { openTestCluster } from "../support/cluster.ts";
import { hasRedis, startRedis } from "../support/redis-server.ts";
import { startWireServer, WireClient } from "./support.ts";

type Redis = Awaited<ReturnType<typeof startRedis>>;

async function startBox(redis: Redis) {
  const { cluster } = await openTestCluster(redis.url);
  const fleet = new FleetPlaces({ cluster, clock: systemClock });
  onTestFinished(() => fleet.close());
  const box = await startWireServer({ fleet, limits: { max_connections_per_key: 2, max_connections: 2 } });
  /** The keys of the boxes differ, a token's subject does not. */
  const call = async (connectionId?: string) => {
    const query = { authorization: `Bearer ${await box.token({ subject: "clinic" })}`, config_id: "default" };
    return new WireClient(box.urlOf(query, connectionId));
  };
  return { ...box, cluster, call };
}

describe.skipIf(!hasRedis)("two boxes", () => {
  test("an id and a key's places are unique over both, and free again when the calls end", async () => {
    const redis = await startRedis();
    const [one, other] = [await startBox(redis), await startBox(redis)];
    const first = await one.call("same-id");
    await first.next("connection_metadata");
    expect((await (await other.call("same-id")).nextError()).error_code).toBe("CONNECTION_ID_IN_USE");
    await (await other.call()).next("connection_metadata");
    const third = await other.call();
    expect((await third.nextError()).error_code).toBe("KEY_CONNECTIONS_EXCEEDED");
    expect(other.server.stats().rejected["KEY_CONNECTIONS_EXCEEDED"]).toBe(1);
    first.socket.close();
    await vi.waitFor(async () => (await one.call("same-id")).next("connection_metadata"), { timeout: 10_000 });
  });

  test("two sockets that ask at the same time do not both get the last place of a box", async () => {
    const redis = await startRedis();
    const box = await startBox(redis);
    await (await box.call()).next("connection_metadata");
    const both = [box.connect(), box.connect()];
    const outcomes = await Promise.all(
      both.map((client) =>
        client.next("connection_metadata").then(
          () => "in",
          () => client.received.find(({ type }) => type === "error"),
        ),
      ),
    );
    expect(outcomes).toEqual(
      expect.arrayContaining([
        "in",
        expect.objectContaining({ data: expect.objectContaining({ error_code: "SERVER_BUSY" }) }),
      ]),
    );
  });

  test("a store that is lost in mid-call ends no call and refuses none", async () => {
    const redis = await startRedis();
    const box = await startBox(redis);
    const first = await box.call();
    await first.next("connection_metadata");
    redis.freeze();
    const second = await box.call();
    await second.next("connection_metadata");
    await redis.stop();
    await first.settled();
    await second.settled();
    expect((await (await box.call()).nextError()).error_code).toBe("SERVER_BUSY");
  });

  test("a socket that closes while the other boxes are asked leaves no place taken", async () => {
    const redis = await startRedis();
    const box = await startBox(redis);
    redis.freeze();
    const client = await box.call("short");
    await client.opened;
    client.socket.terminate();
    redis.thaw();
    await vi.waitFor(async () => (await box.call("short")).next("connection_metadata"), { timeout: 10_000 });
    expect(box.server.stats().connections).toBe(1);
  });

  test("a server that stops while the other boxes are asked refuses the caller", async () => {
    const redis = await startRedis();
    const box = await startBox(redis);
    redis.freeze();
    const client = await box.call();
    await client.opened;
    await box.server.close();
    expect((await client.closed).code).not.toBe(1000);
    expect(box.server.stats().connections).toBe(0);
  });
});
