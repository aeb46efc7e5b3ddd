import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newRecordId, outboxPath, partName, type RecordPart } from "../../../src/call-record/store/record-layout.ts";
import { RecordStore } from "../../../src/call-record/store/record-store.ts";
import { RecordWriter } from "../../../src/call-record/store/record-writer.ts";
import { sweep } from "../../../src/call-record/store/retention.ts";
import { silentLog } from "../../../src/shared/log.ts";
import { filesIn, recordConfig } from "../../support/recorded-call.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

async function storeWith(lines: readonly object[], words: readonly object[] = []) {
  const config = recordConfig();
  const store = await RecordStore.open(config.dir, config.keyFile);
  const id = newRecordId(new Date());
  const writer = new RecordWriter(store.key, new VirtualClock(), silentLog);
  const write = async (part: RecordPart, all: readonly object[]) => {
    const file = writer.create(store.path(id, part), partName(id, part));
    for (const line of all) file.add(Buffer.from(JSON.stringify(line)));
    file.end();
    await writer.flush();
  };
  await write("call", lines);
  await write("words", words);
  await writer.close();
  return { config, store, id };
}
const START = { startedAt: "2026-11-29T10:00:00.000Z", configId: "desk" };
const say = (turn: number, text: string) => ({
  type: "caller",
  turn,
  startMs: turn * 1_000,
  endMs: turn * 1_000 + 500,
  text,
});

test("another key, a short key and a lost key are said at the start", async () => {
  const { config } = await storeWith([START]);
  const [right, wrong, short] = [config.keyFile, `${config.keyFile}.2`, `${config.keyFile}.3`];
  writeFileSync(wrong, randomBytes(32));
  writeFileSync(short, randomBytes(31));
  const open = (file: string) => RecordStore.open(config.dir, file);
  await expect(open(wrong)).rejects.toThrow(/is not the key of the records in .*Restore the key that made them/u);
  await expect(open(short)).rejects.toThrow(/has 31 bytes and needs at least 32/u);
  await expect(open(`${right}.4`)).rejects.toThrow(/cannot be read: it does not exist/u);
  await expect(open(right)).resolves.toBeDefined();
  rmSync(join(config.dir, "store.oak"));
  await expect(open(wrong)).rejects.toThrow(/has records but no store\.oak/u);
});

test("a file that was cut or changed is read up to there", async () => {
  const { store, id } = await storeWith([START], [say(1, "one"), say(2, "two"), say(3, "three")]);
  const path = store.path(id, "words");
  const whole = readFileSync(path);
  const texts = async () => (await store.content(id))?.words.map((line) => "text" in line && line.text);
  expect(await texts()).toEqual(["one", "two", "three"]);
  truncateSync(path, whole.length - 1);
  expect(await texts()).toEqual(["one", "two"]);
  // Not the byte that was cut off.
  appendFileSync(path, Buffer.from([(whole.at(-1) ?? 0) ^ 1, ...randomBytes(50)]));
  expect(await texts()).toEqual(["one", "two"]);
  const changed = Buffer.from(whole);
  const middle = Math.floor(changed.length / 2);
  changed[middle] = (changed[middle] ?? 0) ^ 1;
  writeFileSync(path, changed);
  expect(await texts()).toEqual(["one"]);
});

test("a part of one record cannot stand in another one", async () => {
  const { store, id } = await storeWith([START], [say(1, "one")]);
  const other = newRecordId(new Date());
  cpSync(join(store.path(id, "call"), ".."), join(store.path(other, "call"), ".."), { recursive: true });
  expect(await store.summary(other)).toBeUndefined();
  renameSync(store.path(id, "call"), store.path(id, "words"));
  expect((await store.content(id))?.words ?? []).toEqual([]);
});

test("a record without an end is open while its process runs, and interrupted after that", async () => {
  const { processName } = await import("../../../src/call-record/store/record-store.ts");
  const open = await storeWith([{ ...START, process: processName() }]);
  expect((await open.store.summary(open.id))?.state).toBe("open");
  const killed = await storeWith([{ ...START, process: `${String(process.pid)} 1` }]);
  expect((await killed.store.summary(killed.id))?.state).toBe("interrupted");
});

test("an erased record leaves nothing that its key could read", async () => {
  const { store, id } = await storeWith([START], [say(1, "one")]);
  const path = store.path(id, "words");
  // A hard link keeps the bytes of the file, as a snapshot of the disk would.
  const { linkSync } = await import("node:fs");
  linkSync(path, `${store.folder}/kept`);
  const before = readFileSync(path);
  expect(await store.erase(id)).toBe(true);
  expect(existsSync(path)).toBe(false);
  const left = readFileSync(`${store.folder}/kept`);
  expect(left.subarray(0, 40).equals(before.subarray(0, 40))).toBe(false);
  expect(filesIn(store.folder).filter((file) => file.includes("calls"))).toEqual([]);
  expect(await store.erase(id)).toBe(false);
});

test("a backup that is restored does not bring an erased record back", async () => {
  const { store, id } = await storeWith(
    [{ ...START, endedAt: new Date().toISOString(), retentionDays: { call: 30, words: 30 } }],
    [say(1, "one")],
  );
  const backup = `${store.folder}-backup`;
  cpSync(join(store.folder, "calls"), backup, { recursive: true });
  await store.erase(id);
  await store.audit.add({ action: "erased", by: "key key_1", records: [id] });
  cpSync(backup, join(store.folder, "calls"), { recursive: true });
  expect(await store.ids()).toEqual([id]);
  await sweep({ store, retentionOf: () => undefined, log: silentLog, nowMs: Date.now() });
  expect(await store.ids()).toEqual([]);
});

test("the journal says who erased what, and nothing of the content", async () => {
  const { store, id } = await storeWith([START], [say(1, "my secret")]);
  await store.erase(id);
  await store.audit.add({ action: "erased", by: "key key_1", records: [id] });
  const [line, ...rest] = readFileSync(join(store.folder, "audit.jsonl"), "utf8").trim().split("\n");
  expect(rest).toEqual([]);
  expect(JSON.parse(line ?? "")).toEqual({
    at: expect.any(String) as string,
    action: "erased",
    by: "key key_1",
    records: [id],
  });
});

test("wrong ids reach no file", async () => {
  const { store } = await storeWith([START]);
  for (const id of ["../../etc", "", "20261129-100000-0000000000000000/../x", "."]) {
    expect(await store.summary(id)).toBeUndefined();
    expect(await store.audio(id)).toBeUndefined();
    expect(await store.erase(id)).toBe(false);
  }
});

test("calls go on while a long record is searched", async () => {
  const { store, id } = await storeWith(
    [START],
    Array.from({ length: 5_000 }, (_, turn) => say(turn, "my room is cold")),
  );
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  expect(await store.says(id, "warm")).toBe(false);
  isOver = true;
  // Reads of the file give few.
  expect(turns).toBeGreaterThan(10);
  expect(await store.says(id, "is cold")).toBe(true);
});

test("a message about an erased call that a backup brought back is not sent", async () => {
  const { store, id } = await storeWith([START]);
  await store.erase(id);
  await store.audit.add({ action: "erased", by: "key key_1", records: [id] });
  mkdirSync(join(store.folder, "outbox"));
  const other = newRecordId(new Date());
  for (const each of [id, other]) writeFileSync(outboxPath(store.folder, each), randomBytes(100));
  await sweep({ store, retentionOf: () => undefined, log: silentLog, nowMs: Date.now() });
  expect(filesIn(join(store.folder, "outbox"))).toEqual([outboxPath(store.folder, other)]);
});

test("an erasure that a crash or a fault cut short is completed: the journal has it first", async () => {
  const { store, id } = await storeWith([START], [say(1, "one")]);
  const path = store.path(id, "words");
  renameSync(path, `${path}.away`);
  // Nothing can be written there.
  mkdirSync(path);
  await expect(store.eraseRecords([id], "key key_1")).rejects.toMatchObject({ code: "RECORD_UNWRITABLE" });
  rmSync(path, { recursive: true });
  renameSync(`${path}.away`, path);
  await sweep({ store, retentionOf: () => undefined, log: silentLog, nowMs: Date.now() });
  expect(existsSync(path)).toBe(false);
});

test("an erasure leaves a line for a record that was there, and none for one that was not", async () => {
  const { store, id } = await storeWith([START]);
  expect(await store.eraseRecords([newRecordId(new Date())], "key key_1")).toEqual([]);
  expect(existsSync(join(store.folder, "audit.jsonl"))).toBe(false);
  expect(await store.eraseRecords([id], "key key_1")).toEqual([id]);
  expect(readFileSync(join(store.folder, "audit.jsonl"), "utf8")).toContain(`"by":"key key_1","records":["${id}"]`);
});
