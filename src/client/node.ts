import { WebSocket } from "ws";
import { serverMessageSchema, type ServerMessage } from "../doors/voice/server-messages.ts";
import type { OpenSocket } from "./socket.ts";

export interface NodeParts {
  readonly openSocket: OpenSocket;
  readonly parse: (text: string) => ServerMessage;
}

/**
 * What a `VoiceClient` needs on Node: the `ws` package, and every message checked against its schema.
 * @param headers For the handshake, such as `Authorization`.
 */
export function onNode(headers: Readonly<Record<string, string>> = {}): NodeParts {
  return {
    openSocket: (url) => new WebSocket(url, { headers: { ...headers }, perMessageDeflate: false }),
    parse: (text) => serverMessageSchema.parse(JSON.parse(text)),
  };
}
