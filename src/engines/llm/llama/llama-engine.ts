import { addAbortListener } from "node:events";
import { z } from "zod";
import type { ModelProcess } from "../../../child-processes/model-process.ts";
import { startModelProcess } from "../../../child-processes/supervisor.ts";
import { deadlineLimit } from "../../../child-processes/process-limits.ts";
import { workerUrl } from "../../../child-processes/worker-url.ts";
import { AbortScope } from "../../../shared/abort-scope.ts";
import { OakError } from "../../../shared/errors.ts";
import type { Log } from "../../../shared/log.ts";
import type {
  Beginning,
  GenerateRequest,
  LanguageModel,
  LanguageSession,
  Prompt,
  ToolCall,
} from "../language-model.ts";

export interface LlamaOptions {
  /** A GGUF file. */
  readonly modelPath: string;
  /** "auto": the machine's GPU, if any. A named one must exist, or the start fails. */
  readonly gpu: "auto" | "off" | "cuda" | "vulkan" | "metal";
  /** CPU threads of prompt evaluation. Waiting threads spin, so shared cores make them slow. */
  readonly threads: number;
  /** CPU threads of a reply. Absent: one thread if that is fast enough, else `threads`. */
  readonly replyThreads?: number | undefined;
  /** Tokens of one caller's prompt and reply together, at most the model's trained context. */
  readonly contextTokens: number;
  /** Longest prompt of the model's training. From this length on the oldest turns are left out. Absent: `contextTokens`. */
  readonly trainedTokens?: number | undefined;
  /** For replies that do not set one. Default `DEFAULT_TEMPERATURE`. */
  readonly temperature?: number | undefined;
  /** Concurrent callers. Each one needs memory for `contextTokens`. */
  readonly sequences: number;
  /** A request without progress for this long fails alone. Default 30. */
  readonly deadlineSeconds?: number;
}

/** The slot and session of a request. */
export interface SlotRequest {
  readonly slot: number;
  /** Unique per session, so that the slot does not use state of the previous caller. */
  readonly caller: number;
  /** See `LanguageModel.open`. */
  readonly beginning: Beginning | undefined;
  /** It pauses while other requests run. */
  readonly isBackground?: true;
}

export interface SlotGenerateRequest extends SlotRequest {
  readonly request: GenerateRequest;
}

export interface SlotPrefillRequest extends SlotRequest {
  readonly prompt: Prompt;
  readonly reserveTokens: number;
}

/** Tokens that a prefill leaves free, so that the prompt is cut at the same place as for the reply. */
const defaultReserveTokens = 256;

/** The worker's facts about the loaded model. `contextTokens`: the context in use. */
export const llamaInfo = z.object({
  contextTokens: z.number(),
  gpu: z.union([z.string(), z.literal(false)]),
  threads: z.number(),
  replyThreads: z.number(),
  /** False for a model with recurrent layers, whose slots return to copies of their state. */
  canRewind: z.boolean(),
});

export interface LlamaEngine extends LanguageModel {
  /** For health and metrics. */
  readonly process: ModelProcess;
}

/** llama.cpp in a child process. Rejects with ENGINE_START_FAILED. */
export async function startLlama(options: LlamaOptions, log: Log, signal?: AbortSignal): Promise<LlamaEngine> {
  const process = await startModelProcess({
    name: "language model",
    model: options.modelPath,
    worker: workerUrl("llama-worker", import.meta.url),
    init: options,
    log,
    signal,
    limits: deadlineLimit(options.deadlineSeconds),
  });
  log.info(
    { engine: process.name, sequences: options.sequences, ...llamaInfo.parse(process.info) },
    "language model ready",
  );
  return new LlamaLanguageModel(process, options.sequences);
}

class LlamaLanguageModel implements LlamaEngine {
  readonly process: ModelProcess;
  readonly #sequences: number;
  readonly #freeSlots: number[];
  readonly #background = new Set<BackgroundSession>();
  #callers = 0;

  constructor(process: ModelProcess, sequences: number) {
    this.process = process;
    this.#sequences = sequences;
    this.#freeSlots = Array.from({ length: sequences }, (_, slot) => slot);
  }

  open(beginning?: Beginning): LanguageSession {
    if (this.#freeSlots.length === 0) this.#background.values().next().value?.giveWay();
    const slot = this.#freeSlots.pop();
    if (slot === undefined) throw this.#busy();
    this.#callers += 1;
    return new LlamaSession(this.process, { slot, caller: this.#callers, beginning }, () => this.#freeSlots.push(slot));
  }

  openBackground(beginning?: Beginning): LanguageSession {
    // The slot that was free for longest: the next caller gets another one, whose cache has more in common.
    const slot = this.#freeSlots.shift();
    if (slot === undefined) throw this.#busy();
    this.#callers += 1;
    const to = { slot, caller: this.#callers, beginning, isBackground: true } as const;
    const session = new BackgroundSession(
      new LlamaSession(this.process, to, () => {
        this.#background.delete(session);
        this.#freeSlots.push(slot);
      }),
      () => this.#busy(),
    );
    this.#background.add(session);
    return session;
  }

  #busy(): OakError {
    const message = `All ${String(this.#sequences)} sequences of the language model are in use; try again later or configure more.`;
    return new OakError(message, { code: "LLM_BUSY" });
  }

  close(): Promise<void> {
    return this.process.close();
  }
}

/** Keeps only two numbers. After a restart of the child the next prompt fills the slot again. */
class LlamaSession implements LanguageSession {
  readonly #process: ModelProcess;
  readonly #to: SlotRequest;
  readonly #release: () => void;
  #reserveTokens = defaultReserveTokens;
  #closed = false;

  constructor(process: ModelProcess, to: SlotRequest, release: () => void) {
    this.#process = process;
    this.#to = to;
    this.#release = release;
  }

  generate(request: GenerateRequest, signal: AbortSignal): AsyncIterable<string | ToolCall> {
    this.#ensureOpen();
    this.#reserveTokens = request.maxTokens;
    const payload: SlotGenerateRequest = { ...this.#to, request };
    return written(this.#process.stream<string | ToolCall>("generate", payload, signal));
  }

  async prefill(prompt: Prompt, signal: AbortSignal): Promise<void> {
    this.#ensureOpen();
    const payload: SlotPrefillRequest = { ...this.#to, prompt, reserveTokens: this.#reserveTokens };
    for await (const _ of this.#process.stream("prefill", payload, signal));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#release();
  }

  #ensureOpen(): void {
    if (this.#closed) throw new OakError("This language session is closed.", { code: "LLM_SESSION_CLOSED" });
  }
}

/** Leaves its slot to a caller who needs it. The caller's first request waits until this one's is cancelled. */
class BackgroundSession implements LanguageSession {
  readonly #session: LlamaSession;
  readonly #scope = new AbortController();
  readonly #busy: () => OakError;

  constructor(session: LlamaSession, busy: () => OakError) {
    this.#session = session;
    this.#busy = busy;
  }

  giveWay(): void {
    this.#scope.abort(this.#busy());
    this.close();
  }

  async *generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<string | ToolCall> {
    this.#scope.signal.throwIfAborted();
    using scope = new AbortScope(signal);
    using _ = addAbortListener(this.#scope.signal, () => scope.abort(this.#scope.signal.reason));
    yield* this.#session.generate(request, scope.signal);
  }

  async prefill(prompt: Prompt, signal: AbortSignal): Promise<void> {
    this.#scope.signal.throwIfAborted();
    using scope = new AbortScope(signal);
    using _ = addAbortListener(this.#scope.signal, () => scope.abort(this.#scope.signal.reason));
    await this.#session.prefill(prompt, scope.signal);
  }

  close(): void {
    this.#session.close();
  }
}

/** Drops the empty progress pieces, which only keep the request's deadline from expiring during a long prompt. */
async function* written<Piece>(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  for await (const piece of pieces) if (piece !== "") yield piece;
}
