/**
 * The lower bound of `bench:profile`. A process with Node and `ws` that receives the messages of a recorded call, wakes when
 * the server sent a message, and sends the same message. It does not process audio.
 */
import type { AddressInfo } from "node:net";
import { WebSocketServer, type WebSocket } from "ws";
import {
  encodeServerMessage,
  type ServerData,
  type ServerMessage,
  type ServerMessageType,
} from "../../src/doors/voice/server-messages.ts";
import type { Carried } from "./recorded-call.ts";

/** Messages for the connections `/0`, `/1` and so on. */
export type ToBareServer = readonly (readonly Carried[])[];
export type FromBareServer = { readonly port: number } | "ready";

interface Answer {
  readonly atMs: number;
  readonly type: ServerMessageType;
  readonly data: ServerData[ServerMessageType];
  /** Audio of a `tts_chunk`. */
  readonly pcm: Buffer | undefined;
}

let calls: readonly (readonly Answer[])[] = [];

process.on("message", (recorded: ToBareServer) => {
  calls = recorded.map((answers) => answers.map(readAnswer));
  process.send?.("ready" satisfies FromBareServer);
});

function readAnswer({ atMs, data: text }: Carried): Answer {
  const message = JSON.parse(String(text)) as ServerMessage;
  const data = "data" in message ? message.data : { content: message.content };
  const pcm = message.type === "tts_chunk" ? Buffer.from(message.content, "base64") : undefined;
  return { atMs, type: message.type, data, pcm };
}

/** Answers within this time of a message are sent together with it, as the real server does. */
const AT_ONCE_MS = 5;

function serve(socket: WebSocket, answers: readonly Answer[]): void {
  const openedMs = performance.now();
  let next = 0;
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    clearTimeout(timer);
    for (let answer; (answer = answers[next]) !== undefined; next += 1) {
      const dueInMs = openedMs + answer.atMs - performance.now();
      if (dueInMs > AT_ONCE_MS) {
        timer = setTimeout(send, dueInMs);
        return;
      }
      const { type, data, pcm } = answer;
      const said = pcm === undefined ? data : { content: pcm.toString("base64") };
      socket.send(encodeServerMessage(type, said, Date.now()));
    }
  };
  socket.on("message", (data: Buffer, isBinary) => {
    if (!isBinary) {
      const { data: payload } = JSON.parse(data.toString()) as { readonly data?: { readonly audio?: string } };
      if (payload?.audio !== undefined) Buffer.from(payload.audio, "base64");
    }
    send();
  });
  send();
}

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
server.on("listening", () => {
  process.send?.({ port: (server.address() as AddressInfo).port } satisfies FromBareServer);
});
server.on("connection", (socket, { url = "" }) => serve(socket, calls[Number(url.slice(1))] ?? []));
process.on("disconnect", () => process.exit());
