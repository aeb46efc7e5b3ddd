import { addAbortListener } from "node:events";
import type { ModelProcess } from "../process/model-process.ts";
import { AbortScope } from "../../shared/abort-scope.ts";
import { OakError } from "../../shared/errors.ts";
import type { SpeechRecognizer, SpeechToText, Transcript } from "./speech-to-text.ts";

export interface SpeechToTextProcess extends SpeechToText {
  /** For health and metrics. */
  readonly process: ModelProcess;
}

/** Speech to text by a child process with a `transcribe` call. `threads`: CPU threads of one decode. */
export function speechToText(process: ModelProcess, threads: number): SpeechToTextProcess {
  let callers = 0;
  return {
    process,
    threads,
    open: () => openRecognizer(process, callers++),
    close: () => process.close(),
  };
}

/** One caller's recogniser. `close` aborts its running requests. */
function openRecognizer(process: ModelProcess, caller: number): SpeechRecognizer {
  const closing = new AbortController();
  return {
    async transcribe(request, signal) {
      signal.throwIfAborted();
      closing.signal.throwIfAborted();
      using scope = new AbortScope(signal);
      using _ = addAbortListener(closing.signal, () => scope.abort(closing.signal.reason));
      return await process.call<Transcript>("transcribe", { caller, ...request }, scope.signal);
    },
    close: () => closing.abort(new OakError("This recogniser is closed.", { code: "STT_CLOSED" })),
  };
}
