import { FATAL_ERRORS } from "../../shared/error-codes.ts";
import { POLICY_VIOLATION } from "../close-codes.ts";
import type { Door } from "../door.ts";
import { fatalErrors, type FatalErrorCode } from "../fatal-errors.ts";
import type { CallProtocol } from "./call-protocol.ts";
import { telephoneRequest } from "./connect-request.ts";
import { TelephoneCall } from "./telephone-call.ts";

const TRY_AGAIN_LATER = 1013;
/** Codes that RFC 6455 has. */
const OWN_CODES: { readonly [Code in FatalErrorCode]?: number } = {
  SERVER_SHUTDOWN: 1001,
  PROTOCOL_ERROR: 1002,
  INVALID_TEXT: 1007,
  MESSAGE_TOO_LARGE: 1009,
  INTERNAL_ERROR: 1011,
};

const closeCode = (code: FatalErrorCode): number =>
  OWN_CODES[code] ?? (FATAL_ERRORS[code].retryable ? TRY_AGAIN_LATER : POLICY_VIOLATION);

/** A door for telephone systems. They read no error message, only the close code and its reason. */
export const telephoneDoor = (protocol: CallProtocol): Door => ({
  matches: (url) => protocol.matches(url),
  connectRequest: (handshake) => telephoneRequest(handshake, protocol),
  open: (line) => new TelephoneCall(line, protocol),
  lastFrame: () => undefined,
  closeCodes: Object.fromEntries(fatalErrors.map((code) => [code, closeCode(code)])) as Record<FatalErrorCode, number>,
  idleAdvice: "a telephone system sends audio while the call lasts",
});
