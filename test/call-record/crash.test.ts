import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { RecordStore } from "../../src/call-record/store/record-store.ts";
import { recordConfig } from "../support/recorded-call.ts";
import { canMount, onSmallDisk } from "../support/small-disk.ts";

const WRITER = join(import.meta.dirname, "fixtures", "writing-call.ts");

test("after kill -9 the record is whole up to the last second, and marked as interrupted", async () => {
  const { dir, keyFile } = recordConfig();
  const child = spawn(process.execPath, ["--import", "tsx", WRITER, dir, keyFile], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = 0;
  for await (const line of createInterface(child.stdout)) {
    // The fixture prints each turn when it ends, ten in a second.
    said = Number(line);
    if (said >= 40) break;
  }
  child.kill("SIGKILL");
  await once(child, "exit");
  const store = await RecordStore.open(dir, keyFile);
  const [id = "", ...others] = await store.ids();
  expect(others).toEqual([]);
  const record = await store.content(id);
  expect(record?.state).toBe("interrupted");
  const turns = record?.words.flatMap((line) => (line.type === "caller" ? [line.turn] : [])) ?? [];
  expect(turns).toEqual(Array.from({ length: turns.length }, (_, index) => index + 1));
  // One second is ten turns. The machine of a test may be slow, so the bound is three.
  expect(turns.length).toBeGreaterThanOrEqual(said - 30);
  await using audio = await store.audio(id);
  expect((await audio?.blocks().next())?.value).toBeDefined();
});

test.runIf(canMount)("a full disk ends the record and touches no call", () => {
  const { keyFile } = recordConfig();
  const output = onSmallDisk(
    `cat /dev/zero >"$DISK/filler" 2>/dev/null; truncate -s 40000 "$DISK/filler"
     "$NODE" --import tsx "$WRITER" "$DISK/records" "$KEY" 60 2>&1; rm "$DISK/filler"; ls "$DISK/records"`,
    { WRITER, KEY: keyFile },
  );
  // Every turn was taken, and the process ended by itself.
  expect(output).toContain("\n60\nended, lost ");
  expect(output).toMatch(/lost [1-9]\d*/u);
});

test.runIf(canMount)("calls are erased on a full disk too, with their line in the journal", () => {
  const { keyFile } = recordConfig();
  const output = onSmallDisk(
    `mount -o remount,size=1m "$DISK"
     "$NODE" --import tsx "$WRITER" "$DISK/records" "$KEY" 5 2>&1
     printf 'data_dir: %s\\ncall_record: { key_file: %s, dir: %s/records }\\n' "$DISK" "$KEY" "$DISK" >"$DISK/config.yaml"
     find "$DISK/records/calls" -name '*.oak' | wc -l; fill
     oakvoice calls erase --from 2000-01-01 --to 2999-01-01 --config "$DISK/config.yaml"
     cat "$DISK/records/audit.jsonl"; find "$DISK/records/calls" -name '*.oak' | wc -l`,
    { WRITER, KEY: keyFile },
  );
  const [before = "", after = ""] = output.match(/^\d+$/gmu)?.slice(-2) ?? [];
  expect([Number(before), Number(after)]).toEqual([3, 0]);
  expect(output).toMatch(/^1 erased\.\nexit 0$/mu);
  expect(output).toContain('"action":"erased"');
});
