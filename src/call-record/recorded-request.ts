import type { Emit } from "../conversation/events.ts";
import type { SessionRequest } from "../conversation/session/session-interface.ts";
import type { CallRecorder } from "./call-recorder.ts";

/** The request for a session whose record gets each event before `emit` does. */
export function recordedRequest(recorder: CallRecorder, request: SessionRequest, emit: Emit): SessionRequest {
  return {
    get connectionId() {
      return request.connectionId;
    },
    owner: request.owner,
    traceparent: request.traceparent,
    voice: recorder.voice,
    emit: (event) => {
      recorder.take(event);
      emit(event);
      if (event.type === "ready") recorder.start();
    },
    onFault: (error) => {
      recorder.endsBy("failed");
      request.onFault(error);
    },
  };
}
