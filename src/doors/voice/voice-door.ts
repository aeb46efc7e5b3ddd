import type { Door } from "../door.ts";
import { CLOSE_CODES } from "../close-codes.ts";
import { isVoicePath, parseConnectRequest } from "./connect-request.ts";
import { encodeServerMessage } from "./server-messages.ts";
import { VoiceConnection } from "./voice-connection.ts";

/** The native interface: `/ws/voice/{connection_id}`, described in docs/protocol.md. */
export const voiceDoor = (): Door => ({
  matches: isVoicePath,
  connectRequest: parseConnectRequest,
  open: (line) => new VoiceConnection(line),
  lastFrame: (code, message) =>
    encodeServerMessage("error", { error_code: code, error_message: message, details: {} }, Date.now()),
  closeCodes: CLOSE_CODES,
  idleAdvice: "send keep_alive while idle",
  canResume: true,
});
