import { addAbortListener } from "node:events";
import type { ModelProcess } from "../../child-processes/model-process.ts";
import { AbortScope } from "../../shared/abort-scope.ts";
import { OakError } from "../../shared/errors.ts";
import type { SpeechRecognizer, SpeechToText } from "./speech-to-text.ts";

export interface SpeechToTextProcess<Recognizer extends SpeechRecognizer> extends SpeechToText {
  /** For health and metrics. */
  readonly process: ModelProcess;
  /** Clips decoded at the same time. */
  readonly lanes: number;
  open(): Recognizer;
}

/** Speech to text by a child process. `open`: one caller's recogniser on their calls. */
export function speechToText<Recognizer extends SpeechRecognizer>(
  process: ModelProcess,
  { threads, lanes }: Pick<SpeechToTextProcess<Recognizer>, "threads" | "lanes">,
  open: (calls: CallerCalls) => Recognizer,
): SpeechToTextProcess<Recognizer> {
  let callers = 0;
  return {
    process,
    threads,
    lanes,
    open: () => open(new CallerCalls(process, callers++)),
    close: () => process.close(),
  };
}

/** One caller's calls of a recogniser's process. */
export class CallerCalls {
  readonly #process: ModelProcess;
  readonly #caller: number;
  readonly #closing = new AbortController();

  constructor(process: ModelProcess, caller: number) {
    this.#process = process;
    this.#caller = caller;
  }

  async call<Result>(method: string, request: object, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    this.#closing.signal.throwIfAborted();
    using scope = new AbortScope(signal);
    using _ = addAbortListener(this.#closing.signal, () => scope.abort(this.#closing.signal.reason));
    return await this.#process.call<Result>(method, { caller: this.#caller, ...request }, scope.signal);
  }

  /** Aborts the running calls. */
  close(): void {
    this.#closing.abort(new OakError("This recogniser is closed.", { code: "STT_CLOSED" }));
  }
}
