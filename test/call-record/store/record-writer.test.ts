import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRecordKey } from "../../../src/call-record/store/record-key.ts";
import { RecordWriter } from "../../../src/call-record/store/record-writer.ts";
import { SealedReader } from "../../../src/call-record/store/sealed-file.ts";
import { silentLog } from "../../../src/shared/log.ts";
import { recordConfig } from "../../support/recorded-call.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

function writerIn() {
  const { dir, keyFile } = recordConfig();
  mkdirSync(dir);
  const clock = new VirtualClock();
  const key = readRecordKey(keyFile);
  const writer = new RecordWriter(key, clock, silentLog);
  const path = join(dir, "day", "words.oak");
  const read = async () => {
    await using reader = await SealedReader.open(path, key, "name");
    const texts: string[] = [];
    if (reader !== undefined) for await (const { content } of reader.blocks()) texts.push(content.toString());
    return texts;
  };
  return { dir, clock, writer, path, read, file: writer.create(path, "name") };
}

test("a block is on the disk within a second", async () => {
  const { clock, writer, file, read } = writerIn();
  file.add(Buffer.from("one"));
  clock.advance(1_000);
  await writer.flush();
  expect(await read()).toEqual(["one"]);
  file.add(Buffer.from("two"));
  clock.advance(1_000);
  await writer.flush();
  expect(await read()).toEqual(["one", "two"]);
  file.end();
  await writer.close();
  expect(clock.pendingTimers).toBe(0);
});

test("a disk that fails for a while costs nothing that fits into memory", async () => {
  const { dir, clock, writer, file, read } = writerIn();
  writeFileSync(join(dir, "day"), "in the way");
  file.add(Buffer.from("one"));
  await writer.flush();
  file.add(Buffer.from("two"));
  await writer.flush();
  rmSync(join(dir, "day"));
  file.add(Buffer.from("three"));
  file.end();
  clock.advance(1_000);
  await writer.flush();
  expect(await read()).toEqual(["one", "two", "three"]);
  expect(writer.pendingBytes).toBe(0);
  expect(writer.lostBlocks).toBe(0);
  await writer.close();
});

test("a disk that goes on failing costs the record, bounded memory, and no more", async () => {
  const { dir, clock, writer, file } = writerIn();
  writeFileSync(join(dir, "day"), "in the way");
  const block = Buffer.alloc(1024 * 1024);
  const taken = Array.from({ length: 20 }, () => file.add(block));
  expect(taken.filter(Boolean)).toHaveLength(7);
  expect(writer.pendingBytes).toBeLessThan(8 * 1024 * 1024);
  file.end();
  await writer.flush();
  clock.advance(61_000);
  await writer.flush();
  expect(writer.pendingBytes).toBe(0);
  expect(writer.lostBlocks).toBeGreaterThan(12);
  await writer.close();
});

test("an abandoned file writes nothing any more", async () => {
  const { writer, file, read } = writerIn();
  file.add(Buffer.from("one"));
  file.abandon();
  file.add(Buffer.from("two"));
  await writer.flush();
  await expect(read()).rejects.toThrow(/ENOENT/u);
  await writer.close();
});

test("a disk that hangs holds a bounded number of files", async () => {
  const { dir, clock, writer } = writerIn();
  writeFileSync(join(dir, "day"), "in the way");
  const files = Array.from({ length: 5_000 }, (_, at) => writer.create(join(dir, "day", String(at)), String(at)));
  const taken = files.filter((file) => file.add(Buffer.from("one")));
  expect(taken.length).toBeGreaterThan(3_000);
  expect(taken.length).toBeLessThanOrEqual(4_000);
  expect(writer.lostBlocks).toBe(5_001 - 4_000);
  for (const file of files) file.end();
  await writer.flush();
  clock.advance(61_000);
  await writer.flush();
  const again = writer.create(join(dir, "later"), "later");
  expect(again.add(Buffer.from("two"))).toBe(true);
  await writer.close();
});
