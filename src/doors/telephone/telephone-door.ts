import { FATAL_ERRORS } from "../../shared/error-codes.ts";
import type { Door } from "../door.ts";
import { fatalErrors, type FatalErrorCode } from "../fatal-errors.ts";
import type { CallProtocol } from "./call-protocol.ts";
import { telephoneRequest } from "./connect-request.ts";
import { TelephoneCall } from "./telephone-call.ts";

const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

/** A door for telephone systems. They read no error message, only the close code and its reason. */
export const telephoneDoor = (protocol: CallProtocol): Door => ({
  matches: (url) => protocol.matches(url),
  connectRequest: (handshake) => telephoneRequest(handshake, protocol),
  open: (line) => new TelephoneCall(line, protocol),
  lastFrame: () => undefined,
  closeCodes: Object.fromEntries(
    fatalErrors.map((code) => [code, FATAL_ERRORS[code].retryable ? TRY_AGAIN_LATER : POLICY_VIOLATION]),
  ) as Record<FatalErrorCode, number>,
  idleAdvice: "a telephone system sends audio while the call lasts",
});
