import { createWriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { webhookKey } from "../call-record/call-records.ts";
import {
  findRecords,
  isUnbounded,
  recordsCsv,
  transcriptText,
  type RecordFilter,
} from "../call-record/reading/find-records.ts";
import { RecordWav } from "../call-record/reading/record-wav.ts";
import { isDay } from "../call-record/store/record-layout.ts";
import { RecordStore, type RecordSummary } from "../call-record/store/record-store.ts";
import { send } from "../call-record/webhook/outbox.ts";
import type { CallRecordConfig, ServerConfig } from "../config/server-config.ts";
import { Egress } from "../egress/egress.ts";
import { OakError } from "../shared/errors.ts";
import { asFileError } from "../shared/files/file-error.ts";
import { makeFolder } from "../shared/files/make-folder.ts";
import { parseOptions, usageError } from "../shared/options.ts";
import { printable } from "../shared/printable.ts";
import { textTable } from "../shared/text-table.ts";

const TEXT = { type: "string" } as const;
const FLAG = { type: "boolean" } as const;
const OPTIONS = {
  from: TEXT,
  to: TEXT,
  caller: TEXT,
  "config-id": TEXT,
  search: TEXT,
  out: TEXT,
  json: FLAG,
  csv: FLAG,
} as const;

/**
 * `oakvoice calls ...`: works on the folder of the records, also while the server runs. Returns the text for standard output.
 * @throws OakError `USAGE`, `CONFIG_INVALID`, `RECORD_KEY_INVALID`, `RECORD_NOT_FOUND`, `RECORD_UNWRITABLE`, `FILE_FAILED`.
 */
export async function callsCommand(args: readonly string[], config: ServerConfig): Promise<string> {
  const { values, positionals } = parseOptions("calls", args, OPTIONS);
  const [action, id, ...rest] = positionals;
  if (rest.length > 0) throw usageError("calls", `Unexpected argument '${rest[0] ?? ""}'`);
  if (config.callRecord === undefined)
    throw new OakError("The server keeps no records: call_record is not set in its configuration.", {
      code: "CONFIG_INVALID",
    });
  if (action === "test-webhook" && id === undefined) return testWebhook(config.callRecord, config);
  const store = await RecordStore.open(config.callRecord.dir, config.callRecord.keyFile);
  const { from, to, caller, search, out, json, csv } = values;
  const filter: RecordFilter = {
    id,
    from: day("from", from),
    to: day("to", to),
    caller,
    search,
    configId: values["config-id"],
  };
  const by = `command line ${userName()}`;
  switch (action ?? "") {
    case "list": {
      if (id !== undefined) break;
      const found = await findRecords(store, filter);
      await store.audit.add({ action: search === undefined ? "listed" : "searched", by, records: [] });
      return json === true
        ? JSON.stringify(found, undefined, 2)
        : csv === true
          ? recordsCsv(found).trimEnd()
          : table(found);
    }
    case "show": {
      if (id === undefined) break;
      const [summary] = await some(store, { id });
      const record = summary && (await store.content(summary.id));
      if (record === undefined) throw notFound();
      await store.audit.add({ action: "shown", by, records: [record.id] });
      if (json === true) return JSON.stringify(record, undefined, 2);
      return [table([record]), "", printableLines(transcriptText(record))].join("\n");
    }
    case "export": {
      if (out === undefined) throw usageError("calls", "--out names no folder");
      const found = await some(store, filter);
      await exportRecords(store, found, out);
      await store.audit.add({ action: "exported", by, records: found.map((record) => record.id) });
      return `${String(found.length)} written to ${out}.`;
    }
    case "erase": {
      if (isUnbounded(filter)) throw usageError("calls", "Say which: a CALL_ID, --caller, or --from and --to");
      const found = await some(store, filter);
      const erased = await store.eraseRecords(
        found.map((record) => record.id),
        by,
      );
      return `${String(erased.length)} erased.`;
    }
    default:
  }
  throw usageError("calls", "Say list, show CALL_ID, export, erase or test-webhook");
}

async function some(store: RecordStore, filter: RecordFilter): Promise<RecordSummary[]> {
  const found = await findRecords(store, filter);
  if (found.length === 0) throw notFound();
  return found;
}

const notFound = () => new OakError('No record matches; see "oakvoice calls list".', { code: "RECORD_NOT_FOUND" });

function day(option: string, text: string | undefined): string | undefined {
  if (text === undefined || isDay(text)) return text;
  throw usageError("calls", `--${option} ${text.slice(0, 40)}: write a day such as 2026-11-29`);
}

function table(records: readonly RecordSummary[]): string {
  if (records.length === 0) return "No records.";
  const rows = records.map((record) => [
    record.id,
    record.state,
    record.startedAt ?? "-",
    record.durationMs === undefined ? "-" : `${(record.durationMs / 1000).toFixed(1)} s`,
    String(record.turns ?? "-"),
    printable(record.configId ?? "-"),
    printable(record.callerId ?? "-"),
    record.endReason ?? "-",
    record.parts.join(" "),
  ]);
  return textTable([["ID", "STATE", "STARTED", "LENGTH", "TURNS", "CONFIG", "CALLER", "END", "PARTS"], ...rows]);
}

/** Words of a caller must not steer the terminal. */
const printableLines = (text: string) =>
  text
    .split("\n")
    .map((line) => printable(line))
    .join("\n");

/** A JSON file for each record, and a WAV file for its audio. */
async function exportRecords(store: RecordStore, records: readonly RecordSummary[], folder: string): Promise<void> {
  try {
    makeFolder(folder, 0o700);
    for (const { id } of records) {
      const content = await store.content(id);
      await writeFile(join(folder, `${id}.json`), `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
      await using reader = await store.audio(id);
      if (reader === undefined) continue;
      const wav = await RecordWav.open(reader);
      await pipeline(wav.pieces(), createWriteStream(join(folder, `${id}.wav`), { mode: 0o600 }));
    }
    await writeFile(join(folder, "calls.csv"), recordsCsv(records), { mode: 0o600 });
  } catch (error) {
    throw asFileError(error, "FILE_FAILED", folder);
  }
}

async function testWebhook(
  { webhook }: CallRecordConfig,
  { egress: { allowed_hosts: hosts } }: ServerConfig,
): Promise<string> {
  if (webhook === undefined) throw new OakError("call_record.webhook is not set.", { code: "CONFIG_INVALID" });
  const egress = new Egress(hosts);
  try {
    const body = JSON.stringify({ type: "call.test", timestamp: new Date().toISOString(), data: {} });
    const target = { url: new URL(webhook.url), signingKey: webhookKey(webhook), egress, nowMs: Date.now };
    const result = await send(target, { id: randomUUID(), body }, new AbortController().signal);
    if (result === "delivered") return `${target.url.host} took the test message.`;
    const failure = result === "gone" ? `${target.url.host}: status 410` : result.failure;
    throw new OakError(`The test message was not delivered: ${failure}.`, { code: "FILE_FAILED" });
  } finally {
    await egress.close();
  }
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "");
  }
}
