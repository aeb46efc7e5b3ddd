/** An auditor's proof: after 200 calls are erased, no byte of the disk tells what a caller said. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiKey, createOperatorKey } from "../../src/auth/api-keys.ts";
import { keyFilePath } from "../../src/config/data-folder.ts";
import { clip, silence } from "../support/audio.ts";
import { Caller } from "../support/box.ts";
import { MAIN } from "../support/built-program.ts";
import * as chat from "../support/chat-events.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { answer, ToolServer } from "../support/tool-server.ts";
import { filesBelow, formsOf, inBytes, inDecrypted, keepBlocks, sealedFiles, type Needles } from "./disk-search.ts";

const execute = promisify(execFile);
const NAME = "Ottoline Vanterpool";
const CARD = "4111 1111 1111 1111";
const TYPED = `My name is ${NAME}, and my card is ${CARD}.`;
const CALLS = 200;
const SPOKEN = 8;
const SPOKEN_EACH = CALLS / SPOKEN;
const AT_ONCE = 8;
const VOICE = "flite-time.wav";

/** Everything that the server writes stands below it: data, records, its log and its replay logs. */
const disk = join(temporaryFolder(), "disk");
const elsewhere = temporaryFolder();
const dataDir = join(disk, "data");
const recordDir = join(disk, "records");
const logFile = join(disk, "server.log");
const keyFile = join(elsewhere, "record.key");
const configFile = join(dataDir, "oakvoice.yaml");

/** Pieces of 4 ms where the clip is loud: a longer piece may stand in two blocks. */
function voicePieces(): Buffer[] {
  const pcm = clip(VOICE);
  const pieces = Array.from({ length: Math.floor(pcm.length / 192) }, (_, at) =>
    pcm.subarray(at * 192, at * 192 + 192),
  );
  const level = (piece: Buffer) => new Int16Array(piece.buffer.slice(piece.byteOffset, piece.byteOffset + 192)).reduce((sum, each) => sum + Math.abs(each), 0); // prettier-ignore
  return pieces.toSorted((one, other) => level(other) - level(one)).slice(0, 20);
}
const needles: Needles = new Map([
  ["the name", NAME.split(" ").flatMap(formsOf)],
  ["the card", [CARD, CARD.replaceAll(" ", ""), CARD.replaceAll(" ", "-")].flatMap(formsOf)],
  ["the voice", voicePieces()],
  ["the caller id", formsOf("caller-ottoline")],
]);
const nothing = { "the name": 0, "the card": 0, "the voice": 0, "the caller id": 0 };

let model: ToolServer;
let tool: ToolServer;
let receiver: ToolServer;
let server: { readonly child: ChildProcess; readonly port: number };
const children: ChildProcess[] = [];
let callerKey: string;
let operatorKey: string;

beforeAll(async () => {
  mkdirSync(join(dataDir, "voices"), { recursive: true });
  writeFileSync(keyFile, randomBytes(32), { mode: 0o600 });
  // The model gets placeholders, and gives them to a tool and then to the voice.
  model = await ToolServer.start((response, request) => {
    if (!request.body.includes('"stream":true')) return (request.body === "" ? chat.models(8_192) : chat.token)(response, request); // prettier-ignore
    const { messages } = JSON.parse(request.body) as { messages: { role: string; content: string | null }[] };
    const said = messages.findLast(({ role }) => role === "user")?.content ?? "";
    const [guest = "", card = ""] = said.match(/\[(?:name|card) \d+\]/gu) ?? [];
    const call = { index: 0, id: "a", function: { name: "book", arguments: JSON.stringify({ guest, card }) } };
    const events = guest === "" || messages.at(-1)?.role === "tool" ? [chat.text(`Thank you, ${guest || "caller"}.`), chat.stop] : [chat.event({ tool_calls: [call] }, "tool_calls")]; // prettier-ignore
    chat.stream(...events, chat.done)(response, request);
  });
  tool = await ToolServer.start(answer(JSON.stringify({ booked: NAME })));
  receiver = await ToolServer.start(answer("", {}, 503));
  const secretFile = join(elsewhere, "secret");
  writeFileSync(secretFile, "a secret of the webhook", { mode: 0o600 });
  const booking = `tools: [{ name: book, description: Books., parameters: { type: object, properties: { guest: { type: string }, card: { type: string } } }, webhook: { url: "${tool.url}" , secret_file: "${secretFile}" } }]`; // prettier-ignore
  const record = (redact: string) =>
    `record: { consent: none, keep: [words, tools, emotion, audio]${redact}, after_call: { summary: true } }`;
  for (const [id, redact] of [
    ["open", ", redact: []"],
    ["hidden", ""],
  ] as const)
    writeFileSync(
      join(dataDir, "voices", `${id}.yaml`),
      `config_id: ${id}\nsystem_prompt: You are Oak.\n${record(redact)}\n${booking}\n`,
    );
  writeFileSync(
    configFile,
    `port: 0
data_dir: ${dataDir}
trace_dir: ${join(disk, "replay")}
log_level: trace
log_format: json
limits: { max_connections: 16, resume_seconds: 1, drain_timeout_seconds: 0 }
models: { llm: { engine: openai-compatible, url: "${model.url}v1", model: big, redact: [name, card] } }
call_record:
  key_file: ${keyFile}
  dir: ${recordDir}
  webhook: { url: "${receiver.url}", secret_file: "${secretFile}", fields: [caller_id, transcript, tools, after_call] }
egress: { allowed_hosts: ["${model.host}", "${tool.host}", "${receiver.host}"] }
`,
  );
  callerKey = createApiKey(keyFilePath(dataDir), "caller", undefined, Date.now()).key;
  operatorKey = createOperatorKey(keyFilePath(dataDir), "operator", undefined, Date.now()).key;
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await Promise.all([model.close(), tool.close(), receiver.close()]);
});

/** The built program, with all that it prints in the log file. */
async function serve() {
  const log = openSync(logFile, "a");
  const before = readFileSync(logFile, "utf8").length;
  const child = spawn(process.execPath, [MAIN, "--config", configFile], { stdio: ["ignore", log, log] });
  children.push(child);
  const said = () => /http:\/\/127\.0\.0\.1:(\d+)/u.exec(readFileSync(logFile, "utf8").slice(before))?.[1];
  await expect.poll(() => said() ?? child.exitCode, { timeout: 60_000 }).not.toBe(null);
  expect(said(), readFileSync(logFile, "utf8")).toBeDefined();
  return { child, port: Number(said()) };
}

async function stop(): Promise<void> {
  const ended = once(server.child, "exit");
  server.child.kill("SIGTERM");
  await ended;
}

async function talk(number: number): Promise<void> {
  const configId = number % 2 === 0 ? "open" : "hidden";
  const address = (id: string) => `ws://127.0.0.1:${String(server.port)}/ws/voice/${id}?api_key=${callerKey}&config_id=${configId}`; // prettier-ignore
  const caller = new Caller(address, { caller_id: `caller-ottoline-${String(number % 10)}` });
  await caller.client.connect();
  await caller.next("status");
  if (number % SPOKEN_EACH === 0) {
    await caller.speak(clip(VOICE));
    // Silence is audio too: without it the turn goes on.
    while (caller.all("turn_end").length === 0) await caller.speak(silence(0.5));
  } else expect(caller.client.typeText(TYPED)).toBe(true);
  await caller.next("tts_chunk");
  caller.client.close();
}

const operator = async (method: string, path: string) =>
  await (await fetch(`http://127.0.0.1:${String(server.port)}${path}`, { method, headers: { authorization: `Bearer ${operatorKey}` } })).json() as { readonly erased?: string[]; readonly records?: { id: string; connectionId: string; callerId: string; state: string }[] }; // prettier-ignore
const program = async (...args: string[]) =>
  (await execute(process.execPath, [MAIN, "calls", ...args, "--config", configFile])).stdout;
const found = async (files: ReadonlyMap<string, string>) => Object.fromEntries(await inDecrypted(files, keyFile, needles)); // prettier-ignore

/** A caller's key opens no path of operators, with any method. */
async function expectClosedToCallers(id: string, connectionId: string): Promise<void> {
  const paths = ["/v1/records", "/v1/records.csv", `/v1/records/${id}`, `/v1/records/${id}/audio.wav`, `/v1/calls/${connectionId}/record`, "/v1/records?caller=caller-ottoline-1", `/v1/records?from=2000-01-01&to=2999-01-01`]; // prettier-ignore
  for (const path of paths)
    for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
      for (const key of [`Bearer ${callerKey}`, `Bearer ${operatorKey}x`, `Basic ${operatorKey}`, undefined]) {
        const query = `${path.includes("?") ? "&" : "?"}api_key=${callerKey}`;
        const headers: Record<string, string> = key === undefined ? {} : { authorization: key };
        const answered = await fetch(`http://127.0.0.1:${String(server.port)}${path}${query}`, { method, headers });
        expect([401, 404, 405], `${method} ${path}`).toContain(answered.status);
        expect(await answered.text()).not.toMatch(/ottoline|Vanterpool|4111/iu);
      }
  expect((await operator("GET", "/v1/records")).records).toHaveLength(CALLS);
}

test("nothing of 200 calls is left on the disk after they are erased", { timeout: 600_000 }, async () => {
  server = await serve();
  let next = 0;
  const worker = async () => {
    while (next < CALLS) await talk(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await expect.poll(async () => (await operator("GET", "/v1/records")).records?.filter(({ state }) => state === "ended").length, { timeout: 60_000 }).toBe(CALLS); // prettier-ignore
  // The receiver takes nothing, so the messages wait.
  const waiting = () => filesBelow(join(recordDir, "outbox")).filter((path) => path.endsWith(".oak")).length;
  await expect.poll(waiting, { timeout: 120_000 }).toBe(CALLS);
  // The remote model got no value, and the tool and the voice got the true ones.
  const given = ({ requests }: ToolServer) => [...needles].flatMap(([what, forms]) => requests.some(({ bytes }) => forms.some((form) => bytes.includes(form))) ? [what] : []); // prettier-ignore
  expect(given(model)).toEqual([]);
  expect(tool.requests.length).toBeGreaterThanOrEqual(CALLS - SPOKEN);
  for (const { body } of tool.requests)
    expect(JSON.parse(body)).toMatchObject({ data: { arguments: { guest: NAME, card: CARD } } });

  // The search finds what is there: the owner of the key reads it, and no one else does.
  const files = sealedFiles(recordDir);
  const kept = await found(files);
  const open = (CALLS - SPOKEN) / 2;
  expect(kept["the name"]).toBeGreaterThanOrEqual(3 * open);
  expect(kept["the card"]).toBeGreaterThanOrEqual(3 * open);
  expect(kept["the voice"]).toBeGreaterThanOrEqual(SPOKEN / 2);
  expect(kept["the caller id"]).toBeGreaterThanOrEqual(2 * CALLS);
  expect(inBytes(disk, needles)).toEqual([]);

  const backup = join(elsewhere, "backup");
  cpSync(recordDir, backup, { recursive: true });
  const blocks = keepBlocks(files, join(disk, "blocks"));
  expect(await found(blocks)).toEqual(kept);

  const { records = [] } = await operator("GET", "/v1/records");
  await expectClosedToCallers(records[0]?.id ?? "", records[0]?.connectionId ?? "");
  // By call, by caller and by days, over HTTP and from the command line.
  expect((await operator("DELETE", `/v1/calls/${records[0]?.connectionId ?? ""}/record`)).erased).toHaveLength(1);
  expect(await program("erase", records[1]?.id ?? "")).toContain("1 erased.");
  expect((await operator("DELETE", "/v1/records?caller=caller-ottoline-3")).erased?.length).toBeGreaterThan(10);
  expect(await program("erase", "--caller", "caller-ottoline-4")).toMatch(/^\d+ erased\./u);
  expect(await program("erase", "--from", "2000-01-01", "--to", "2999-12-31")).toMatch(/^\d+ erased\./u);
  expect((await operator("GET", "/v1/records")).records).toEqual([]);
  await stop();

  expect(sealedFiles(recordDir).size).toBe(0);
  expect(inBytes(disk, needles)).toEqual([]);
  // The blocks that a file system would give to other files cannot be decrypted any more.
  expect(await found(blocks)).toEqual(nothing);

  // An old copy of the folder is restored beside the journal of erasures.
  const journal = readFileSync(join(recordDir, "audit.jsonl"));
  rmSync(recordDir, { recursive: true });
  cpSync(backup, recordDir, { recursive: true });
  writeFileSync(join(recordDir, "audit.jsonl"), journal);
  server = await serve();
  await stop();
  expect(sealedFiles(recordDir).size).toBe(0);
  expect(inBytes(disk, needles)).toEqual([]);
});
