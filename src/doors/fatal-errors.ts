import type { ErrorCode } from "../shared/error-codes.ts";

/** Errors that end a connection, whatever protocol it speaks. docs/protocol.md explains each. */
const FATAL_ERRORS = [
  "INVALID_CONNECT_REQUEST",
  "MISSING_CREDENTIALS",
  "INVALID_API_KEY",
  "INVALID_TOKEN",
  "TOKEN_EXPIRED",
  "CREDENTIALS_REVOKED",
  "PROJECT_MISMATCH",
  "CONFIG_NOT_ALLOWED",
  "CONFIG_NOT_FOUND",
  "IDLE_TIMEOUT",
  "CONNECTION_ID_IN_USE",
  "CLIENT_TOO_SLOW",
  "AUDIO_RATE_EXCEEDED",
  "MESSAGE_RATE_EXCEEDED",
  "PROTOCOL_ERROR",
  "INVALID_TEXT",
  "TOO_MANY_FRAGMENTS",
  "MESSAGE_TOO_LARGE",
  "MODEL_NOT_LOADED",
  "SERVER_BUSY",
  "KEY_CONNECTIONS_EXCEEDED",
  "SERVER_SHUTDOWN",
  "INTERNAL_ERROR",
] as const satisfies readonly ErrorCode[];

export type FatalErrorCode = (typeof FATAL_ERRORS)[number];

export const fatalErrors: readonly FatalErrorCode[] = FATAL_ERRORS;

export const isFatalErrorCode = (code: string): code is FatalErrorCode => fatalErrors.some((fatal) => fatal === code);
