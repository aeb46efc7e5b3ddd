import { LostError, VoiceError } from "../client/errors.ts";

const WITHOUT = "“Without a microphone” works now: it can play a sample question or a recording.";

/** Explains an error to the user of the page, and what to do. */
export function explain(error: unknown): string {
  if (error instanceof DOMException) return explainMicrophone(error);
  if (!(error instanceof VoiceError)) return String(error);
  switch (error.code) {
    case "MISSING_CREDENTIALS":
    case "INVALID_API_KEY":
      return "The server does not know this key. The line that the server prints at its start contains one. “oakvoice keys create” makes another.";
    case "CREDENTIALS_REVOKED":
      return "The key was revoked while you were talking.";
    case "CONFIG_NOT_ALLOWED":
    case "PROJECT_MISMATCH":
      return "The key belongs to another configuration. Type that one’s name as “Voice configuration”, or use another key.";
    case "SERVER_BUSY":
      return "All calls are in use. Try again when a call has ended.";
    case "KEY_CONNECTIONS_EXCEEDED":
      return "All calls of this key are in use. Try again when one of them has ended.";
    case "SERVER_SHUTDOWN":
      return "The server is stopping.";
    case "IDLE_TIMEOUT":
      return "The call was ended because nothing was sent for too long.";
    default:
      return error instanceof LostError ? "The server cannot be reached. Is it running?" : error.message;
  }
}

function explainMicrophone({ name, message }: DOMException): string {
  if (name === "NotAllowedError")
    return `The browser does not let this page use the microphone. Click the sign beside the address, allow the microphone, and press “Start talking” again. ${WITHOUT}`;
  if (name === "NotFoundError")
    return `No microphone was found. Connect one, and press “Start talking” again. ${WITHOUT}`;
  if (name === "NotReadableError")
    return `The microphone cannot be read. Another program may be using it: close that one, and press “Start talking” again. ${WITHOUT}`;
  return message;
}

/** How a page over plain http from another machine can use a microphone. */
export function secureAddress(): string {
  return `https://${location.host}/`;
}
