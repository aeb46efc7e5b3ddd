import type { WebhookField } from "../../config/call-record-settings.ts";
import type { RecordContent } from "../store/record-store.ts";

/** The message about a call that is over. Its fields are those that the operator chose. */
export function callMessage(record: RecordContent, fields: readonly WebhookField[]): string {
  const all: Readonly<Record<WebhookField, unknown>> = {
    config_id: record.configId,
    project_id: record.projectId,
    connection_id: record.connectionId,
    caller_id: record.callerId,
    started_at: record.startedAt,
    ended_at: record.endedAt,
    duration_ms: record.durationMs,
    turns: record.turns,
    end_reason: record.endReason,
    transfer_to: record.transferTo,
    summary: record.summary,
    consent: record.consent,
    language: record.language,
    transcript: record.words.flatMap((line) => {
      if (line.type === "caller") return [{ speaker: "caller", start_ms: line.startMs, text: line.text }];
      if (line.type === "assistant")
        return [{ speaker: "assistant", start_ms: line.startMs, text: line.heard ?? line.text }];
      return [];
    }),
    tools: record.toolCalls.map(({ name, outcome, arguments: args, result }) => ({
      name,
      outcome,
      arguments: args,
      result,
    })),
    after_call: notesOf(record),
  };
  const chosen = fields.flatMap((field) => (all[field] === undefined ? [] : [[field, all[field]]]));
  const data = { record_id: record.id, ...(Object.fromEntries(chosen) as object) };
  return JSON.stringify({ type: "call.ended", timestamp: record.endedAt, data });
}

function notesOf({ words }: RecordContent): object | undefined {
  const notes = words.findLast((line) => line.type === "notes");
  if (notes === undefined) return undefined;
  const { type: _, atMs: __, ...content } = notes;
  return content;
}
