import type { EngineHealth } from "./engine-health.ts";

/** The methods of a model child. `serveWorker` serves them over the fork's message channel. */
export interface WorkerHandlers {
  /** Facts of the loaded model (rate, labels, limits): `ModelProcess.info` in the parent. */
  readonly info?: unknown;
  /**
   * One result. Must reject with `signal.reason` within 50 ms of an abort. `alive` restarts the request's deadline: a queued
   * request calls it whenever the queue moves.
   */
  readonly requests?: Readonly<
    Record<string, (payload: never, signal: AbortSignal, alive: () => void) => Promise<unknown>>
  >;
  /** Many results in order, pulled no faster than the parent reads them. */
  readonly streams?: Readonly<Record<string, (payload: never, signal: AbortSignal) => AsyncIterable<unknown>>>;
  close?(): Promise<void>;
}

/** The parent's side of one supervised child. */
export interface ModelProcess extends EngineHealth {
  readonly pid: number | undefined;
  /** Facts of the loaded model. */
  readonly info: unknown;
  /**
   * A request during a restart waits for it, at most 3 s.
   * Rejects with an OakError: `ENGINE_UNAVAILABLE` (retryable; the restart takes longer), `ENGINE_CRASHED` (retryable; the
   * child died under this request), `ENGINE_TIMEOUT` (retryable; this request missed its deadline and was cancelled),
   * `ENGINE_BUSY` (retryable; too many requests wait already), or the code the worker gave.
   * On abort: rejects with `signal.reason` at once and cancels the request in the child.
   */
  call<Result>(method: string, payload: unknown, signal: AbortSignal): Promise<Result>;
  /** Like `call`, with many results. The first `next()` sends the request. Leaving the loop early cancels it. */
  stream<Result>(method: string, payload: unknown, signal: AbortSignal): AsyncIterable<Result>;
  close(): Promise<void>;
}
