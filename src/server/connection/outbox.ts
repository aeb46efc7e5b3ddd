import { WebSocket } from "ws";
import type { Door } from "../../doors/door.ts";
import type { FatalErrorCode } from "../../doors/fatal-errors.ts";

const NORMAL_CLOSURE = 1000;

export interface OutboxOptions {
  readonly socket: WebSocket;
  readonly door: Pick<Door, "lastFrame" | "closeCodes">;
  readonly maxBytes: number;
  /** Called once a close frame is on its way. */
  readonly onEnd: () => void;
}

/** The sending half of a connection. It is bounded, and does not send when the socket closes. */
export class Outbox {
  readonly #options: OutboxOptions;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  send(frame: string | Uint8Array): void {
    const { socket, maxBytes } = this.#options;
    if (socket.readyState !== WebSocket.OPEN) return;
    // A client that reads this slowly would not get an error message either, only the code of the close frame.
    if (socket.bufferedAmount > maxBytes) this.#close("CLIENT_TOO_SLOW");
    else socket.send(frame);
  }

  /** Sends the last frame with the reason, then closes. */
  fail(code: FatalErrorCode, message: string): void {
    const { socket, door } = this.#options;
    if (socket.readyState !== WebSocket.OPEN) return;
    const frame = door.lastFrame(code, message);
    if (frame !== undefined) this.send(frame);
    this.#close(code);
  }

  /** Closes without an error. */
  end(closeCode = NORMAL_CLOSURE, reason = ""): void {
    this.#closeWith(closeCode, reason);
  }

  #close(code: FatalErrorCode): void {
    this.#closeWith(this.#options.door.closeCodes[code], code);
  }

  #closeWith(closeCode: number, reason: string): void {
    const { socket, onEnd } = this.#options;
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.close(closeCode, reason);
    onEnd();
  }
}
