import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import { discardInput } from "../http/discard-input.ts";

/** A WebSocket that stops parsing when it closes, and gives the reason in each close frame that it sends first. */
export class CallSocket extends WebSocket {
  /** Called when `ws` finds a breach of the WebSocket protocol (close codes 1002, 1007, 1008, 1009); it must close. */
  onBreach: ((code: number) => void) | undefined;
  #stream: Duplex | undefined;
  #endCode: number | undefined;

  /** The code of the close frame that this server sent first; undefined while it sent none. */
  get endCode(): number | undefined {
    return this.#endCode;
  }

  /** @param stream The socket of the handshake. */
  attach(stream: Duplex): this {
    this.#stream = stream;
    return this;
  }

  override close(code?: number, reason?: string | Buffer): void {
    const isOpen = this.readyState === WebSocket.OPEN;
    if (isOpen && code !== undefined && reason === undefined && this.onBreach !== undefined) {
      this.onBreach(code);
      return;
    }
    super.close(code, reason);
    if (!isOpen || this.#stream === undefined) return;
    // Without this, `ws` would parse and count frames for as long as it waits for the other side's close frame.
    discardInput(this.#stream);
    // `ws` answers a client's close frame by itself, and passes its reason on as a Buffer or not at all.
    if (typeof reason !== "string") return;
    this.#endCode = code;
    this.#stream.end();
  }
}
