import type { Door } from "../door.ts";
import { CLOSE_CODES } from "../close-codes.ts";
import { isRealtimePath, parseConnectRequest } from "./connect/connect-request.ts";
import { errorOf } from "./server/errors.ts";
import { newId } from "./items/ids.ts";
import { RealtimeCall } from "./realtime-call.ts";

/** OpenAI Realtime (GA) over WebSocket: `/v1/realtime`, described in docs/realtime.md. */
export const realtimeDoor = (): Door => ({
  matches: isRealtimePath,
  connectRequest: parseConnectRequest,
  open: (line) => new RealtimeCall(line),
  lastFrame: (code, message) => JSON.stringify({ type: "error", event_id: newId("event"), ...errorOf(code, message) }),
  closeCodes: CLOSE_CODES,
  idleAdvice: "answer pings, or send any event while idle",
  isAliveByPong: true,
  takesPreset: true,
});
