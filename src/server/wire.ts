import { WebSocket } from "ws";
import type { ClientPort } from "../conversation/session-interface.ts";
import { encodeServerMessage, type ServerData, type ServerMessageType } from "../doors/voice/server-messages.ts";
import type { Clock } from "../shared/clock.ts";
import { FATAL_ERRORS, type FatalErrorCode } from "./codes.ts";
import { TokenBucket } from "./token-bucket.ts";

const ERROR_BURST = 20;
const ERRORS_PER_SECOND = 2;

/** The sending half of a connection: bounded, silent once the socket is closing. */
export class Wire implements ClientPort {
  readonly #socket: WebSocket;
  readonly #maxOutboundBytes: number;
  readonly #clock: Clock;
  readonly #onFail: (code: FatalErrorCode) => void;
  readonly #errors: TokenBucket;
  #suppressedErrors = 0;

  /** @param onFail Called once `fail` has started to close the socket, and when its reader is too slow. */
  constructor(socket: WebSocket, maxOutboundBytes: number, clock: Clock, onFail: (code: FatalErrorCode) => void) {
    this.#socket = socket;
    this.#maxOutboundBytes = maxOutboundBytes;
    this.#clock = clock;
    this.#onFail = onFail;
    this.#errors = new TokenBucket(ERROR_BURST, ERRORS_PER_SECOND, clock.nowMs());
  }

  send<Type extends ServerMessageType>(type: Type, data: ServerData[Type]): void {
    if (type === "error") {
      const { error_code, error_message, details } = data as ServerData["error"];
      this.error(error_code, error_message, details);
    } else {
      this.#write(type, data);
    }
  }

  /** At most 20 at once and 2 a second; the next one through says how many were left out. */
  error(code: string, message: string, details: Readonly<Record<string, unknown>> = {}): void {
    if (!this.#errors.take(1, this.#clock.nowMs())) {
      this.#suppressedErrors += 1;
      return;
    }
    const suppressed = this.#suppressedErrors === 0 ? {} : { suppressed_errors: this.#suppressedErrors };
    this.#suppressedErrors = 0;
    this.#write("error", { error_code: code, error_message: message, details: { ...details, ...suppressed } });
  }

  /** The last `error` message, then the close frame. */
  fail(code: FatalErrorCode, message: string): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#write("error", { error_code: code, error_message: message, details: {} });
    this.#close(code);
  }

  #write<Type extends ServerMessageType>(type: Type, data: ServerData[Type]): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    // A reader this slow would not get an error message either; the close frame's code must do.
    if (this.#socket.bufferedAmount > this.#maxOutboundBytes) this.#close("CLIENT_TOO_SLOW");
    else this.#socket.send(encodeServerMessage(type, data, Date.now()));
  }

  #close(code: FatalErrorCode): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#socket.close(FATAL_ERRORS[code], code);
    this.#onFail(code);
  }
}
