import type { ErrorCode } from "../../shared/error-codes.ts";

/** An error in a form that survives the message channel. */
export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
}

export type ToWorker =
  | { readonly type: "init"; readonly init: unknown }
  | { readonly type: "call"; readonly id: number; readonly method: string; readonly payload: unknown }
  /** `credit`: how many items the worker may send before it is given more. */
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
  /** One of a stream's; of a call, a sign of life. */
  | { readonly type: "item"; readonly id: number; readonly value: unknown }
  /** The last word on a request: a call's result, or a stream's end (`value` is undefined). */
  | { readonly type: "done"; readonly id: number; readonly value: unknown }
  | { readonly type: "error"; readonly id: number; readonly error: WireError }
  | { readonly type: "pong" };
