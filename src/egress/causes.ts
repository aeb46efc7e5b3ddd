import { Reason } from "./reasons.ts";

/** Errors before the request was sent. */
const NOT_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|ERR_SSL_\w+|\w*CERT\w*|UNABLE_TO_\w+)$/u;

/** The innermost reason for the operator, such as `pms.hotel.lan: ECONNREFUSED`. Holds nothing of an answer. */
export function reasonOf(host: string, error: unknown): Reason {
  const causes = causesOf(error);
  const own = causes.find((cause) => cause instanceof Reason);
  if (own !== undefined) return new Reason(`${host}: ${own.message}`);
  const cause = causes.at(-1);
  const { status, code } = factsOf(cause);
  const name = cause instanceof Error ? cause.name : "unknown error";
  return new Reason(`${host}: ${status === undefined ? (code ?? name) : `status ${String(status)}`}`);
}

export interface ErrorFacts {
  /** HTTP status. */
  readonly status: number | undefined;
  /** Code of the system, of undici, of the MCP client, or of JSON-RPC. */
  readonly code: string | number | undefined;
}

export function factsOf(error: unknown): ErrorFacts {
  const { status, code } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const isCode = typeof code === "string" || typeof code === "number";
  return { status: typeof status === "number" ? status : undefined, code: isCode ? code : undefined };
}

/** True for an error that came before the request was sent. */
export const isNotSent = (error: unknown): boolean => NOT_SENT.test(String(factsOf(error).code));

/** The error and its causes, the outermost first. */
export function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let at = error; at !== undefined && causes.length < 8; at = at instanceof Error ? at.cause : undefined)
    causes.push(at);
  return causes;
}
