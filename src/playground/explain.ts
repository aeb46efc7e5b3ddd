import { LostError, VoiceError } from "../client/errors.ts";

/** What an error means for the person in front of the page, and what to do. */
export function explain(error: unknown): string {
  if (error instanceof DOMException) return explainMicrophone(error);
  if (!(error instanceof VoiceError)) return String(error);
  switch (error.code) {
    case "MISSING_CREDENTIALS":
    case "INVALID_API_KEY":
      return "This box does not know the key. The line that the server prints at its start carries one; “oakvoice keys create” makes another.";
    case "CREDENTIALS_REVOKED":
      return "The key was revoked while you were talking.";
    case "CONFIG_NOT_FOUND":
      return "There is no voice configuration of that name on this box; “default” always exists.";
    case "CONFIG_NOT_ALLOWED":
    case "PROJECT_MISMATCH":
      return "The key is meant for another configuration.";
    case "SERVER_BUSY":
      return "All places are taken. Try again when a call has ended.";
    case "KEY_CONNECTIONS_EXCEEDED":
      return "All places of this key are taken. Try again when one of its calls has ended.";
    case "SERVER_SHUTDOWN":
      return "The server is stopping.";
    case "IDLE_TIMEOUT":
      return "The call was ended, for nothing was sent for too long.";
    default:
      return error instanceof LostError ? "The box cannot be reached. Is the server running?" : error.message;
  }
}

function explainMicrophone({ name, message }: DOMException): string {
  if (name === "NotAllowedError")
    return "The browser does not let this page use the microphone. Allow it beside the address.";
  if (name === "NotFoundError") return "No microphone was found. A recording works without one.";
  if (name === "NotReadableError") return "The microphone is in use by another program.";
  return message;
}

/** How a page that came over plain http from another machine can be given a microphone. */
export function secureAddress(): string {
  return `https://${location.host}/`;
}
