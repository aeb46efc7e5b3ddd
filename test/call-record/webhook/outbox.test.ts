import { createHmac } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CallRecords } from "../../../src/call-record/call-records.ts";
import { silentLog } from "../../../src/shared/log.ts";
import { filesWith, recordConfig, recordedCall, settle } from "../../support/recorded-call.ts";
import { answer, ToolServer } from "../../support/tool-server.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const owned: { close(): Promise<void> }[] = [];
const own = <Kind extends { close(): Promise<void> }>(kind: Kind): Kind => {
  owned.unshift(kind);
  return kind;
};
let clock: VirtualClock;
/** Wall-clock time. It moves with the clock of the timers. */
let startMs: number;
beforeEach(() => {
  clock = new VirtualClock();
  startMs = Date.now();
  vi.stubEnv("CALL_SECRET", SECRET);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(owned.splice(0).map((one) => one.close()));
});

const configFor = (
  receiver: ToolServer,
  fields: readonly string[] = ["config_id", "end_reason", "transcript", "turns"],
) => recordConfig({ url: receiver.url, secret_env: "CALL_SECRET", fields: fields as [] });
const open = async (config: ReturnType<typeof configFor>) =>
  own(
    await CallRecords.open({
      config,
      allowedHosts: [new URL(config.webhook?.url ?? "").host],
      voices: () => [],
      log: silentLog,
      clock,
      now: () => new Date(startMs + clock.nowMs()),
    }),
  );

async function callOnce(records: CallRecords) {
  const talk = recordedCall(records, {
    clock,
    record: { consent: "none" },
    transcribe: async () => "my name is Tom Becker",
  });
  await talk.speak(4_000);
  await talk.hangUp();
  await settle();
}
const outbox = ({ store }: CallRecords) => readdirSync(join(store.folder, "outbox"));

test("the receiver gets one signed message about each call, with the fields that the operator chose", async () => {
  const receiver = own(await ToolServer.start(answer("", {}, 204)));
  const records = await open(configFor(receiver));
  await callOnce(records);
  await expect.poll(() => receiver.requests).toHaveLength(1);
  const { headers, body, method } = receiver.requests[0]!;
  expect(method).toBe("POST");
  const id = headers["webhook-id"] ?? "";
  const key = Buffer.from(SECRET.slice("whsec_".length), "base64");
  const signed = `${id}.${headers["webhook-timestamp"] ?? ""}.${body}`;
  expect(headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`);
  const message = JSON.parse(body) as { type: string; data: object };
  expect(message).toMatchObject({
    type: "call.ended",
    data: { record_id: id, config_id: "desk", end_reason: "caller_left", turns: 1 },
  });
  expect(Object.keys(message.data)).toEqual(["record_id", "config_id", "end_reason", "transcript", "turns"]);
  expect(body).toContain("my name is [name]");
  await expect.poll(() => outbox(records)).toEqual([]);
});

test("a message waits, encrypted, for a receiver that is down for an hour, also over a restart", async () => {
  const receiver = own(await ToolServer.start(answer("", {}, 500), answer("", {}, 204)));
  const config = configFor(receiver);
  const first = await open(config);
  await callOnce(first);
  await expect.poll(() => receiver.requests).toHaveLength(1);
  await expect.poll(() => clock.pendingTimers).toBeGreaterThan(1);
  expect(outbox(first)).toHaveLength(1);
  expect(filesWith(config.dir, ["desk", "caller_left"])).toEqual([]);
  await first.close();
  await receiver.close();
  const second = await open(config);
  await expect.poll(() => clock.pendingTimers).toBeGreaterThan(1);
  for (let minutes = 0; minutes < 60; minutes += 1) {
    clock.advance(60_000);
    await settle();
  }
  expect(outbox(second)).toHaveLength(1);
  await receiver.reopen();
  await expect
    .poll(async () => {
      clock.advance(60_000);
      await settle();
      return outbox(second);
    })
    .toEqual([]);
  const [before, after] = receiver.requests;
  expect(receiver.requests).toHaveLength(2);
  expect(after?.headers["webhook-id"]).toBe(before?.headers["webhook-id"]);
  expect(after?.body).toBe(before?.body);
  expect(after?.headers["webhook-signature"]).not.toBe(before?.headers["webhook-signature"]);
});

test("a message is given up after a day, and its file goes", async () => {
  const receiver = own(await ToolServer.start(answer("", {}, 503)));
  const records = await open(configFor(receiver));
  await callOnce(records);
  await expect
    .poll(
      async () => {
        clock.advance(600_000);
        await settle();
        return outbox(records);
      },
      { interval: 5 },
    )
    .toEqual([]);
  expect(clock.nowMs()).toBeGreaterThan(86_400_000);
  expect(receiver.requests.length).toBeGreaterThan(20);
});

test("a receiver that answers 410 gets the message once", async () => {
  const receiver = own(await ToolServer.start(answer("", {}, 410)));
  const records = await open(configFor(receiver));
  await callOnce(records);
  await expect.poll(() => receiver.requests).toHaveLength(1);
  await expect.poll(() => outbox(records)).toEqual([]);
});

test("erasing a record erases the message about it", async () => {
  const receiver = own(await ToolServer.start(answer("", {}, 503)));
  const records = await open(configFor(receiver));
  await callOnce(records);
  await expect.poll(() => receiver.requests).toHaveLength(1);
  await settle();
  await records.erase(await records.store.ids(), "test");
  expect(outbox(records)).toEqual([]);
  clock.advance(3_600_000);
  await settle();
  expect(receiver.requests).toHaveLength(1);
});

test("a record that is erased while its message is made sends none", async () => {
  const receiver = own(await ToolServer.start(answer("", {}, 204)));
  const records = await open(configFor(receiver));
  const talk = recordedCall(records, { clock, record: { consent: "none" }, transcribe: async () => "my room is cold" });
  await talk.speak(4_000);
  await records.flush();
  const ids = await records.store.ids();
  await talk.session.close();
  // The call has just ended: its message is being made now.
  await records.erase(ids, "key key_1");
  await records.flush();
  await settle();
  expect(outbox(records)).toEqual([]);
  expect(await records.store.ids()).toEqual([]);
});

test("messages that wait are erased when the operator wants no webhook any more", async () => {
  const receiver = own(await ToolServer.start(answer("", {}, 500)));
  const config = configFor(receiver);
  const before = await open(config);
  await callOnce(before);
  await expect.poll(() => receiver.requests).toHaveLength(1);
  await before.close();
  expect(outbox(before)).toHaveLength(1);
  const { webhook: _, ...without } = config;
  const after = own(
    await CallRecords.open({ config: without, allowedHosts: [], voices: () => [], log: silentLog, clock }),
  );
  expect(outbox(after)).toEqual([]);
  expect(await after.store.ids()).toHaveLength(1);
});

test("the receiver gets the call's position in the trace, also after a restart", async () => {
  const receiver = own(await ToolServer.start(answer("", {}, 500), answer("", {}, 204)));
  const config = configFor(receiver);
  const before = await open(config);
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const talk = recordedCall(before, { clock, record: { consent: "none" }, traceparent });
  await talk.speak(4_000);
  await talk.hangUp();
  await expect.poll(() => receiver.requests).toHaveLength(1);
  await before.close();
  await open(config);
  await expect.poll(() => receiver.requests).toHaveLength(2);
  expect(receiver.requests.map(({ headers }) => headers["traceparent"])).toEqual([traceparent, traceparent]);
});

test("a receiver that answers slowly gets each message once, and four at most at a time", async () => {
  let answering = 0;
  let most = 0;
  const receiver = own(
    await ToolServer.start((response) => {
      answering += 1;
      most = Math.max(most, answering);
      setTimeout(() => {
        answering -= 1;
        response.writeHead(204).end();
      }, 100);
    }),
  );
  const records = await open(configFor(receiver));
  for (let call = 0; call < 10; call += 1) await callOnce(records);
  await expect.poll(() => outbox(records)).toEqual([]);
  expect(new Set(receiver.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(10);
  expect(receiver.requests).toHaveLength(10);
  expect(most).toBeLessThanOrEqual(4);
});

test("a receiver that never answers holds neither calls nor the stop, and gets the message from the next process", async () => {
  const receiver = own(await ToolServer.start(() => undefined, answer("", {}, 204)));
  const config = configFor(receiver);
  const first = await open(config);
  await callOnce(first);
  await expect.poll(() => receiver.requests).toHaveLength(1);
  await callOnce(first);
  const closing = performance.now();
  await first.close();
  expect(performance.now() - closing).toBeLessThan(5_000);
  await open(config);
  await expect.poll(() => receiver.requests.length).toBeGreaterThanOrEqual(2);
  await expect.poll(() => outbox(first)).toEqual([]);
});

test("a message whose answer was lost is sent again with the same id, a new time and a new signature", async () => {
  const receiver = own(await ToolServer.start((response) => void response.socket?.destroy(), answer("", {}, 204)));
  const records = await open(configFor(receiver));
  await callOnce(records);
  await expect.poll(() => receiver.requests).toHaveLength(1);
  await expect.poll(() => (clock.advance(10_000), receiver.requests.length)).toBe(2);
  const [one, two] = receiver.requests;
  expect(two?.headers["webhook-id"]).toBe(one?.headers["webhook-id"]);
  expect(two?.body).toBe(one?.body);
  expect(Number(two?.headers["webhook-timestamp"])).toBeGreaterThan(Number(one?.headers["webhook-timestamp"]));
  expect(two?.headers["webhook-signature"]).not.toBe(one?.headers["webhook-signature"]);
});

test("a message of a clock that was wrong by years is given up after a day as well", async () => {
  const receiver = own(await ToolServer.start(answer("", {}, 500)));
  const records = await open(configFor(receiver));
  startMs += 10 * 365 * 86_400_000;
  await callOnce(records);
  await expect.poll(() => receiver.requests.length).toBeGreaterThan(0);
  startMs -= 10 * 365 * 86_400_000;
  for (let hour = 0; hour < 26; hour += 1) {
    for (let half = 0; half < 2; half += 1) {
      clock.advance(1_800_000);
      await settle();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  await expect.poll(() => outbox(records)).toEqual([]);
});
