import { addAbortListener } from "node:events";
import type { ModelProcess } from "../process/model-process.ts";
import { AbortScope } from "../../shared/abort-scope.ts";
import { OakError } from "../../shared/errors.ts";
import type { Heard } from "./decoded.ts";
import type { SpeechRecognizer, SpeechToText, TranscribeRequest } from "./speech-to-text.ts";

/** A recogniser that also gives its evidence. */
export interface HearingRecognizer extends SpeechRecognizer {
  transcribe(request: TranscribeRequest, signal: AbortSignal): Promise<Heard>;
}

export interface SpeechToTextProcess extends SpeechToText {
  /** For health and metrics. */
  readonly process: ModelProcess;
  open(): HearingRecognizer;
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
function openRecognizer(process: ModelProcess, caller: number): HearingRecognizer {
  const closing = new AbortController();
  return {
    async transcribe(request, signal) {
      signal.throwIfAborted();
      closing.signal.throwIfAborted();
      using scope = new AbortScope(signal);
      using _ = addAbortListener(closing.signal, () => scope.abort(closing.signal.reason));
      return await process.call<Heard>("transcribe", { caller, ...request }, scope.signal);
    },
    close: () => closing.abort(new OakError("This recogniser is closed.", { code: "STT_CLOSED" })),
  };
}
