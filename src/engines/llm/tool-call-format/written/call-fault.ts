import { OakError } from "../../../../shared/errors.ts";

/** Why a call was not made. */
export type CallFault =
  /** It names a tool that does not exist. */
  | "unknown"
  /** JSON that is not a call, or a call in an unknown form. */
  | "unreadable"
  /** The text ends inside it. */
  | "cut";

const FAULTS = {
  unknown: ["LLM_CALL_UNKNOWN", "called a tool that does not exist"],
  unreadable: ["LLM_CALL_UNREADABLE", "wrote a call, or JSON, that cannot be read"],
  cut: ["LLM_CALL_INCOMPLETE", "wrote a tool call that ends too early. If that happens often, raise max_reply_tokens"],
} as const;

/** The error of a reply. `model`: the beginning of the sentence for the operator. */
export function callFault(fault: CallFault, model: string): OakError {
  const [code, what] = FAULTS[fault];
  return new OakError(`${model} ${what}.`, { code });
}
