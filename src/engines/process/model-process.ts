/** What a model child must implement: `src/engines/process/worker.ts` serves it over the fork's message channel. */
export interface WorkerHandlers {
  /** The loaded model's facts (rate, labels, limits): `ModelProcess.info` in the parent. */
  readonly info?: unknown;
  /**
   * One result. Must reject with `signal.reason` within 50 ms of an abort. `alive` begins the request's deadline anew: for one
   * that waits its turn, whenever there is one less before it.
   */
  readonly calls?: Readonly<
    Record<string, (payload: never, signal: AbortSignal, alive: () => void) => Promise<unknown>>
  >;
  /** Many results, in order; pulled no faster than the parent reads them. */
  readonly streams?: Readonly<Record<string, (payload: never, signal: AbortSignal) => AsyncIterable<unknown>>>;
  close?(): Promise<void>;
}

/** The parent's side of one supervised child. */
export interface ModelProcess {
  readonly name: string;
  readonly pid: number | undefined;
  /** Successful restarts so far. */
  readonly restarts: number;
  readonly state: "starting" | "ready" | "restarting" | "failed" | "closed";
  /** What the worker answered when it was ready (its model's facts). */
  readonly info: unknown;
  /**
   * A request made during a restart waits for it, for 3 s at most.
   * Rejects with an OakError: `ENGINE_UNAVAILABLE` (retryable; the restart takes longer), `ENGINE_CRASHED` (retryable; the
   * child died under this request), `ENGINE_TIMEOUT` (retryable; this request missed its deadline and was cancelled),
   * `ENGINE_BUSY` (retryable; too many requests wait already), or the code the worker gave.
   * On abort: rejects with `signal.reason` at once; the child is told.
   */
  call<Result>(method: string, payload: unknown, signal: AbortSignal): Promise<Result>;
  /** As `call`, but many results. The request is sent at the first `next()`; leaving the loop early cancels it. */
  stream<Result>(method: string, payload: unknown, signal: AbortSignal): AsyncIterable<Result>;
  close(): Promise<void>;
}
