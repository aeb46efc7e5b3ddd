import { randomUUID } from "node:crypto";
import { WebSocket } from "ws";
import { serverMessageSchema, type ServerMessage } from "../protocol/server-messages.ts";
import type { SessionSettingsPatch } from "../protocol/session-settings.ts";

export interface VoiceClientOptions {
  /** `ws://host:port/ws/voice/{connection_id}?...`, credentials included. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called for each server message, in order. */
  readonly onMessage: (message: ServerMessage) => void;
  readonly onClose: (code: number, reason: string) => void;
}

/** A thin client of the interface: envelopes out, validated messages in. */
export class VoiceClient {
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** Resolves when the socket is open; rejects with what the server or the network said, and calls nothing then. */
  static async connect({ url, headers, onMessage, onClose }: VoiceClientOptions): Promise<VoiceClient> {
    const socket = new WebSocket(url, { headers: { ...headers }, perMessageDeflate: false });
    await new Promise<void>((resolve, reject) => {
      socket.once("open", () => {
        // The first message may come with the handshake, before whoever waits here holds the client.
        socket.pause();
        resolve();
      });
      socket.once("error", reject);
    });
    // One text frame arrives as one Buffer: the socket's default.
    socket.on("message", (data: Buffer, isBinary) => {
      if (!isBinary) onMessage(serverMessageSchema.parse(JSON.parse(data.toString("utf8"))));
    });
    socket.on("close", (code, reason) => onClose(code, reason.toString()));
    socket.on("error", () => socket.terminate());
    setImmediate(() => socket.resume());
    return new VoiceClient(socket);
  }

  configure(data: SessionSettingsPatch): void {
    this.#send("session_settings", data);
  }

  keepAlive(): void {
    this.#send("keep_alive");
  }

  /** PCM 16-bit little-endian mono 24 kHz. */
  sendAudio(pcm: Uint8Array): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(pcm);
  }

  close(): void {
    this.#socket.close(1000);
  }

  #send(type: string, data?: unknown): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const envelope = { type, timestamp: Date.now() / 1000, message_id: randomUUID() };
    this.#socket.send(JSON.stringify(data === undefined ? envelope : { ...envelope, data }));
  }
}
