import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { FleetPlaces } from "../../src/cluster/fleet-places.ts";
import type { SessionSnapshot } from "../../src/conversation/session/session-snapshot.ts";
import { sealOf } from "../../src/cluster/sealed.ts";
import { MOST_SNAPSHOT_BYTES, sealCall, unsealCall } from "../../src/server/calls/sealed-snapshot.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { openTestCluster } from "../support/cluster.ts";
import { hasRedis, startRedis } from "../support/redis-server.ts";
import { emptySnapshot, startWireServer, WireClient, type WireTestOptions } from "./support.ts";

type Redis = Awaited<ReturnType<typeof startRedis>>;

async function startBox(redis: Redis, limits: WireTestOptions["limits"] = {}) {
  const { cluster } = await openTestCluster(redis.url);
  const fleet = new FleetPlaces({ cluster, clock: systemClock });
  onTestFinished(() => fleet.close());
  const box = await startWireServer({ fleet, cluster, limits: { max_connections: 2, ...limits } });
  /** The keys of the boxes differ, a token's subject does not. */
  const call = async (more: Record<string, string> = {}, subject = "clinic") => {
    const query = { authorization: `Bearer ${await box.token({ subject })}`, config_id: "default", ...more };
    const client = new WireClient(box.urlOf(query));
    return { client, metadata: (await client.next("connection_metadata")).data };
  };
  const snapshots = () =>
    redis
      .cli("keys", "*resume:*")
      .split("\n")
      .filter((key) => key !== "" && !/:(?:taken|copy)$/u.test(key));
  /** A call whose snapshot is in the store. */
  const begin = async () => {
    const { client, metadata } = await call();
    client.sendMessage("session_settings", { language: "de" });
    await client.next("status");
    const before = snapshots().length;
    await vi.waitFor(
      () => {
        // Again: on a busy machine the store may be late once.
        box.clock.advance(500);
        expect(snapshots().length).toBe(before + 1);
      },
      { timeout: 10_000 },
    );
    return { client, token: metadata.resume_token ?? "" };
  };
  const lose = async (client: WireClient) => {
    client.socket.terminate();
    await vi.waitFor(() => expect(box.server.stats().parked).toBe(1), 10_000);
  };
  /** The box asks the store about its calls. */
  const renew = () => box.clock.advance(5_000);
  return { ...box, cluster, call, begin, lose, renew, snapshots };
}

describe.skipIf(!hasRedis)("boxes with a shared store", () => {
  test("a call goes on over another box, with its settings; the first box gives it up", async () => {
    const redis = await startRedis();
    const [one, other] = [await startBox(redis), await startBox(redis)];
    const { client, token } = await one.begin();
    await one.lose(client);
    const { client: next, metadata } = await other.call({ resume_token: token, resume_received: "3" });
    expect(metadata.resumed).toEqual({ messages: 0, tools: [], timers: [] });
    expect((await next.next("status")).data).toMatchObject({ details: { applied_settings: { language: "de" } } });
    expect(other.sessions[0]?.commands).toEqual(["restore", "detach", "recover 3", "attach"]);
    one.renew();
    await vi.waitFor(() => expect(one.sessions[0]?.isClosed).toBe(true), 10_000);
    expect(one.sessions[0]?.commands).toEqual(["detach", "forgetTimers"]);
    await vi.waitFor(() => expect(one.server.stats()).toMatchObject({ parked: 0, taken: 0 }), 10_000);
    for (const box of [one, other]) {
      const again = await box.call({ resume_token: token });
      expect(again.metadata).toMatchObject({ resumed: false });
      expect(again.metadata.resume_refused).not.toBe("unknown");
      again.client.socket.close();
    }
    expect(other.sessions[0]?.isClosed).toBe(false);
  });

  test("a snapshot has an age by the store's clock, also when a full box had it meanwhile", async () => {
    const redis = await startRedis();
    const [one, other] = [await startBox(redis), await startBox(redis)];
    const full = await startBox(redis, { max_connections: 1 });
    await full.call({}, "somebody");
    const { client, token } = await one.begin();
    await one.lose(client);
    await sleep(500);
    const refused = new WireClient(
      full.urlOf({
        authorization: `Bearer ${await full.token({ subject: "clinic" })}`,
        config_id: "default",
        resume_token: token,
      }),
    );
    expect((await refused.nextError()).error_code).toBe("SERVER_BUSY");
    await sleep(500);
    expect((await other.call({ resume_token: token })).metadata.resumed).toBeTruthy();
    const [ageMs = 0] = other.sessions[0]?.ages ?? [];
    expect(ageMs).toBeGreaterThanOrEqual(990);
    expect(ageMs).toBeLessThan(30_000);
  });

  test("a connection that seems to be open is cut when another box has its call", async () => {
    const redis = await startRedis();
    const [one, other] = [await startBox(redis), await startBox(redis)];
    const { client, token } = await one.begin();
    expect((await other.call({ resume_token: token })).metadata.resumed).toBeTruthy();
    one.renew();
    expect((await client.closed).code).toBe(1006);
    await vi.waitFor(() => expect(one.server.stats()).toMatchObject({ connections: 0, parked: 0, taken: 0 }), 10_000);
    expect(one.sessions[0]?.isClosed).toBe(true);
  });

  test("a call that goes on over its own box is no longer another box's", async () => {
    const redis = await startRedis();
    const [one, other] = [await startBox(redis), await startBox(redis)];
    const { client, token } = await one.begin();
    await one.lose(client);
    const { client: next, metadata } = await one.call({ resume_token: token });
    expect(metadata.resumed).toBeTruthy();
    expect(one.sessions).toHaveLength(1);
    expect((await other.call({ resume_token: token })).metadata).toMatchObject({ resume_refused: "used" });
    await next.settled();
    one.clock.advance(500);
    await vi.waitFor(() => expect(one.snapshots()).toHaveLength(1), 10_000);
    expect((await other.call({ resume_token: metadata.resume_token ?? "" })).metadata.resumed).toBeTruthy();
  });

  test("two boxes that get the same token at the same time: one goes on", async () => {
    const redis = await startRedis();
    const boxes = [await startBox(redis), await startBox(redis), await startBox(redis)];
    const { client, token } = await boxes[0]!.begin();
    await boxes[0]!.lose(client);
    const all = await Promise.all(boxes.map((box) => box.call({ resume_token: token })));
    expect(all.filter(({ metadata }) => metadata.resumed !== false)).toHaveLength(1);
  });

  test("a client that breaks off again at once, on one box after the other, keeps its call", async () => {
    const redis = await startRedis();
    const boxes = [await startBox(redis), await startBox(redis), await startBox(redis)];
    let { client, token } = await boxes[0]!.begin();
    client.socket.terminate();
    for (let turn = 1; turn <= 50; turn += 1) {
      const next = await boxes[turn % 3]!.call({ resume_token: token, resume_received: "7" });
      expect(next.metadata.resumed, `turn ${String(turn)}`).toBeTruthy();
      next.client.socket.terminate();
      // The answer of every other connection is lost, and so is its token.
      if (turn % 2 === 0) token = next.metadata.resume_token ?? "";
    }
    for (const box of boxes) box.renew();
    await vi.waitFor(
      () => expect(boxes.map(({ server }) => server.stats().taken + server.stats().parked)).toEqual([0, 0, 1]),
      10_000,
    );
    const { metadata } = await boxes[1]!.call({ resume_token: token });
    expect(metadata.resumed).toBeTruthy();
  });

  test("a box that is lost right after it took a call loses nothing", async () => {
    const redis = await startRedis();
    const [one, other, third] = [await startBox(redis), await startBox(redis), await startBox(redis)];
    const { client, token } = await one.begin();
    await one.lose(client);
    const { metadata } = await other.call({ resume_token: token });
    // Time does not pass on the second box: it writes nothing more.
    expect((await third.call({ resume_token: metadata.resume_token ?? "" })).metadata.resumed).toBeTruthy();
  });

  test("a store that answers late loses no call", async () => {
    const redis = await startRedis();
    const [one, other] = [await startBox(redis), await startBox(redis)];
    const { client, token } = await one.begin();
    await one.lose(client);
    redis.freeze();
    const next = other.call({ resume_token: token });
    await vi.waitFor(() => expect(other.cluster.isConnected).toBe(false), 10_000);
    // The store carries out what was sent to it.
    redis.thaw();
    expect((await next).metadata.resumed).toBeTruthy();
  });

  test("the store holds no word, name or token in clear", async () => {
    const redis = await startRedis();
    const box = await startBox(redis);
    const { client, token } = await box.begin();
    box.sessions[0]?.commands.push("my account number");
    await box.lose(client);
    const [key = ""] = box.snapshots();
    await vi.waitFor(() => expect(redis.cli("get", key).length).toBeGreaterThan(300), 10_000);
    const all = `${redis.cli("keys", "*")} ${redis.cli("get", key)}`;
    const plain = `${all} ${Buffer.from(redis.cli("get", key), "base64").toString("latin1")}`;
    for (const secret of [token, "account", "clinic", "history", "settings"]) expect(plain).not.toContain(secret);
  });

  test("another owner or configuration finds nothing on another box, and takes nothing away", async () => {
    const redis = await startRedis();
    const [one, other] = [await startBox(redis), await startBox(redis)];
    const { client, token } = await one.begin();
    await one.lose(client);
    const thief = await other.call({ resume_token: token }, "thief");
    expect(thief.metadata).toMatchObject({ resume_refused: "unknown" });
    thief.client.socket.close();
    const bank = await other.call({ resume_token: token, config_id: "bank" });
    expect(bank.metadata).toMatchObject({ resume_refused: "unknown" });
    bank.client.socket.close();
    await vi.waitFor(() => expect(other.server.stats().connections).toBe(0), 10_000);
    expect((await other.call({ resume_token: token })).metadata.resumed).toBeTruthy();
  });

  test("a full box puts the call back; a key at its limit goes on over another box", async () => {
    const redis = await startRedis();
    const one = await startBox(redis, { max_connections_per_key: 1 });
    const full = await startBox(redis, { max_connections: 1 });
    const other = await startBox(redis, { max_connections_per_key: 1 });
    await full.call({}, "somebody");
    const { client, token } = await one.begin();
    await one.lose(client);
    const refused = new WireClient(
      full.urlOf({
        authorization: `Bearer ${await full.token({ subject: "clinic" })}`,
        config_id: "default",
        resume_token: token,
      }),
    );
    expect((await refused.nextError()).error_code).toBe("SERVER_BUSY");
    await vi.waitFor(() => expect(one.snapshots()).toHaveLength(1), 10_000);
    expect((await other.call({ resume_token: token })).metadata.resumed).toBeTruthy();
  });

  test("a call that gave way to another caller goes on over its own box when that has room again", async () => {
    const redis = await startRedis();
    const box = await startBox(redis, { max_connections: 1 });
    const { client, token } = await box.begin();
    await box.lose(client);
    const { client: other } = await box.call({}, "somebody");
    expect(box.sessions[0]?.isClosed).toBe(true);
    other.socket.close();
    await vi.waitFor(() => expect(box.server.stats()).toMatchObject({ connections: 0, taken: 0 }), 10_000);
    const { metadata } = await box.call({ resume_token: token });
    expect(metadata.resumed).toBeTruthy();
    expect(box.sessions.at(-1)?.commands).toContain("restore");
  });

  test("an ended call leaves nothing in the store; a stopped box leaves its calls", async () => {
    const redis = await startRedis();
    const [one, other] = [await startBox(redis), await startBox(redis)];
    const { client } = await one.begin();
    client.socket.close(1000);
    await vi.waitFor(() => expect(one.snapshots()).toEqual([]), 10_000);
    const { token } = await one.begin();
    await one.server.close();
    expect(one.sessions.every(({ isClosed }) => isClosed)).toBe(true);
    expect((await other.call({ resume_token: token })).metadata.resumed).toBeTruthy();
  });

  test("without the store a call goes on over its own box; a restarted store gets the calls again", async () => {
    const redis = await startRedis();
    const [one, other] = [await startBox(redis), await startBox(redis)];
    const { client, token } = await one.begin();
    await redis.stop();
    await vi.waitFor(() => expect(one.cluster.isConnected).toBe(false), 10_000);
    await one.lose(client);
    const { client: next, metadata } = await one.call({ resume_token: token });
    expect(metadata.resumed).toBeTruthy();
    await next.settled();
    await redis.start();
    await vi.waitFor(() => expect([one, other].every(({ cluster }) => cluster.isConnected)).toBe(true), 10_000);
    one.renew();
    await vi.waitFor(() => expect(one.snapshots()).toHaveLength(1), 10_000);
    expect((await other.call({ resume_token: metadata.resume_token ?? "" })).metadata.resumed).toBeTruthy();
  });
});

test("a snapshot is read only with its token, owner and configuration, and unchanged", () => {
  const secret = Buffer.alloc(32, 7);
  const session: SessionSnapshot = { ...emptySnapshot, texts: ["ä"] };
  const own = sealOf(secret, "token", ["owner", "default"]);
  const text = sealCall({ connectionId: "c", session }, own);
  expect(unsealCall(text, own)).toEqual(JSON.parse(JSON.stringify({ connectionId: "c", session })));
  const others = [
    sealOf(secret, "other", ["owner", "default"]),
    sealOf(secret, "token", ["other", "default"]),
    sealOf(secret, "token", ["owner", "bank"]),
    sealOf(Buffer.alloc(32, 8), "token", ["owner", "default"]),
  ];
  for (const other of others) {
    expect(other.name).not.toBe(own.name);
    expect(unsealCall(text, other)).toBeUndefined();
    expect(unsealCall(text, { ...own, key: other.key })).toBeUndefined();
    expect(unsealCall(text, { ...own, name: other.name })).toBeUndefined();
  }
  const bytes = Buffer.from(text, "base64");
  for (const at of [0, 13, 40]) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(unsealCall(changed.toString("base64"), own)).toBeUndefined();
  }
  expect(unsealCall("", own)).toBeUndefined();
});

test("a very long conversation loses its oldest messages in the store", () => {
  const own = sealOf(Buffer.alloc(32), "token", []);
  const history = Array.from({ length: 240 }, (_, at) => ({
    key: String(at),
    role: "user" as const,
    text: "x".repeat(4_000),
    note: "",
  }));
  const text = sealCall({ connectionId: "c", session: { ...emptySnapshot, history } }, own);
  expect(Buffer.from(text, "base64").length).toBeLessThan(MOST_SNAPSHOT_BYTES + 100);
  const kept = unsealCall(text, own)?.session.history ?? [];
  expect(kept.length).toBeGreaterThan(30);
  expect(kept.at(-1)?.key).toBe("239");
});
