import type { Emit } from "../../src/conversation/events.ts";
import { VoiceEncoder } from "../../src/doors/voice/encode.ts";
import type { ServerPayload } from "../../src/doors/voice/server-messages.ts";

/** The events of a session, as messages of the native interface. */
export function encoded(connectionId: string, take: (message: ServerPayload) => void): Emit {
  const encoder = new VoiceEncoder({ connectionId, nowMs: () => 0 });
  return (event) => {
    for (const message of encoder.encode(event)) take(message);
  };
}
