import type { SocketLike } from "../../src/client/socket.ts";
import {
  encodeServerMessage,
  type ResumptionFields,
  type ServerData,
  type ServerMessageType,
} from "../../src/doors/voice/server-messages.ts";

const AUDIO = { sample_rate: 24000, channels: 1, encoding: "linear16" } as const;

type Listener = (event: Record<string, unknown>) => void;

/** A socket whose other end is the test, so that it can lose connections at exact times. Like a real one it refuses to send until it is open. */
export class FakeSocket implements SocketLike {
  readonly url: string;
  readonly sent: (Record<string, unknown> | Uint8Array)[] = [];
  bufferedAmount = 0;
  isOpen = false;
  isClosed = false;
  closeCode: number | undefined;
  readonly #listeners: [type: string, listener: Listener][] = [];

  constructor(url: string) {
    this.url = url;
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.push([type, listener as unknown as Listener]);
  }

  send(data: string | Uint8Array): void {
    if (!this.isOpen) throw new Error("WebSocket is not open: readyState 0 (CONNECTING)");
    if (this.isClosed) return;
    this.sent.push(typeof data === "string" ? (JSON.parse(data) as Record<string, unknown>) : data);
  }

  close(code?: number): void {
    this.isClosed = true;
    this.closeCode = code;
  }

  say<Type extends ServerMessageType>(type: Type, data: ServerData[Type]): void {
    this.tell("message", { data: encodeServerMessage(type, data, 0) });
  }

  tell(type: "message" | "close" | "error", event: Record<string, unknown>): void {
    if (type === "message") this.isOpen = true;
    for (const [name, listener] of this.#listeners) if (name === type) listener(event);
  }

  /** The server's messages when it accepts a caller. */
  welcome(resumption: ResumptionFields = {}): void {
    this.say("connection_metadata", {
      ...resumption,
      connection_id: "any",
      status: "connected",
      config: { ...AUDIO, audio_format: "pcm_24khz_16bit_mono" },
      project_id: "any",
      config_id: "any",
    });
    this.accept();
  }

  /** The server's answer to settings. */
  accept(): void {
    this.say("status", { status: "ready", details: { session_settings: AUDIO } });
  }
}
