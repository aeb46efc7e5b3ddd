import { PassThrough } from "node:stream";
import { connect, type Socket } from "node:net";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { frame, goodHandshake, OPCODE } from "../../../bench/hostile/frames.ts";
import { discardInput } from "../../../src/server/http/discard-input.ts";
import { startWireServer, type WireClient } from "../support.ts";

const EMPTY = Buffer.alloc(0);

test.each(["ping", "pong"] as const)(
  "a flood of %ss gets an error and close code 1008, like a flood of messages",
  async (kind) => {
    const { connectReady } = await startWireServer({ limits: { max_messages_per_second: 5 } });
    const client = await connectReady();
    for (let sent = 0; sent < 12; sent += 1) client.socket[kind]();
    expect((await client.nextError()).error_code).toBe("MESSAGE_RATE_EXCEEDED");
    expect(await client.closed).toEqual({ code: 1008, reason: "MESSAGE_RATE_EXCEEDED" });
  },
);

/** Writes bytes to the client's socket directly, because its WebSocket would refuse to send them. */
const sendRaw = (client: WireClient, bytes: Buffer) => {
  (Reflect.get(client.socket, "_socket") as Socket).write(bytes);
};

test.each([
  ["MESSAGE_TOO_LARGE", 1009, frame(OPCODE.binary, Buffer.alloc(1_025))],
  ["INVALID_TEXT", 1007, frame(OPCODE.text, Buffer.from([0xc3, 0x28]))],
  ["PROTOCOL_ERROR", 1002, frame(OPCODE.text, Buffer.from("{}"), { masked: false })],
  ["PROTOCOL_ERROR", 1002, frame(3, EMPTY)],
  [
    "TOO_MANY_FRAGMENTS",
    1008,
    Buffer.concat([
      frame(OPCODE.text, EMPTY, { fin: false }),
      ...Array.from({ length: 300 }, () => frame(OPCODE.continuation, EMPTY, { fin: false })),
    ]),
  ],
])(
  "a breach of the WebSocket protocol is answered with %s, then the connection closes with that reason (%i)",
  async (code, close, bytes) => {
    const lines: string[] = [];
    const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
    const { connectReady, server } = await startWireServer({ limits: { max_message_bytes: 1_024 }, log });
    const client = await connectReady();
    sendRaw(client, bytes);
    expect((await client.nextError()).error_code).toBe(code);
    expect(await client.closed).toEqual({ code: close, reason: code });
    await expect.poll(() => server.stats().connections).toBe(0);
    expect(lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === "closed")).toMatchObject({ code: close });
  },
);

test("the server closes the socket of a refused client at once and does not parse further data", async () => {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const { server, urlOf } = await startWireServer({ log });
  const url = new URL(urlOf({ api_key: "wrong", config_id: "default" }));
  const socket = connect({ host: url.hostname, port: Number(url.port), allowHalfOpen: true }).resume();
  onTestFinished(() => void socket.destroy());
  const broken = frame(3, EMPTY);
  socket.write(Buffer.concat([goodHandshake(url), broken]));
  await new Promise((resolve) => socket.once("end", resolve));
  socket.end(broken);
  await expect.poll(() => server.stats().pending).toBe(0);
  const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect(messages).toContain("rejected");
  expect(messages).not.toContain("socket error");
});

test("a socket that sends on after its end is destroyed", async () => {
  const socket = new PassThrough();
  discardInput(socket);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  for (let reads = 0; reads <= 500 && !socket.destroyed; reads += 1) {
    socket.write("x");
    await new Promise(setImmediate);
  }
  await closed;
});
