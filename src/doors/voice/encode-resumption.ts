import type { Restored } from "../../conversation/session/session-interface.ts";
import type { Resumption } from "../door.ts";
import type { ResumedState, ResumptionFields } from "./server-messages.ts";

/** The fields of `connection_metadata` about resuming. */
export function encodeResumption({ token, seconds, restored, refusal }: Resumption): ResumptionFields {
  return {
    ...(token === undefined || seconds === undefined ? {} : { resume_token: token, resume_seconds: seconds }),
    ...(restored === undefined ? {} : { resumed: encodeRestored(restored) }),
    ...(refusal === undefined ? {} : { resumed: false, resume_refused: refusal }),
  };
}

function encodeRestored({ messages, unansweredWords, reply, calls, timers }: Restored): ResumedState {
  return {
    messages,
    ...(unansweredWords === "" ? {} : { unanswered_words: unansweredWords }),
    ...(reply === undefined
      ? {}
      : {
          reply: {
            text: reply.text,
            heard_duration: reply.heardMs / 1000,
            heard_characters: reply.heardChars,
            ...(reply.continuesAt === undefined ? {} : { continues_at: reply.continuesAt }),
          },
        }),
    tools: calls.map(({ id: call_id, name, isClients }) => ({
      call_id,
      name,
      run_by: isClients ? "client" : "server",
    })),
    timers: timers.map(({ kind, label, leftMs }) => ({ kind, label, rings_in: leftMs / 1000 })),
  };
}
