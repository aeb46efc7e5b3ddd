import { expect, test } from "vitest";
import { createApiKey } from "../../../src/auth/api-keys.ts";
import { KeyQuotas } from "../../../src/server/calls/key-quotas.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { startWireServer, WireClient } from "../support.ts";

test("the connections of each key are limited separately", async () => {
  const { connect, connectReady, keyFile, server, sessions } = await startWireServer({
    limits: { max_connections_per_key: 2 },
  });
  const first = await connectReady();
  await connectReady();
  const third = connect();
  expect((await third.nextError()).error_message).toContain("limit of 2 open connections");
  expect(await third.closed).toEqual({ code: 1013, reason: "KEY_CONNECTIONS_EXCEEDED" });
  const other = createApiKey(keyFile, "other", undefined, Date.now()).key;
  await connect({ api_key: other, config_id: "default" }).next("connection_metadata");
  first.socket.close();
  await expect.poll(() => server.stats().connections).toBe(2);
  await connectReady();
  expect(sessions).toHaveLength(4);
});

test("a limit of a key replaces the server's limit", async () => {
  const { connect, keyFile } = await startWireServer({ limits: { max_connections_per_key: 1 } });
  const { key } = createApiKey(keyFile, "wide", undefined, Date.now(), { max_connections: 3 });
  const query = { api_key: key, config_id: "default" };
  for (let number = 0; number < 3; number += 1) await connect(query).next("connection_metadata");
  expect((await connect(query).closed).reason).toBe("KEY_CONNECTIONS_EXCEEDED");
});

test("connections with tokens are counted by their subject", async () => {
  const { urlOf, token } = await startWireServer({ limits: { max_connections_per_key: 1 } });
  const connectAs = async (subject: string) => {
    const headers = { authorization: `Bearer ${await token({ subject })}` };
    return new WireClient(urlOf({ config_id: "default" }), { headers });
  };
  await (await connectAs("ann")).next("connection_metadata");
  expect((await (await connectAs("ann")).closed).reason).toBe("KEY_CONNECTIONS_EXCEEDED");
  await (await connectAs("bob")).next("connection_metadata");
});

test("messages beyond the key's rate over all its connections are dropped with an error, and no connection is closed", async () => {
  const { connectReady, clock, sessions } = await startWireServer({ limits: { max_messages_per_second_per_key: 4 } });
  // The settings of both connections are messages, so six of the eight messages at once are left.
  const [one, two] = [await connectReady(), await connectReady()];
  for (let sent = 0; sent < 3; sent += 1) {
    one.send(Buffer.alloc(2));
    two.send(Buffer.alloc(2));
  }
  await expect.poll(() => sessions.flatMap(({ audio }) => audio)).toHaveLength(6);
  one.send(Buffer.alloc(2));
  expect(await one.nextError()).toMatchObject({
    error_code: "KEY_RATE_EXCEEDED",
    details: { limit: "max_messages_per_second_per_key" },
  });
  clock.advance(500);
  await two.settled();
  await one.settled();
});

test("audio beyond the key's rate is dropped with an error that names the chunk", async () => {
  const { connectReady, clock, sessions } = await startWireServer({
    limits: { max_audio_bytes_per_second_per_key: 1_000, audio_burst_seconds: 2 },
  });
  const [one, two] = [await connectReady(), await connectReady()];
  one.send(Buffer.alloc(1_500));
  await one.settled();
  two.sendMessage("audio_input", { audio: Buffer.alloc(600).toString("base64"), chunk_id: "7" });
  expect(await two.nextError()).toMatchObject({
    error_code: "KEY_RATE_EXCEEDED",
    details: { limit: "max_audio_bytes_per_second_per_key", chunk_id: "7" },
  });
  clock.advance(100);
  two.send(Buffer.alloc(600));
  await two.settled();
  expect(sessions.map(({ audio }) => audio.map(({ length }) => length))).toEqual([[1_500], [600]]);
});

test("a new connection does not renew a key's quota, a minute without connections does", () => {
  const clock = new VirtualClock();
  const quotas = new KeyQuotas({ max_messages_per_second_per_key: 1, audio_burst_seconds: 1 }, clock);
  const identity = { method: "jwt", id: "ann", projectId: undefined, configId: undefined } as const;
  const first = quotas.join(identity);
  expect([first.takeMessage(), first.takeMessage(), first.takeMessage()]).toEqual([true, true, false]);
  first.release();
  clock.advance(500);
  const second = quotas.join(identity);
  expect(second.takeMessage()).toBe(false);
  expect(clock.pendingTimers).toBe(0);
  second.release();
  clock.advance(60_000);
  expect(clock.pendingTimers).toBe(0);
  const third = quotas.join(identity);
  third.release();
  quotas.close();
  expect(clock.pendingTimers).toBe(0);
});
