import { plainWords } from "./words/word-errors.ts";
import type { CallRecord } from "./call-figures.ts";

/**
 * Secrets of other callers in the transcripts and replies of this call. A word that this caller says is not a secret in this
 * call.
 */
export function leakedWords(call: CallRecord, calls: readonly CallRecord[]): readonly string[] {
  const own = new Set(
    [...call.secrets, ...call.utterances.map(({ text }) => text ?? "")].flatMap((text) => plainWords(text)),
  );
  const others = new Set(calls.flatMap(({ secrets }) => secrets.flatMap((text) => plainWords(text))));
  return [...told(call)].filter((word) => others.has(word) && !own.has(word));
}

function told({ events }: CallRecord): ReadonlySet<string> {
  const replies = new Map<string, string>();
  const texts: string[] = [];
  for (const event of events) {
    if (event.type === "transcription") texts.push(event.accumulated);
    if (event.type === "turn_end") texts.push(event.transcript);
    // A word may arrive in pieces.
    if (event.type === "llm_chunk") replies.set(event.reply, (replies.get(event.reply) ?? "") + event.text);
  }
  return new Set([...texts, ...replies.values()].flatMap((text) => plainWords(text)));
}
