import { ERRORS, type ErrorCode } from "../../../shared/error-codes.ts";
import type { ServerEventData } from "./server-events.ts";

const RATE_LIMITS = new Set(["AUDIO_RATE_EXCEEDED", "KEY_RATE_EXCEEDED", "MESSAGE_RATE_EXCEEDED"]);
const SERVER_FAULTS = new Set(["INTERNAL_ERROR", "SERVER_BUSY", "SERVER_SHUTDOWN", "MODEL_NOT_LOADED"]);

/** An error of the server as the protocol writes it: `INVALID_API_KEY` becomes `invalid_api_key`. */
export function errorOf(code: string, message: string, eventId: string | null = null): ServerEventData<"error"> {
  const name = { code: code.toLowerCase(), message, param: null, event_id: eventId };
  return { error: { type: typeOf(code), ...name } };
}

function typeOf(code: string): string {
  if (RATE_LIMITS.has(code)) return "rate_limit_error";
  if (SERVER_FAULTS.has(code)) return "server_error";
  if (/API_KEY|TOKEN|CREDENTIALS/u.test(code)) return "authentication_error";
  return isTransient(code) ? "server_error" : "invalid_request_error";
}

const isTransient = (code: string): boolean => Object.hasOwn(ERRORS, code) && ERRORS[code as ErrorCode].retryable;
