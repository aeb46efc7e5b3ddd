import type { SessionEvent } from "../../conversation/events.ts";
import { payload, type ServerPayload } from "./server-messages.ts";

type ToolEvent = Extract<
  SessionEvent,
  { type: "client-tool-call" | "tool-started" | "tool-ended" | "tool-state" | "call-ended" }
>;

/**
 * The messages about tools, for clients that set `tool_calls`.
 * @param mayInspect Calls that the server carries out have their arguments and results.
 */
export function encodeToolEvent(event: ToolEvent, mayInspect: boolean): readonly ServerPayload[] {
  switch (event.type) {
    case "client-tool-call": {
      const { id: call_id, name } = event.call;
      return [payload("tool_call", { run_by: "client", call_id, name, arguments: parsed(event.call.arguments) })];
    }
    case "tool-started":
      return event.isClients
        ? []
        : [
            payload("tool_call", {
              run_by: "server",
              call_id: event.callId,
              name: event.name,
              ...(mayInspect && { arguments: parsed(event.arguments) }),
            }),
          ];
    case "tool-ended": {
      const { callId: call_id, name, outcome, durationMs, result } = event;
      const shown = mayInspect ? { output: result } : {};
      return [payload("tool_call_end", { call_id, name, outcome, duration: durationMs / 1000, ...shown })];
    }
    case "tool-state":
      return [payload("tool_state", { tool: event.tool, state: event.state })];
    case "call-ended": {
      const { transferTo, reason, summary } = event.ending;
      const target = transferTo === undefined ? {} : { transfer_to: transferTo };
      return [payload("call_end", { reason, summary, ...target })];
    }
  }
}

const parsed = (args: string) => JSON.parse(args) as Record<string, unknown>;
