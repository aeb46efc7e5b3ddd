import { WebSocket } from "ws";
import { serverMessageSchema, type ServerMessage } from "../doors/voice/server-messages.ts";
import type { OpenSocket, OpenSocketWith } from "./socket.ts";

export interface NodeParts {
  readonly openSocket: OpenSocket;
  readonly parse: (text: string) => ServerMessage;
}

/** The `ws` package's WebSocket with subprotocols. */
export const openNodeSocket: OpenSocketWith = (url, protocols) =>
  new WebSocket(url, [...protocols], { perMessageDeflate: false });

/**
 * Options of a `VoiceClient` on Node: the `ws` package, and a check of every message against its schema.
 * @param headers Headers of the handshake, such as `Authorization`.
 */
export function onNode(headers: Readonly<Record<string, string>> = {}): NodeParts {
  return {
    openSocket: (url) => new WebSocket(url, { headers: { ...headers }, perMessageDeflate: false }),
    parse: (text) => serverMessageSchema.parse(JSON.parse(text)),
  };
}
