/** Close codes after which the same messages would fail again. */
const CLIENT_FAULTS: readonly number[] = [1002, 1007, 1009];

/** Base of all errors of the client. `code` is one of docs/protocol.md, or the client's own. */
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

/** The server refused or ended the connection and gave the reason. */
export class RefusedError extends VoiceError {
  readonly closeCode: number;

  constructor(code: string, message: string, closeCode: number) {
    super(code, message, isPassing(code, closeCode));
    this.closeCode = closeCode;
  }
}

/** The connection broke or could not be made, without a reason. `CONNECTION_LOST`. */
export class LostError extends VoiceError {
  /** 1006: no close frame. */
  readonly closeCode: number;

  constructor(message: string, closeCode: number) {
    super("CONNECTION_LOST", message, !CLIENT_FAULTS.includes(closeCode));
    this.closeCode = closeCode;
  }
}

/** A message is not part of this protocol. `BAD_MESSAGE`. */
export class ProtocolError extends VoiceError {
  constructor(cause: unknown) {
    super("BAD_MESSAGE", `The server sent an unreadable message: ${String(cause)}`, false, cause);
  }
}

/** An `error` message. The connection stays open, or a `RefusedError` follows. */
export class CallError extends VoiceError {
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, details: Readonly<Record<string, unknown>>) {
    super(code, message, false);
    this.details = details;
  }
}

/** Errors that another attempt cannot fix: wrong credentials, names or requests, or a model that the operator must load. */
function isPassing(code: string, closeCode: number): boolean {
  return ![...CLIENT_FAULTS, 4400, 4401, 4403, 4404].includes(closeCode) && code !== "MODEL_NOT_LOADED";
}
