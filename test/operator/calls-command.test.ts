import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CallRecords } from "../../src/call-record/call-records.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { callsCommand } from "../../src/operator/calls-command.ts";
import { silentLog } from "../../src/shared/log.ts";
import { fileNamesIn, recordConfig, recordedCall } from "../support/recorded-call.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

async function withTwoCalls() {
  const callRecord = recordConfig();
  const clock = new VirtualClock();
  const records = await CallRecords.open({
    config: callRecord,
    allowedHosts: [],
    voices: () => [],
    log: silentLog,
    clock,
  });
  for (const [connectionId, text] of [
    ["c1", "my room is cold"],
    ["c2", "the bill is wrong \u001b[2J"],
  ] as const) {
    const record = { consent: "none", keep: ["words", "tools", "audio"] };
    const talk = recordedCall(records, {
      clock,
      record,
      connectionId,
      callerId: connectionId,
      transcribe: async () => text,
    });
    await talk.speak(4_000);
    await talk.hangUp();
  }
  await records.close();
  const { config } = loadServerConfig(undefined, { OAKVOICE_DATA_DIR: temporaryFolder() });
  return { run: (...args: string[]) => callsCommand(args, { ...config, callRecord }), dir: callRecord.dir };
}

test("lists, searches, shows, exports and erases", async () => {
  const { run, dir } = await withTwoCalls();
  const list = await run("list");
  expect(list.split("\n")).toHaveLength(3);
  expect(JSON.parse(await run("list", "--search", "room", "--json"))).toMatchObject([{ connectionId: "c1" }]);
  expect((await run("list", "--csv")).split("\r\n")).toHaveLength(3);
  expect(await run("show", "c1")).toMatch(/00:0\d\.\d {2}caller {5}my room is cold\n00:0\d\.\d {2}assistant {2}/u);
  const out = join(temporaryFolder(), "export");
  expect(await run("export", "--caller", "c1", "--out", out)).toBe(`1 written to ${out}.`);
  expect(
    readdirSync(out)
      .map((name) => name.split(".").at(-1) ?? "")
      .toSorted((one, other) => (one < other ? -1 : 1)),
  ).toEqual(["csv", "json", "wav"]);
  const json = readdirSync(out).find((name) => name.endsWith(".json")) ?? "";
  expect(JSON.parse(readFileSync(join(out, json), "utf8"))).toMatchObject({
    callerId: "c1",
    words: expect.any(Array) as unknown,
  });
  expect(await run("erase", "--caller", "c2")).toBe("1 erased.");
  expect(await run("erase", "c1")).toBe("1 erased.");
  expect(await run("list")).toBe("No records.");
  expect(fileNamesIn(dir)).toEqual(["audit.jsonl", "store.oak"]);
  expect(existsSync(join(dir, "calls"))).toBe(true);
});

test("a caller's words do not steer the terminal", async () => {
  const { run } = await withTwoCalls();
  expect(await run("show", "c2")).not.toContain("\u001b");
});

test("wrong use is said in one line", async () => {
  const { run } = await withTwoCalls();
  await expect(run("erase")).rejects.toThrow(/Say which: a CALL_ID, --caller, or --from and --to/u);
  await expect(run("show", "c9")).rejects.toThrow(/No record matches/u);
  await expect(run("list", "--from", "yesterday")).rejects.toThrow(/write a day such as 2026-11-29/u);
  await expect(run("export", "c1")).rejects.toThrow(/--out names no folder/u);
  await expect(run("test-webhook")).rejects.toThrow(/call_record\.webhook is not set/u);
  const { config } = loadServerConfig(undefined, { OAKVOICE_DATA_DIR: temporaryFolder() });
  await expect(callsCommand(["list"], config)).rejects.toThrow(/call_record is not set/u);
});
