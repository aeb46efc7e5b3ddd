import type { FatalErrorCode } from "./fatal-errors.ts";

export const UNSUPPORTED_DATA = 1003;
export const POLICY_VIOLATION = 1008;

const CLOSE = {
  goingAway: 1001,
  protocolError: 1002,
  invalidText: 1007,
  policy: POLICY_VIOLATION,
  tooLarge: 1009,
  internal: 1011,
  tryAgainLater: 1013,
  badRequest: 4400,
  unauthorized: 4401,
  forbidden: 4403,
  notFound: 4404,
  idle: 4408,
  conflict: 4409,
  slowReader: 4429,
} as const;

/** A client closes with it when it has given up a connection and will come back for its session. */
export const CLIENT_LOST = 4000;

/** The close code of each error that ends a connection; docs/protocol.md has the same table. 4xxx follow the HTTP status of like meaning. */
export const CLOSE_CODES: Readonly<Record<FatalErrorCode, number>> = {
  INVALID_CONNECT_REQUEST: CLOSE.badRequest,
  MISSING_CREDENTIALS: CLOSE.unauthorized,
  INVALID_API_KEY: CLOSE.unauthorized,
  INVALID_TOKEN: CLOSE.unauthorized,
  TOKEN_EXPIRED: CLOSE.unauthorized,
  CREDENTIALS_REVOKED: CLOSE.unauthorized,
  PROJECT_MISMATCH: CLOSE.forbidden,
  CONFIG_NOT_ALLOWED: CLOSE.forbidden,
  CONFIG_NOT_FOUND: CLOSE.notFound,
  IDLE_TIMEOUT: CLOSE.idle,
  CONNECTION_ID_IN_USE: CLOSE.conflict,
  CLIENT_TOO_SLOW: CLOSE.slowReader,
  AUDIO_RATE_EXCEEDED: CLOSE.policy,
  MESSAGE_RATE_EXCEEDED: CLOSE.policy,
  PROTOCOL_ERROR: CLOSE.protocolError,
  INVALID_TEXT: CLOSE.invalidText,
  TOO_MANY_FRAGMENTS: CLOSE.policy,
  MESSAGE_TOO_LARGE: CLOSE.tooLarge,
  MODEL_NOT_LOADED: CLOSE.internal,
  SERVER_BUSY: CLOSE.tryAgainLater,
  KEY_CONNECTIONS_EXCEEDED: CLOSE.tryAgainLater,
  SERVER_SHUTDOWN: CLOSE.goingAway,
  INTERNAL_ERROR: CLOSE.internal,
};
