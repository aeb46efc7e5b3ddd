import type { ErrorCode } from "../shared/error-codes.ts";
import { OakError } from "../shared/errors.ts";
import { causesOf, type ErrorFacts, factsOf, isNotSent } from "../egress/causes.ts";
import { AddressRefused, AnswerRefused, type Reason } from "../egress/reasons.ts";

/** The language model reads these sentences, and may say them to the caller. */
const SENTENCES = {
  unreachable: "the system behind this tool cannot be reached. Nothing was done.",
  refused: "the system behind this tool refused the request.",
  failed: "the system behind this tool failed. The request may have been carried out.",
  late: "the system behind this tool did not answer in time. The request may have been carried out.",
  unreadable: "the answer of the system behind this tool cannot be read. The request may have been carried out.",
};

export type FailureKind = keyof typeof SENTENCES;

/** @param cause For the operator. */
export function toolFailure(kind: FailureKind, cause: Reason): OakError {
  const code: ErrorCode = kind === "late" ? "TOOL_TIMEOUT" : "TOOL_FAILED";
  return new OakError(SENTENCES[kind], { code, cause });
}

/** Judges an error of `Egress.fetch`, of reading its answer, or of the MCP client. */
export function failureKind(error: unknown): FailureKind {
  const causes = causesOf(error);
  if (causes.some((cause) => cause instanceof AddressRefused)) return "unreachable";
  if (causes.some((cause) => cause instanceof AnswerRefused)) return "unreadable";
  if (causes.some((cause) => isRefusal(factsOf(cause)))) return "refused";
  return causes.some(isNotSent) ? "unreachable" : "failed";
}

/** The HTTP status of a refused request of the MCP client. */
export const statusOf = (error: unknown): number | undefined =>
  causesOf(error)
    .map((cause) => factsOf(cause).status)
    .find((status) => status !== undefined);

/** A status 4xx, or JSON-RPC's errors for a request that cannot be carried out. */
const isRefusal = ({ status = 0, code = 0 }: ErrorFacts) =>
  (status >= 400 && status < 500) || (typeof code === "number" && code <= -32_600 && code >= -32_602);
