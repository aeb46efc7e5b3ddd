import { createHash } from "node:crypto";
import { createServer, type AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { CallError, LostError, ProtocolError, RefusedError, type VoiceError } from "../../src/client/errors.ts";
import { onNode } from "../../src/client/node.ts";
import { VoiceClient, type VoiceClientOptions } from "../../src/client/voice-client.ts";
import { encodeServerMessage } from "../../src/doors/voice/server-messages.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { FakeSocket } from "./fake-socket.ts";

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const undo of cleanUp.splice(0)) undo();
});

/** A client on fake sockets, newest first, with all its events. */
function onFakes(options: Partial<VoiceClientOptions> = {}) {
  const clock = new VirtualClock();
  const sockets: FakeSocket[] = [];
  const client = new VoiceClient({
    address: (id) => `ws://box/${id}`,
    openSocket: (url) => {
      const socket = new FakeSocket(url);
      sockets.unshift(socket);
      return socket;
    },
    clock,
    random: () => 1,
    ...options,
  });
  const states: string[] = [];
  client.on("state", (state) => states.push(state));
  const ended: (VoiceError | undefined)[] = [];
  client.on("closed", (error) => ended.push(error));
  const newest = (): FakeSocket => {
    if (sockets[0] === undefined) throw new Error("no socket was opened");
    return sockets[0];
  };
  return { client, clock, sockets, states, ended, newest };
}

test("every connection sends all settings so far, and audio only after ready", async () => {
  const { client, clock, states, newest, sockets } = onFakes({ settings: { turn_detection: { mode: "adaptive" } } });
  const connecting = client.connect();
  expect(client.sendAudio(new Uint8Array(2))).toBe(false);
  newest().welcome();
  await connecting;
  expect(newest().sent).toMatchObject([{ type: "session_settings", data: { turn_detection: { mode: "adaptive" } } }]);
  client.configure({ turn_detection: { silence_threshold: 1 } });
  expect(client.sendAudio(new Uint8Array(2))).toBe(true);
  expect(newest().sent.slice(1)).toEqual([
    expect.objectContaining({ data: { turn_detection: { silence_threshold: 1 } } }),
    new Uint8Array(2),
  ]);
  newest().tell("close", { code: 1006, reason: "" });
  clock.advance(500);
  newest().welcome();
  expect(newest().sent).toMatchObject([
    { type: "session_settings", data: { turn_detection: { mode: "adaptive" } } },
    { type: "session_settings", data: { turn_detection: { silence_threshold: 1 } } },
  ]);
  expect(sockets[0]?.url).not.toBe(sockets[1]?.url);
  expect(states).toEqual(["connecting", "connected", "ready", "waiting", "connecting", "connected", "ready"]);
});

const RESUMED = { messages: 4, tools: [], timers: [] };
const parameters = (socket: FakeSocket) => new URL(socket.url).searchParams;

/** A client that has received `pieces` of speech, and has lost its connection. */
async function lostCall(pieces = 0, options: Partial<VoiceClientOptions> = {}) {
  const call = onFakes({ settings: { language: "de" }, ...options });
  const { client, clock, newest } = call;
  const resumed: unknown[] = [];
  client.on("resumed", (state) => resumed.push(state));
  const connecting = client.connect();
  newest().welcome({ resume_token: "T1", resume_seconds: 60 });
  await connecting;
  for (let piece = 0; piece < pieces; piece += 1) newest().say("tts_chunk", { content: "AAA=" });
  const lose = () => newest().tell("close", { code: 1006, reason: "" });
  const loseAndTry = () => {
    lose();
    clock.advance(20_000);
  };
  return { ...call, resumed, lose, loseAndTry };
}

test("a lost conversation goes on: token and received speech are sent, settings are not", async () => {
  const { client, newest, loseAndTry, resumed, states } = await lostCall(3);
  expect(parameters(newest()).has("resume_token")).toBe(false);
  loseAndTry();
  expect(Object.fromEntries(parameters(newest()))).toEqual({ resume_token: "T1", resume_received: "3" });
  newest().welcome({ resume_token: "T2", resume_seconds: 60, resumed: RESUMED });
  expect(newest().sent).toEqual([]);
  expect(resumed).toEqual([RESUMED]);
  expect(client.state).toBe("ready");
  expect(states.slice(-3)).toEqual(["connecting", "connected", "ready"]);
  newest().say("tts_chunk", { content: "AAA=" });
  loseAndTry();
  expect(Object.fromEntries(parameters(newest()))).toEqual({ resume_token: "T2", resume_received: "1" });
});

test("a connection that breaks before its first message is tried again with the same token and count", async () => {
  const { newest, loseAndTry } = await lostCall(2);
  loseAndTry();
  loseAndTry();
  expect(Object.fromEntries(parameters(newest()))).toEqual({ resume_token: "T1", resume_received: "2" });
});

test("a conversation that does not go on begins again with all settings", async () => {
  const { newest, loseAndTry, resumed, client } = await lostCall();
  loseAndTry();
  newest().welcome({ resume_token: "T2", resume_seconds: 60, resumed: false, resume_refused: "expired" });
  expect(newest().sent).toMatchObject([{ type: "session_settings", data: { language: "de" } }]);
  expect(resumed).toEqual([]);
  expect(client.state).toBe("ready");
});

test("changes that the server has not answered are sent when the conversation goes on", async () => {
  const { client, newest, lose, loseAndTry, clock } = await lostCall();
  client.configure({ turn_detection: { silence_threshold: 1 } });
  lose();
  client.configure({ turn_detection: { mode: "adaptive" } });
  clock.advance(500);
  newest().welcome({ resumed: RESUMED });
  expect(newest().sent).toMatchObject([
    { type: "session_settings", data: { turn_detection: { silence_threshold: 1 } } },
    { type: "session_settings", data: { turn_detection: { mode: "adaptive" } } },
  ]);
  newest().accept();
  newest().accept();
  loseAndTry();
  newest().welcome({ resumed: false });
  expect(newest().sent).toMatchObject([
    { data: { language: "de", turn_detection: { silence_threshold: 1, mode: "adaptive" } } },
  ]);
});

test("a result that is ready while the client reconnects is sent when the conversation goes on", async () => {
  const { client, newest, lose, clock } = await lostCall();
  const call = { call_id: "call_1", name: "order", arguments: {}, run_by: "client" } as const;
  newest().say("tool_call", call);
  lose();
  clock.advance(500);
  expect(client.state).toBe("connecting");
  client.giveToolResult("call_1", "42");
  newest().welcome({ resume_token: "T2", resumed: RESUMED });
  expect(newest().sent).toEqual([]);
  newest().say("tool_call", call);
  expect(newest().sent).toMatchObject([
    { type: "tool_result", data: { call_id: "call_1", output: "42", is_error: false } },
  ]);
});

test.each([
  ["waiting", 0, true],
  ["connecting", 500, true],
  ["connecting", 500, false],
])(
  "texts to say while the client is %s are sent at the beginning of the next connection",
  async (state, ms, goesOn) => {
    const { client, newest, lose, clock } = await lostCall();
    lose();
    clock.advance(ms);
    expect(client.state).toBe(state);
    expect(client.say("Your taxi is here.")).toBe(true);
    expect(client.say("Hurry.", "now")).toBe(true);
    client.keepAlive();
    clock.advance(500);
    newest().welcome(goesOn ? { resumed: RESUMED } : { resumed: false });
    const says = newest().sent.filter((message) => "type" in message && message["type"] === "say");
    expect(says).toMatchObject([
      { data: { text: "Your taxi is here.", when: "next" } },
      { data: { text: "Hurry.", when: "now" } },
    ]);
    client.say("Bye.");
    expect(newest().sent.at(-1)).toMatchObject({ type: "say", data: { text: "Bye." } });
  },
);

test("a text that cannot be kept, or that has no client any more, is refused", async () => {
  const { client, lose } = await lostCall();
  lose();
  const taken = Array.from({ length: 9 }, (_, index) => client.say(String(index)));
  expect(taken).toEqual([...Array.from({ length: 8 }, () => true), false]);
  client.close();
  expect(client.say("Too late.")).toBe(false);
  client.giveToolResult("call_1", "Too late.");
});

test("a call that is asked again runs once, and its result is sent again", async () => {
  const { client, newest, loseAndTry, lose, clock } = await lostCall();
  const calls: string[] = [];
  client.on("tool_call", ({ call_id }) => calls.push(call_id));
  const ask = (call_id: string) => newest().say("tool_call", { run_by: "client", call_id, name: "map", arguments: {} });
  ask("done");
  ask("running");
  client.giveToolResult("done", "shown");
  lose();
  client.giveToolResult("running", "late", true);
  clock.advance(500);
  newest().welcome({ resumed: RESUMED });
  expect(newest().sent).toEqual([]);
  ask("done");
  ask("running");
  ask("new");
  expect(calls).toEqual(["done", "running", "new"]);
  expect(newest().sent).toMatchObject([
    { type: "tool_result", data: { call_id: "done", output: "shown", is_error: false } },
    { type: "tool_result", data: { call_id: "running", output: "late", is_error: true } },
  ]);
  loseAndTry();
  newest().welcome({ resumed: RESUMED });
  ask("new");
  expect(newest().sent).toEqual([]);
  client.giveToolResult("new", "now");
  expect(newest().sent).toMatchObject([{ data: { call_id: "new", output: "now" } }]);
});

test("a client that gives up a connection says that it comes back; one that ends does not", async () => {
  const { client, clock, sockets } = await lostCall(0, { keepAliveMs: 100 });
  clock.advance(200);
  expect(sockets.at(-1)?.closeCode).toBe(4000);
  clock.advance(500);
  client.close();
  expect(sockets[0]?.closeCode).toBe(1000);
  const ending = await lostCall(0, { keepAliveMs: 100, reconnect: false });
  ending.clock.advance(200);
  expect(ending.newest().closeCode).toBe(1000);
});

test("each new attempt waits twice as long up to a limit, and a lasting connection resets the wait", async () => {
  const { client, clock, newest, ended } = onFakes({ reconnect: { firstMs: 100, longestMs: 1000, attempts: 5 } });
  const waits: number[] = [];
  client.on("retry", ({ delayMs }) => waits.push(delayMs));
  const connecting = client.connect();
  newest().welcome();
  await connecting;
  const lose = () => newest().tell("close", { code: 1006, reason: "" });
  for (let attempt = 0; attempt < 5; attempt += 1) {
    lose();
    clock.advance(1000);
  }
  expect(waits).toEqual([100, 200, 400, 800, 1000]);
  newest().welcome();
  clock.advance(10_000);
  lose();
  expect(waits.at(-1)).toBe(100);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    clock.advance(1000);
    lose();
  }
  expect(ended).toEqual([expect.any(LostError)]);
});

test("random jitter shortens a wait by up to half", async () => {
  const { client, newest } = onFakes({ random: () => 0 });
  let waitMs = 0;
  client.on("retry", ({ delayMs }) => (waitMs = delayMs));
  const connecting = client.connect();
  newest().welcome();
  await connecting;
  newest().tell("close", { code: 1006, reason: "" });
  expect(waitMs).toBe(250);
  client.retryNow();
  expect(client.state).toBe("connecting");
});

test("a permanent refusal ends the client with the server's message", async () => {
  const { client, newest, ended } = onFakes();
  const connecting = client.connect();
  newest().say("error", { error_code: "INVALID_API_KEY", error_message: "Unknown key.", details: {} });
  newest().tell("close", { code: 4401, reason: "INVALID_API_KEY" });
  await expect(connecting).rejects.toThrow("Unknown key.");
  expect(ended[0]).toBeInstanceOf(RefusedError);
  expect(ended[0]).toMatchObject({ code: "INVALID_API_KEY", closeCode: 4401, canRetry: false });
});

test("a message that the server cannot take ends the client", async () => {
  const { client, newest, ended } = onFakes();
  const connecting = client.connect();
  newest().welcome();
  await connecting;
  newest().tell("close", { code: 1009, reason: "MESSAGE_TOO_LARGE" });
  expect(ended[0]).toMatchObject({ code: "MESSAGE_TOO_LARGE", closeCode: 1009, canRetry: false });
});

test("refused settings are not sent again", async () => {
  const { client, clock, newest } = onFakes();
  const connecting = client.connect();
  newest().welcome();
  await connecting;
  client.configure({ turn_detection: { silence_threshold: 1 } });
  client.configure({ turn_detection: { silence_threshold: 80 } });
  newest().accept();
  const { message_id } = newest().sent.at(-1) as { message_id: string };
  newest().say("error", {
    error_code: "INVALID_SETTINGS",
    error_message: "too big",
    details: { reply_to: message_id },
  });
  client.configure({ turn_detection: { mode: "adaptive" } });
  newest().tell("close", { code: 1006, reason: "" });
  clock.advance(500);
  newest().welcome();
  expect(newest().sent).toMatchObject([
    { data: { turn_detection: { silence_threshold: 1 } } },
    { data: { turn_detection: { mode: "adaptive" } } },
  ]);
});

const INITIAL = { emotion_detection: { enabled: false } };
const CHANGE = { turn_detection: { silence_threshold: 1 } };
const WRONG = { turn_detection: { silence_threshold: 80 } };

/** The server's answer to settings. */
function refuse(socket: FakeSocket, index: number): void {
  const { message_id } = socket.sent.at(index) as { message_id: string };
  socket.say("error", {
    error_code: "INVALID_SETTINGS",
    error_message: "Wrong.",
    details: { reply_to: message_id },
  });
}

test("a change before the server's first answer is sent after the initial settings", async () => {
  const { client, clock, newest } = onFakes({ settings: INITIAL });
  client.on("state", (state) => {
    if (state === "connected" && newest().url === first) client.configure(CHANGE);
  });
  const connecting = client.connect();
  const first = newest().url;
  newest().welcome();
  await connecting;
  expect(newest().sent).toMatchObject([{ data: INITIAL }, { data: CHANGE }]);
  newest().accept();
  newest().tell("close", { code: 1006, reason: "" });
  clock.advance(500);
  newest().welcome();
  expect(newest().sent).toMatchObject([{ data: { ...INITIAL, ...CHANGE } }]);
  expect(newest().sent).toHaveLength(1);
});

test("changes that the server has not yet accepted are sent one by one, so that one refusal loses no other change", async () => {
  const { client, clock, newest, ended } = onFakes({ settings: INITIAL });
  const connecting = client.connect();
  newest().welcome();
  await connecting;
  const lose = () => newest().tell("close", { code: 1006, reason: "" });
  client.configure(WRONG);
  lose();
  client.configure({ response_style: { tone: "calm" } });
  clock.advance(500);
  client.configure(CHANGE);
  newest().welcome();
  const sent = [{ data: INITIAL }, { data: WRONG }, { data: { response_style: { tone: "calm" } } }, { data: CHANGE }];
  expect(newest().sent).toMatchObject(sent);
  // The connection is lost again before the server answers any of them.
  lose();
  clock.advance(1000);
  newest().tell("message", { data: welcomeFrames()[0] });
  expect(newest().sent).toMatchObject(sent);
  refuse(newest(), 1);
  for (let answered = 0; answered < 3; answered += 1) newest().accept();
  expect(client.state).toBe("ready");
  lose();
  clock.advance(2000);
  newest().welcome();
  expect(newest().sent).toHaveLength(1);
  expect(newest().sent[0]).toMatchObject({ data: { ...INITIAL, response_style: { tone: "calm" }, ...CHANGE } });
  expect(ended).toEqual([]);
});

test("initial settings that the server refuses end the client, and later ones only report an error", async () => {
  const wrong = { error_code: "INVALID_SETTINGS", error_message: "Wrong.", details: { field: "data.x" } };
  const first = onFakes();
  const connecting = first.client.connect();
  const [metadata] = welcomeFrames();
  first.newest().tell("message", { data: metadata });
  first.newest().say("error", wrong);
  await expect(connecting).rejects.toBeInstanceOf(CallError);

  const second = onFakes();
  const errors: CallError[] = [];
  second.client.on("error", (error) => errors.push(error));
  const ready = second.client.connect();
  second.newest().welcome();
  await ready;
  second.newest().say("error", wrong);
  expect(errors).toMatchObject([{ code: "INVALID_SETTINGS", details: { field: "data.x" } }]);
  expect(second.client.state).toBe("ready");
});

function welcomeFrames(): string[] {
  const frames: string[] = [];
  const socket = new FakeSocket("");
  socket.addEventListener("message", ({ data }: { data: string }) => frames.push(data));
  socket.welcome();
  return frames;
}

test("a silent connection is closed after two keep-alive intervals", async () => {
  const { client, clock, newest, states } = onFakes({ keepAliveMs: 1000 });
  const connecting = client.connect();
  newest().welcome();
  await connecting;
  clock.advance(1000);
  expect(newest().sent.at(-1)).toMatchObject({ type: "keep_alive" });
  newest().say("voice_activity", { activity_level: 0, background_noise_level: 0 });
  clock.advance(1999);
  expect(states.at(-1)).toBe("ready");
  clock.advance(1);
  expect(states.at(-1)).toBe("waiting");
  expect(newest().isClosed).toBe(true);
});

test("an unreadable message ends the client", async () => {
  const { client, newest, ended } = onFakes();
  const connecting = client.connect();
  newest().tell("message", { data: "{" });
  await expect(connecting).rejects.toBeInstanceOf(ProtocolError);
  expect(ended).toHaveLength(1);
});

test("audio is dropped when the network is too slow", async () => {
  const { client, newest } = onFakes();
  const connecting = client.connect();
  newest().welcome();
  await connecting;
  newest().bufferedAmount = 250_000;
  expect(client.sendAudio(new Uint8Array(2))).toBe(false);
});

test("messages arrive by type until the client is closed", async () => {
  const { client, newest } = onFakes();
  const connecting = client.connect();
  newest().welcome();
  await connecting;
  const read: string[] = [];
  const reading = (async () => {
    for await (const { data } of client.messages("turn_start", "turn_end")) read.push(data.turn_id);
  })();
  newest().say("turn_start", { turn_id: "1", interrupted_tts: false });
  newest().say("tts_interruption", { content: "" });
  newest().say("turn_end", { turn_id: "2", duration: 1, is_complete: true, confidence: 1, transcript: "" });
  await Promise.resolve();
  client.close();
  await reading;
  expect(read).toEqual(["1", "2"]);
});

test("a reader that leaves its loop gets nothing more, and a reader that is too slow gets an error", async () => {
  const { client, newest } = onFakes();
  const connecting = client.connect();
  newest().welcome();
  await connecting;
  const idle = client.messages("voice_activity");
  for (let sent = 0; sent < 1001; sent += 1)
    newest().say("voice_activity", { activity_level: 0, background_noise_level: 0 });
  const read = async () => {
    for await (const message of idle) expect(message.type).toBe("voice_activity");
  };
  await expect(read()).rejects.toMatchObject({ code: "READER_TOO_SLOW" });
  const one = client.messages("tts_interruption");
  newest().say("tts_interruption", { content: "" });
  for await (const message of one) {
    expect(message.content).toBe("");
    break;
  }
  expect(await one.next()).toEqual({ done: true, value: undefined });
});

/** Starts a server that answers the handshake with one write, and returns its address. */
function answering(answer: (key: string) => Buffer): Promise<string> {
  const server = createServer((socket) => {
    cleanUp.push(() => socket.destroy());
    socket.once("data", (request) => {
      socket.write(answer(/sec-websocket-key: (.*)\r\n/i.exec(request.toString())?.[1] ?? ""));
    });
  });
  cleanUp.push(() => server.close());
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`ws://127.0.0.1:${String((server.address() as AddressInfo).port)}/`));
  });
}

const ACCEPT_SALT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

function upgradeWithMessage(key: string): Buffer {
  const accept = createHash("sha1")
    .update(key + ACCEPT_SALT)
    .digest("base64");
  const head = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
  const message = Buffer.from(encodeServerMessage("tts_interruption", { content: "" }, 0));
  return Buffer.concat([Buffer.from(head), Buffer.of(0x81, 126, message.length >> 8, message.length & 255), message]);
}

test("a message that arrives with the handshake is not lost", async () => {
  const url = await answering(upgradeWithMessage);
  const client = new VoiceClient({ address: () => url, ...onNode() });
  cleanUp.push(() => client.close());
  const seen = new Promise((resolve) => client.on("tts_interruption", resolve));
  client.connect().catch(() => undefined);
  expect(await seen).toMatchObject({ content: "" });
});

test("a refused handshake is reported with the server's answer", async () => {
  const url = await answering(() => Buffer.from("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"));
  const client = new VoiceClient({ address: () => url, ...onNode() });
  await expect(client.connect()).rejects.toThrow("404");
});

test("the error names the remedy on a platform without WebSocket", async () => {
  const client = new VoiceClient({ address: () => "ws://box/", openSocket: () => fail() });
  await expect(client.connect()).rejects.toMatchObject({ code: "BAD_ADDRESS" });
});

function fail(): never {
  throw new SyntaxError("not a URL");
}
