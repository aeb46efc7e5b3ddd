import { causesOf, isNotSent, reasonOf } from "../../egress/causes.ts";
import { AddressRefused, AnswerRefused } from "../../egress/reasons.ts";
import type { ErrorCode } from "../../shared/error-codes.ts";
import { OakError } from "../../shared/errors.ts";

/** A model on another machine, for sentences about it. */
export interface RemoteModel {
  /** Such as "language model". */
  readonly name: string;
  /** Such as "models.llm". */
  readonly setting: string;
  /** The server's host with its port. */
  readonly host: string;
  /** As the server names it. */
  readonly model: string;
}

/** A request that failed. `retryable`: the same request may succeed later. */
export class RemoteFault extends OakError {
  /** When to send the request again, if the server said so. */
  readonly retryAfterMs: number | undefined;
  /** The context of the server's model in tokens, if the server said so. */
  readonly contextTokens: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    more: { retryable?: boolean; cause?: unknown; retryAfterMs?: number | undefined; contextTokens?: number } = {},
  ) {
    const { retryAfterMs, contextTokens, ...info } = more;
    super(message, { code, ...info });
    this.retryAfterMs = retryAfterMs;
    this.contextTokens = contextTokens;
  }
}

const server = ({ name, host }: RemoteModel): string => `The ${name} server at ${host}`;
/** The same request will fail again. */
const permanent = { retryable: false };

/** The answer has a status of 4xx or 5xx. `body`: its beginning. Nothing of it gets into the error, because it may quote a caller. */
export function statusFault(to: RemoteModel, status: number, retryAfter: string | null, body: string): RemoteFault {
  const at = `(status ${String(status)})`;
  const { setting, model } = to;
  if (status === 401 || status === 403)
    return new RemoteFault(
      "ENGINE_UNAVAILABLE",
      `${server(to)} refuses the key ${at}: check ${setting}.key_file.`,
      permanent,
    );
  if (status === 404) {
    const message = `${server(to)} does not know the model "${model}" or the address ${at}: check ${setting}.model and ${setting}.url.`;
    return new RemoteFault("ENGINE_UNAVAILABLE", message, permanent);
  }
  if (status === 429) {
    const retryAfterMs = millisecondsOf(retryAfter);
    return new RemoteFault("ENGINE_BUSY", `${server(to)} is busy ${at}; try again later.`, { retryAfterMs });
  }
  if (status >= 500)
    return new RemoteFault("ENGINE_UNAVAILABLE", `${server(to)} failed ${at}.`, {
      retryAfterMs: millisecondsOf(retryAfter),
    });
  const contextTokens = contextIn(body);
  if (contextTokens !== undefined) {
    const message = `The prompt does not fit into the context of the ${to.name} at ${to.host}: lower ${setting}.context_tokens to the server's.`;
    return new RemoteFault("LLM_PROMPT_TOO_LONG", message, contextTokens > 0 ? { contextTokens } : {});
  }
  const extra = ` If the server does not know chat_template_kwargs, set ${setting}.extra_body to {}.`;
  const message = `${server(to)} refuses the request ${at}: check ${setting}.${setting === "models.llm" ? extra : ""}`;
  return new RemoteFault("ENGINE_UNAVAILABLE", message, permanent);
}

/** A 2xx whose content is wrong. @param why After "answered with". */
export const answerFault = (to: RemoteModel, why: string): RemoteFault =>
  new RemoteFault("ENGINE_UNAVAILABLE", `${server(to)} answered with ${why}: check ${to.setting}.url.`, permanent);

/** The connection ended in the middle of an answer, or the server said that it failed there. */
export const brokenFault = (to: RemoteModel, cause?: unknown): RemoteFault =>
  new RemoteFault("ENGINE_CRASHED", `${server(to)} broke off in the middle of its answer.`, { cause });

/** `isConfigured`: the setting gives the time. */
export const lateFault = (to: RemoteModel, seconds: number, isConfigured: boolean): RemoteFault =>
  new RemoteFault(
    "ENGINE_TIMEOUT",
    `${server(to)} sent nothing for ${String(seconds)} s${isConfigured ? ` (${to.setting}.deadline_seconds)` : ""}.`,
  );

/** An error of `Egress.fetch`, or of reading its answer. */
export function connectionFault(to: RemoteModel, error: unknown): RemoteFault {
  if (error instanceof RemoteFault) return error;
  const causes = causesOf(error);
  const reason = reasonOf(to.host, error);
  if (causes.some((cause) => cause instanceof AnswerRefused))
    return answerFault(to, reason.message.replace(/^.*?: /u, ""));
  if (causes.some((cause) => cause instanceof AddressRefused))
    return new RemoteFault(
      "ENGINE_UNAVAILABLE",
      `${server(to)} may not be reached: ${reason.message}. See egress.allowed_hosts.`,
      permanent,
    );
  if (!causes.some(isNotSent)) return brokenFault(to, reason);
  const message = `${server(to)} cannot be reached (${reason.message.replace(/^.*: /u, "")}).`;
  return new RemoteFault("ENGINE_UNAVAILABLE", message, { cause: reason });
}

/** Seconds, or a date. */
function millisecondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const ms = /^\d+$/u.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** The server's context, when the error is about its length: 0 if it does not say. llama-server, vLLM, SGLang and OpenAI. */
function contextIn(body: string): number | undefined {
  if (!/exceed_context_size|context_length_exceeded|context (?:length|size|window)/iu.test(body)) return undefined;
  const [, tokens = "0"] = /(?:"n_ctx":\s*|context length (?:is |of |\())(\d+)/iu.exec(body) ?? [];
  return Number(tokens);
}
