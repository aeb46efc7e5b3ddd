import type { Response } from "../../../egress/egress.ts";
import type { Deadline } from "../../remote/deadline.ts";
import { answerFault, connectionFault, type RemoteModel } from "../../remote/remote-fault.ts";
import { ServerSentEvents } from "../../remote/server-sent-events.ts";
import { OakError } from "../../../shared/errors.ts";
import type { ToolCall } from "../language-model.ts";
import type { ChatReader } from "./chat-reader.ts";

/** How long the count of tokens and the end of the answer may come after the end of the reply. */
const USAGE_MS = 200;

/**
 * Reads a streamed reply. Text, calls and the end of the reply restart the deadline. Thoughts, empty events and comments do not,
 * because the caller hears nothing of them.
 * @throws RemoteFault; OakError `LLM_CALL_INCOMPLETE`; the reason of the deadline's signal.
 */
export async function* readReply(
  to: RemoteModel,
  answer: Response,
  reply: ChatReader,
  deadline: Deadline,
): AsyncGenerator<string | ToolCall> {
  const { body, headers } = answer;
  if (body === null || !/^text\/event-stream\b/iu.test(headers.get("content-type") ?? ""))
    throw answerFault(to, "no event stream");
  const reader = body.getReader();
  const events = new ServerSentEvents();
  try {
    // Up to the end of the body, so that the next reply can use the connection.
    for (;;) {
      const { done, value } = await deadline.wait(reader.read());
      if (done) break;
      for (const event of events.push(value)) {
        const wasFinished = reply.isFinished;
        const pieces = reply.push(event);
        yield* pieces;
        if (wasFinished) continue;
        if (reply.isFinished) deadline.restart(USAGE_MS);
        else if (pieces.length > 0 || reply.isCalling) deadline.restart();
      }
    }
  } catch (error) {
    // The reply is whole. Only the count of tokens is missing.
    if (!reply.isFinished)
      throw deadline.signal.aborted || error instanceof OakError ? error : connectionFault(to, error);
  } finally {
    // Closes the connection of an answer that was not read to its end.
    void reader.cancel().catch(() => undefined);
  }
  reply.requireWhole();
}
