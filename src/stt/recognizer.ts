import type { ModelProcess } from "../engine/contract.ts";
import { AbortScope } from "../shared/abort-scope.ts";
import { OakError } from "../shared/errors.ts";
import type { SpeechRecognizer, SpeechToText, TranscribeRequest, Transcript } from "./contract.ts";

export interface SpeechToTextProcess extends SpeechToText {
  /** For health and metrics. */
  readonly process: ModelProcess;
}

/** One caller of a speech-to-text child that has a `transcribe` call. `close` ends what the caller still has running. */
export function openRecognizer(process: ModelProcess, caller: number): SpeechRecognizer {
  const closing = new AbortController();
  return {
    async transcribe(request: TranscribeRequest, signal: AbortSignal): Promise<Transcript> {
      signal.throwIfAborted();
      using scope = new AbortScope(signal);
      const closed = (): void => scope.abort(closing.signal.reason);
      if (closing.signal.aborted) closed();
      closing.signal.addEventListener("abort", closed, { once: true });
      try {
        const { samples, kind, language } = request;
        return await process.call<Transcript>("transcribe", { caller, samples, kind, language }, scope.signal);
      } finally {
        closing.signal.removeEventListener("abort", closed);
      }
    },
    close: () => closing.abort(new OakError("This recogniser is closed.", { code: "STT_CLOSED" })),
  };
}
