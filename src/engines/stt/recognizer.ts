import { addAbortListener } from "node:events";
import type { ModelProcess } from "../process/model-process.ts";
import { AbortScope } from "../../shared/abort-scope.ts";
import { OakError } from "../../shared/errors.ts";
import type { LanguageScores, SpeechRecognizer, SpeechToText, Transcript } from "./speech-to-text.ts";

export interface SpeechToTextProcess extends SpeechToText {
  /** For health and metrics. */
  readonly process: ModelProcess;
}

/**
 * Speech to text by a child process with a `transcribe` call. `threads`: CPU threads of one decode. `identifiesLanguage`: it has
 * an `identifyLanguage` call too.
 */
export function speechToText(process: ModelProcess, threads: number, identifiesLanguage = false): SpeechToTextProcess {
  let callers = 0;
  return {
    process,
    threads,
    open: () => openRecognizer(process, callers++, identifiesLanguage),
    close: () => process.close(),
  };
}

/** One caller's recogniser. `close` aborts its running requests. */
function openRecognizer(process: ModelProcess, caller: number, identifiesLanguage: boolean): SpeechRecognizer {
  const closing = new AbortController();
  const call = async <Result>(name: string, request: object, signal: AbortSignal): Promise<Result> => {
    signal.throwIfAborted();
    closing.signal.throwIfAborted();
    using scope = new AbortScope(signal);
    using _ = addAbortListener(closing.signal, () => scope.abort(closing.signal.reason));
    return await process.call<Result>(name, { caller, ...request }, scope.signal);
  };
  return {
    transcribe: (request, signal) => call<Transcript>("transcribe", request, signal),
    ...(identifiesLanguage && {
      identifyLanguage: (samples, signal) => call<LanguageScores>("identifyLanguage", { samples }, signal),
    }),
    close: () => closing.abort(new OakError("This recogniser is closed.", { code: "STT_CLOSED" })),
  };
}
