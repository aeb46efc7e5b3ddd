import { once } from "node:events";
import type { SpeculationCounts } from "../../src/conversation/reply/speculation-counts.ts";
import { OakError } from "../../src/shared/errors.ts";
import { scriptedCall } from "./scripted-call.ts";

export const REPLY = "One two three four five. Six seven eight nine ten.";

/** A scripted call in which every turn says "hello" and the model writes the same reply each time, word by word. */
export function wordByWordCall({
  failReply = false,
  failLate = false,
  speculation = undefined as SpeculationCounts | undefined,
  hear = (_kind: "partial" | "final"): string | Promise<string> => "hello",
  early = (): string | undefined => undefined,
  greeting = undefined as string | undefined,
  /** The prefill lasts until it is aborted. */
  readsForEver = false,
  reply = REPLY,
  /** The model's sixth word and the voice wait for these. */
  slow = { model: Promise.resolve(), voice: Promise.resolve() },
} = {}) {
  let replies = 0;
  return scriptedCall({
    ...(greeting === undefined ? {} : { greeting }),
    speculation,
    transcribe: async ({ kind }) => hear(kind),
    early: ({ kind }) => (kind === "final" ? early() : undefined),
    async *generate() {
      replies += 1;
      const isFirst = replies === 1;
      if (failReply && isFirst) throw new OakError("/secret/path is gone", { code: "ENGINE_TIMEOUT" });
      const words = reply.split(/(?= )/);
      for (const [at, word] of (failLate ? words.slice(0, 7) : words).entries()) {
        if (at === 5) await slow.model;
        yield word;
      }
      if (failLate && isFirst) throw new OakError("gone", { code: "ENGINE_CRASHED" });
    },
    prefill: async (_messages, signal) => {
      if (readsForEver) await once(signal, "abort");
    },
    synthesize: async () => {
      await slow.voice;
      return new Float32Array(24_000).fill(0.5);
    },
  });
}
