import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { ApiKeys } from "../../auth/api-keys.ts";
import type { KeyRecord } from "../../auth/key-file.ts";
import type { CallRecords } from "../../call-record/call-records.ts";
import { findRecords, isUnbounded, recordsCsv, type RecordFilter } from "../../call-record/reading/find-records.ts";
import { RecordWav } from "../../call-record/reading/record-wav.ts";
import { isDay } from "../../call-record/store/record-layout.ts";
import type { RecordSummary } from "../../call-record/store/record-store.ts";
import { errorCode, errorMessage, OakError } from "../../shared/errors.ts";
import { answerJson } from "../../shared/json-http.ts";

const RECORDS = /^\/v1\/records(?:\.(csv)|\/([^/]+)(?:\/(audio\.wav))?)?$/u;
const CALL_RECORD = /^\/v1\/calls\/([^/]+)\/record$/u;
const MOST_LISTED = 1_000;

const STATUS: Readonly<Record<string, number>> = {
  MISSING_CREDENTIALS: 401,
  INVALID_API_KEY: 401,
  INVALID_MESSAGE: 400,
  RECORD_NOT_FOUND: 404,
  RECORD_UNWRITABLE: 503,
};

export interface RecordsEndpointOptions {
  readonly keys: Pick<ApiKeys, "findOperator">;
  readonly records: CallRecords;
}

/**
 * Operators read and erase records here, with a key of their own: `Authorization: Bearer oakop_...`. A caller's key or token opens
 * nothing. A key of one project sees the records of that project only.
 */
export function recordsEndpoint(options: RecordsEndpointOptions) {
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const [pathname = "", query] = (request.url ?? "").split("?", 2);
    const { method } = request;
    const [, call] = CALL_RECORD.exec(pathname) ?? [];
    const path = RECORDS.exec(pathname);
    if (call === undefined && path === null) return false;
    if (method !== "GET" && method !== "DELETE") return false;
    const work = async () => {
      const key = authenticate(options.keys, request);
      const filter = filterOf(new URLSearchParams(query), key);
      if (call !== undefined) {
        if (method === "GET") return show(options, { ...filter, id: decode(call) }, key, response);
        return erase(options, { ...filter, id: decode(call) }, key, response);
      }
      const [, csv, id, audio] = path ?? [];
      if (method === "DELETE" && (csv ?? audio) !== undefined)
        throw new OakError("Erase the record: /v1/records/{id}.", { code: "RECORD_NOT_FOUND" });
      if (method === "DELETE")
        return erase(options, id === undefined ? filter : { ...filter, id: decode(id) }, key, response);
      if (id === undefined) return list(options, filter, key, csv !== undefined, response);
      const chosen = { ...filter, id: decode(id) };
      return audio === undefined ? show(options, chosen, key, response) : play(options, chosen, key, response);
    };
    work().catch((error: unknown) => fail(response, error));
    return true;
  };
}

function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const code = errorCode(error);
  const status = STATUS[code] ?? 500;
  const message = status === 500 ? "The request could not be answered; try again." : errorMessage(error);
  answerJson(response, status, { error: { code: status === 500 ? "INTERNAL_ERROR" : code, message } });
}

/** Only the header: an address with a key in it would stand in logs and histories. */
function authenticate(keys: RecordsEndpointOptions["keys"], { headers }: IncomingMessage): KeyRecord {
  const token = /^Bearer +(\S+)$/iu.exec(headers.authorization ?? "")?.[1];
  if (token === undefined)
    throw new OakError("Send an operator's key in the Authorization header, as a bearer token.", {
      code: "MISSING_CREDENTIALS",
    });
  const key = keys.findOperator(token);
  if (key !== undefined) return key;
  const message = 'This is not an operator\'s key ("oakvoice keys create --operator"), or it was revoked.';
  throw new OakError(message, { code: "INVALID_API_KEY" });
}

function filterOf(query: URLSearchParams, { project_id: projectId }: KeyRecord): RecordFilter {
  const field = (name: string) => query.get(name) || undefined;
  for (const name of ["from", "to"])
    if (field(name) !== undefined && !isDay(field(name) ?? ""))
      throw new OakError(`${name}: write a day such as 2026-11-29.`, { code: "INVALID_MESSAGE" });
  return {
    from: field("from"), to: field("to"), caller: field("caller"), configId: field("config_id"), search: field("search"),
    projectId: projectId ?? undefined,
  }; // prettier-ignore
}

const by = ({ id }: KeyRecord) => `key ${id}`;

async function list(
  { records: { store } }: RecordsEndpointOptions,
  filter: RecordFilter,
  key: KeyRecord,
  isCsv: boolean,
  response: ServerResponse,
): Promise<void> {
  const found = await findRecords(store, filter, MOST_LISTED);
  await store.audit.add({ action: filter.search === undefined ? "listed" : "searched", by: by(key), records: [] });
  if (!isCsv) return answerJson(response, 200, { records: found.map(publicRecord) });
  response
    .writeHead(200, { "content-type": "text/csv; charset=utf-8", "cache-control": "no-store" })
    .end(recordsCsv(found));
}

async function only({ records: { store } }: RecordsEndpointOptions, filter: RecordFilter): Promise<RecordSummary> {
  const [summary] = await findRecords(store, filter, 1);
  if (summary !== undefined) return summary;
  throw new OakError("No record has this id.", { code: "RECORD_NOT_FOUND" });
}

async function show(
  options: RecordsEndpointOptions,
  filter: RecordFilter,
  key: KeyRecord,
  response: ServerResponse,
): Promise<void> {
  const { store } = options.records;
  const { id } = await only(options, filter);
  const content = await store.content(id);
  await store.audit.add({ action: "shown", by: by(key), records: [id] });
  answerJson(response, 200, content === undefined ? {} : publicRecord(content));
}

async function play(
  options: RecordsEndpointOptions,
  filter: RecordFilter,
  key: KeyRecord,
  response: ServerResponse,
): Promise<void> {
  const { store } = options.records;
  const { id } = await only(options, filter);
  await using reader = await store.audio(id);
  if (reader === undefined) throw new OakError("This record has no audio.", { code: "RECORD_NOT_FOUND" });
  const wav = await RecordWav.open(reader);
  await store.audit.add({ action: "played", by: by(key), records: [id] });
  response.writeHead(200, { "content-type": "audio/wav", "content-length": wav.bytes, "cache-control": "no-store" });
  await pipeline(wav.pieces(), response).catch(() => response.destroy());
}

async function erase(
  options: RecordsEndpointOptions,
  filter: RecordFilter,
  key: KeyRecord,
  response: ServerResponse,
): Promise<void> {
  if (isUnbounded(filter))
    throw new OakError("Say which records: an id, caller, or from and to.", { code: "INVALID_MESSAGE" });
  const { records } = options;
  const found = await findRecords(records.store, filter);
  if (found.length === 0) throw new OakError("No record matches.", { code: "RECORD_NOT_FOUND" });
  const erased = await records.erase(
    found.map(({ id }) => id),
    by(key),
  );
  answerJson(response, 200, { erased });
}

/** Without the name of the server's process. */
const publicRecord = (record: RecordSummary): object => ({ ...record, process: undefined });

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
