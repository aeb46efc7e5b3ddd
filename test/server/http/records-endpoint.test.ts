import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApiKey, createOperatorKey, openApiKeys } from "../../../src/auth/api-keys.ts";
import { keyFilePath } from "../../../src/config/data-folder.ts";
import { CallRecords } from "../../../src/call-record/call-records.ts";
import { recordsEndpoint } from "../../../src/server/http/records-endpoint.ts";
import { silentLog } from "../../../src/shared/log.ts";
import { recordConfig, recordedCall } from "../../support/recorded-call.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const clock = new VirtualClock();
const config = recordConfig();
const file = keyFilePath(temporaryFolder());
const operator = createOperatorKey(file, "operator", undefined, 0);
const otherProject = createOperatorKey(file, "other", "bank", 0).key;
const caller = createApiKey(file, "caller", undefined, 0, {}, ["say"]).key;
let records: CallRecords;
let url: string;
let close: () => void;

beforeAll(async () => {
  records = await CallRecords.open({ config, allowedHosts: [], voices: () => [], log: silentLog, clock });
  const handle = recordsEndpoint({ keys: openApiKeys(file, silentLog), records });
  const server = createServer((request, response) => {
    if (!handle(request, response)) response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  close = () => server.close();
  for (const [connectionId, text] of [
    ["c1", "my room is cold"],
    ["c2", "the bill is wrong"],
    ["c3", "=cmd()"],
  ] as const) {
    const record = { consent: "none", keep: ["words", "tools", "audio"], redact: [] };
    const talk = recordedCall(records, {
      clock,
      record,
      connectionId,
      callerId: `=guest-${connectionId}`,
      transcribe: async () => text,
    });
    await talk.speak(4_000);
    await talk.hangUp();
  }
});
afterAll(async () => {
  close();
  await records.close();
});

const ask = (path: string, key: string | undefined, method = "GET") =>
  fetch(`${url}${path}`, { method, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } });
const idOf = async (connectionId: string) => {
  for (const id of await records.store.ids())
    if ((await records.store.summary(id))?.connectionId === connectionId) return id;
  throw new Error("no such record");
};

describe("without an operator's key", () => {
  const paths = [
    ["GET", "/v1/records"],
    ["GET", "/v1/records.csv"],
    ["GET", "/v1/records/c1"],
    ["GET", "/v1/records/c1/audio.wav"],
    ["DELETE", "/v1/records/c1"],
    ["DELETE", "/v1/records?caller=guest"],
    ["GET", "/v1/calls/c1/record"],
    ["DELETE", "/v1/calls/c1/record"],
  ] as const;
  test.each(paths)("%s %s says nothing", async (method, path) => {
    const separator = path.includes("?") ? "&" : "?";
    for (const [credentials, address] of [
      [undefined, path],
      [caller, path],
      ["eyJhbGciOiJIUzI1NiJ9.e30.AAAA", path],
      [`${operator.key}x`, path],
      [operator.key.replace("oakop_", "oak_"), path],
      [undefined, `${path}${separator}api_key=${operator.key}`],
      [undefined, `${path}${separator}authorization=Bearer%20${operator.key}`],
    ] as const) {
      const response = await ask(address, credentials, method);
      expect(response.status).toBe(401);
      expect(await response.text()).not.toMatch(/room|guest|desk/u);
    }
    expect(await records.store.ids()).toHaveLength(3);
  });
});

test("an operator's key opens no call", () => {
  const keys = openApiKeys(file, silentLog);
  expect(keys.find(operator.key)).toBeUndefined();
  expect(keys.withId(operator.id)).toBeUndefined();
  expect(keys.findOperator(caller)).toBeUndefined();
  expect(keys.findOperator(operator.key)?.id).toBe(operator.id);
});

test("a key of another project sees and erases nothing", async () => {
  expect(await (await ask("/v1/records", otherProject)).json()).toEqual({ records: [] });
  expect((await ask("/v1/records/c1", otherProject)).status).toBe(404);
  expect((await ask("/v1/calls/c1/record", otherProject, "DELETE")).status).toBe(404);
  expect((await ask("/v1/records?from=2000-01-01&to=2999-01-01", otherProject, "DELETE")).status).toBe(404);
  expect(await records.store.ids()).toHaveLength(3);
});

test("lists, searches and shows", async () => {
  const list = async (query: string) =>
    (
      (await (await ask(`/v1/records${query}`, operator.key)).json()) as { records: { connectionId: string }[] }
    ).records.map(({ connectionId }) => connectionId);
  expect((await list("")).toSorted()).toEqual(["c1", "c2", "c3"]);
  expect(await list("?search=BILL")).toEqual(["c2"]);
  expect(await list("?caller=%3Dguest-c1")).toEqual(["c1"]);
  expect(await list("?to=2000-01-01")).toEqual([]);
  expect((await ask("/v1/records?from=yesterday", operator.key)).status).toBe(400);
  const shown = (await (await ask(`/v1/records/${await idOf("c1")}`, operator.key)).json()) as { words: object[] };
  expect(shown.words[0]).toMatchObject({ type: "caller", text: "my room is cold" });
  expect(shown).not.toHaveProperty("process");
});

test("a name that a caller chose does not become a formula in the table", async () => {
  const text = await (await ask("/v1/records.csv", operator.key)).text();
  expect(text.split("\r\n")[0]).toContain("id,state,started_at");
  expect(text).toContain("'=guest-c1");
  expect(text).not.toMatch(/(?:^|,)=/mu);
});

test("the audio is a WAV file with the caller on the left and the reply on the right", async () => {
  const response = await ask("/v1/records/c1/audio.wav", operator.key);
  const wav = Buffer.from(await response.arrayBuffer());
  expect(wav.length).toBe(Number(response.headers.get("content-length")));
  expect([wav.toString("latin1", 0, 4), wav.readUInt16LE(22), wav.readUInt32LE(24)]).toEqual(["RIFF", 2, 24_000]);
  const side = (offset: number) => {
    let loud: number[] = [];
    for (let at = 44; at + 4 <= wav.length; at += 4)
      if (Math.abs(wav.readInt16LE(at + offset)) > 3_000) loud.push((at - 44) / 4 / 24_000);
    loud = loud.toSorted((one, other) => one - other);
    return [loud[0] ?? -1, loud.at(-1) ?? -1] as const;
  };
  const [callerSide, replySide] = [side(0), side(2)];
  expect(callerSide[0]).toBeLessThan(0.2);
  expect(callerSide[1]).toBeLessThan(1.3);
  expect(replySide[0]).toBeGreaterThan(1);
  expect(replySide[1]).toBeGreaterThan(2.5);
});

test("a request to erase a table or the audio alone erases nothing", async () => {
  for (const path of ["/v1/records/c1/audio.wav", "/v1/records.csv?caller=%3Dguest-c1"])
    expect((await ask(path, operator.key, "DELETE")).status).toBe(404);
  expect(await records.store.ids()).toHaveLength(3);
});

test("a malformed address is refused", async () => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.end("GET // HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  expect(text).toContain("404 Not Found");
});

test("erases by the id of a call, by caller and by days, with a line in the journal", async () => {
  const one = await idOf("c1");
  expect(await (await ask("/v1/calls/c1/record", operator.key, "DELETE")).json()).toEqual({ erased: [one] });
  expect((await ask("/v1/calls/c1/record", operator.key, "DELETE")).status).toBe(404);
  expect((await ask("/v1/records", operator.key, "DELETE")).status).toBe(400);
  const two = await idOf("c2");
  expect(await (await ask("/v1/records?caller=%3Dguest-c2", operator.key, "DELETE")).json()).toEqual({ erased: [two] });
  expect((await ask("/v1/records?from=2000-01-01&to=2999-01-01", operator.key, "DELETE")).status).toBe(200);
  expect(await records.store.ids()).toEqual([]);
  const journal = readFileSync(join(config.dir, "audit.jsonl"), "utf8");
  expect(journal).toContain(`"action":"erased","by":"key ${operator.id}","records":["${one}"]`);
  expect(journal).not.toMatch(/room|bill|guest/u);
});
