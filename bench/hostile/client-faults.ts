import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { quantile } from "../../src/simulated-callers/statistics.ts";
import { answered, must, type Fault } from "./fault.ts";
import type { ServerProcess } from "./server-process.ts";

const ASKED = 5;
const SLOWEST = 1.5;
/** Two cores share the load of attacker and server. */
const SLACK_MS = 300;

type Attacker = (server: ServerProcess, isOver: AbortSignal) => Promise<void>;

/** A client with a key makes work. An honest caller must be answered nearly as fast as without it. */
const flood = (name: string, attack: Attacker): Fault => ({
  name,
  async run(server, caller) {
    const ask = async () => {
      const delays: number[] = [];
      for (let asked = 0; asked < ASKED; asked += 1) delays.push((await answered(caller)).delayMs);
      return quantile(delays, 0.5);
    };
    const alone = await ask();
    const over = new AbortController();
    const attacking = attack(server, over.signal);
    await sleep(500);
    const beside = await ask().finally(() => over.abort());
    await attacking;
    must(beside <= SLOWEST * alone + SLACK_MS, `median answer ${beside.toFixed(0)} ms; alone ${alone.toFixed(0)} ms`);
    return `median of ${String(ASKED)} answers ${beside.toFixed(0)} ms; alone ${alone.toFixed(0)} ms`;
  },
});

/** Sends `frames` in turn, so many a second, until `isOver`. */
async function send(url: string, protocols: readonly string[], frames: readonly string[], perSecond: number, isOver: AbortSignal): Promise<void> {
  const socket = new WebSocket(url, [...protocols]);
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("open", resolve));
  for (let sent = 0; !isOver.aborted && socket.readyState === WebSocket.OPEN; sent += 1) {
    socket.send(frames[Math.min(sent, 1 + (sent % Math.max(1, frames.length - 1)))] ?? "");
    await sleep(1_000 / perSecond);
  }
  socket.terminate();
} // prettier-ignore

const schemas = (parameters: object): Attacker => {
  const tools = [{ type: "function", name: "x", parameters }];
  const frames = [
    JSON.stringify({ type: "session.update", session: { type: "realtime", tools, tool_choice: "required" } }),
    JSON.stringify({ type: "session.update", session: { type: "realtime", tools, tool_choice: "required" } }),
    JSON.stringify({ type: "response.create" }),
    JSON.stringify({ type: "response.cancel" }),
  ];
  return (server, isOver) => send(`${server.url}/v1/realtime?api_key=${server.key}`, [], frames, 10, isOver);
};

let deep: object = { type: "string" };
for (let level = 0; level < 45; level += 1) deep = { type: ["array", "array"], items: deep };
const list = { type: "array", minItems: 1, items: { $ref: "#/$defs/a" } };
const ambiguous = {
  type: "object",
  required: ["a"],
  properties: { a: { $ref: "#/$defs/a" } },
  $defs: { a: { anyOf: Array.from({ length: 16 }, (_, at) => ({ ...list, maxItems: 30 + at })) } },
};

const keys: Attacker = (server, isOver) =>
  send(
    `${server.url}/ws/asterisk?api_key=${server.key}`,
    ["media"],
    [
      '{"event":"MEDIA_START","format":"slin24","optimal_frame_size":960,"channel_id":"x"}',
      '{"event":"DTMF_END","digit":"1"}',
      '{"event":"DTMF_END","digit":"#"}',
    ],
    100,
    isOver,
  );

const secrets: Attacker = async (server, isOver) => {
  const body = JSON.stringify({ session: { prompt: Array.from({ length: 15_000 }, () => ({})) } });
  const address = `${server.url.replace(/^ws/u, "http")}/v1/realtime/client_secrets`;
  while (!isOver.aborted) {
    const answer = await fetch(address, { method: "POST", headers: { authorization: `Bearer ${server.key}` }, body });
    await answer.arrayBuffer();
    await sleep(20);
  }
};

/** Three connections of one key, each with 200 new phrases for the recogniser and responses that are cancelled. */
const phrases: Attacker = async (server, isOver) => {
  const prompt = Array.from({ length: 200 }, (_, at) => `Phrase number ${String(at)}`).join(", ");
  const session = { type: "realtime", audio: { input: { transcription: { prompt } } } };
  const frames = [{ type: "session.update", session }, { type: "session.update", session }, { type: "response.create" }, { type: "response.cancel" }]; // prettier-ignore
  const url = `${server.url}/v1/realtime?api_key=${server.key}`;
  const texts = frames.map((event) => JSON.stringify(event));
  await Promise.all([1, 2, 3].map(() => send(url, [], texts, 30, isOver)));
};

export const CLIENT_FAULTS: readonly Fault[] = [
  flood("a client with a schema that grows", schemas({ type: "object", properties: { a: deep } })),
  flood("a client with an ambiguous schema", schemas(ambiguous)),
  flood("a client that presses 100 keys a second", keys),
  flood("a client that makes secrets", secrets),
  flood("a client with three connections, phrases and cancelled responses", phrases),
];
