import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AuditLog } from "../../../src/call-record/store/audit.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const DAY_MS = 86_400_000;
const names = (folder: string) => readdirSync(folder).toSorted();
const erased = (id: string) => ({ action: "erased", by: "key key_1", records: [id] }) as const;

test("a journal that is full goes on in another file, and nothing of it is lost", async () => {
  const folder = temporaryFolder();
  const audit = new AuditLog(folder, 1_000);
  const ids = Array.from({ length: 100 }, (_, at) => `id-${String(at)}`);
  for (const id of ids) await audit.add(erased(id));
  expect(names(folder).length).toBeGreaterThan(5);
  for (const name of names(folder)) expect(statSync(join(folder, name)).size).toBeLessThan(1_200);
  expect([...(await audit.erasedIds())]).toEqual(ids);
});

test("full files go after their days, and the present one stays", async () => {
  const folder = temporaryFolder();
  const audit = new AuditLog(folder, 1);
  for (const id of ["one", "two", "three"]) await audit.add(erased(id));
  const all = names(folder);
  await audit.expire(30, Date.now() + 29 * DAY_MS);
  expect(names(folder)).toEqual(all);
  await audit.expire(30, Date.now() + 32 * DAY_MS);
  expect(names(folder)).toEqual(["audit.jsonl"]);
  expect([...(await audit.erasedIds())]).toEqual(["three"]);
});

test("the journal of a busy server is bounded, also within its days", async () => {
  const folder = temporaryFolder();
  const audit = new AuditLog(folder, 1);
  for (let at = 0; at < 60; at += 1) await audit.add(erased(`id-${String(at)}`));
  await audit.expire(10_000, Date.now());
  expect(names(folder).length).toBeLessThanOrEqual(51);
  expect((await audit.erasedIds()).has("id-59")).toBe(true);
});

test("several processes add lines while the files are full", async () => {
  const folder = temporaryFolder();
  const logs = [1, 2, 3].map(() => new AuditLog(folder, 500));
  await Promise.all(
    logs.map(async (log, own) => {
      for (let at = 0; at < 30; at += 1) await log.add(erased(`${String(own)}-${String(at)}`));
    }),
  );
  expect((await logs[0]?.erasedIds())?.size).toBe(90);
});

test("a line that a crash cut is left out", async () => {
  const folder = temporaryFolder();
  const audit = new AuditLog(folder);
  await audit.add(erased("one"));
  appendFileSync(join(folder, "audit.jsonl"), '{"at":"2026-');
  expect([...(await audit.erasedIds())]).toEqual(["one"]);
  // The next line begins on its own.
  await audit.add(erased("two"));
  expect(readFileSync(join(folder, "audit.jsonl"), "utf8").split("\n")).toHaveLength(4);
  expect([...(await audit.erasedIds())]).toEqual(["one", "two"]);
});
