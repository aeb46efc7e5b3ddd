/** Close codes for frames and messages that stay wrong when they are sent again. */
const CLIENT_FAULTS: readonly number[] = [1002, 1007, 1009];

/** Everything that ends a connection, or goes wrong in one. `code` is of docs/protocol.md, or one of the client's own. */
export class VoiceError extends Error {
  readonly code: string;
  /** Whether connecting again, unchanged, may help. */
  readonly canRetry: boolean;

  constructor(code: string, message: string, canRetry: boolean, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
    this.canRetry = canRetry;
  }
}

/** The server said why it does not take the connection, or ends it. */
export class RefusedError extends VoiceError {
  readonly closeCode: number;

  constructor(code: string, message: string, closeCode: number) {
    super(code, message, isPassing(code, closeCode));
    this.closeCode = closeCode;
  }
}

/** The connection broke, or was never made; nobody said why. `CONNECTION_LOST`. */
export class LostError extends VoiceError {
  /** 1006 when there was no close frame. */
  readonly closeCode: number;

  constructor(message: string, closeCode: number) {
    super("CONNECTION_LOST", message, !CLIENT_FAULTS.includes(closeCode));
    this.closeCode = closeCode;
  }
}

/** What came is not of this protocol. `BAD_MESSAGE`. */
export class ProtocolError extends VoiceError {
  constructor(cause: unknown) {
    super("BAD_MESSAGE", `The server sent what cannot be read: ${String(cause)}`, false, cause);
  }
}

/** An `error` message. The connection stays open, or a `RefusedError` says why it does not and whether to try again. */
export class CallError extends VoiceError {
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, details: Readonly<Record<string, unknown>>) {
    super(code, message, false);
    this.details = details;
  }
}

/** Credentials, names and requests stay wrong however often they are sent. A model has to be loaded by the operator. */
function isPassing(code: string, closeCode: number): boolean {
  return ![...CLIENT_FAULTS, 4400, 4401, 4403, 4404].includes(closeCode) && code !== "MODEL_NOT_LOADED";
}
