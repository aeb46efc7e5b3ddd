import { randomUUID } from "node:crypto";
import { WebSocket } from "ws";

export type RawMessage = Record<string, unknown>;

/** A client without code of src/. It sends and returns messages unchecked. */
export class RawClient {
  readonly messages: RawMessage[] = [];
  /** Resolves with the close frame's code. */
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  #isClosed = false;
  #wake: () => void = () => undefined;

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.#socket = new WebSocket(url, { headers });
    this.#socket.on("message", (data: Buffer) => {
      this.messages.push(JSON.parse(data.toString("utf8")) as RawMessage);
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      this.#socket.on("close", (code) => {
        this.#isClosed = true;
        this.#wake();
        resolve(code);
      });
    });
  }

  send(type: string, data?: unknown): string {
    const message_id = randomUUID();
    const message = { type, timestamp: Date.now() / 1000, message_id };
    this.sendFrame(JSON.stringify(data === undefined ? message : { ...message, data }));
    return message_id;
  }

  sendFrame(frame: string | Buffer): void {
    this.#socket.send(frame);
  }

  /** The `count`th message of this type. */
  async until(type: string, count = 1): Promise<RawMessage> {
    for (;;) {
      const found = this.messages.filter((message) => message["type"] === type);
      if (found.length >= count) return found[count - 1] ?? {};
      if (this.#isClosed) throw new Error(`closed while waiting for ${type}; got ${JSON.stringify(this.messages)}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  close(): void {
    this.#socket.close();
  }
}
