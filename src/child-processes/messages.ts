import type { ErrorCode } from "../shared/error-codes.ts";

/** An error as a message. */
export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
}

export type ToWorker =
  | { readonly type: "init"; readonly init: unknown }
  | { readonly type: "call"; readonly id: number; readonly method: string; readonly payload: unknown }
  /** `credit`: how many items the worker may send until it gets more credit. */
  | {
      readonly type: "stream";
      readonly id: number;
      readonly method: string;
      readonly payload: unknown;
      readonly credit: number;
    }
  | { readonly type: "credit"; readonly id: number; readonly count: number }
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "ping" }
  | { readonly type: "close" };

export type FromWorker =
  | { readonly type: "ready"; readonly info: unknown }
  | { readonly type: "failed"; readonly error: WireError }
  /** An item of a stream. For a call, it only restarts the deadline. */
  | { readonly type: "item"; readonly id: number; readonly value: unknown }
  /** Ends a request: the result of a call, or the end of a stream (`value` is undefined). */
  | { readonly type: "done"; readonly id: number; readonly value: unknown }
  | { readonly type: "error"; readonly id: number; readonly error: WireError }
  | { readonly type: "pong" };
