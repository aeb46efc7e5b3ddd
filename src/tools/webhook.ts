import type { Tool } from "../conversation/tool-calls/tool.ts";
import type { WebhookConfiguration } from "../config/tool-configuration.ts";
import type { Clock } from "../shared/clock.ts";
import { checkArguments } from "../shared/json-schema/check-arguments.ts";
import type { Egress } from "../egress/egress.ts";
import { reasonOf } from "../egress/causes.ts";
import { signingKey, webhookHeaders } from "../egress/webhook-signature.ts";
import { failureKind, toolFailure } from "./failures.ts";
import { AnswerRefused, Reason } from "../egress/reasons.ts";
import { withinTime } from "./within-time.ts";

export interface WebhookParts {
  readonly configuration: WebhookConfiguration;
  readonly secret: string;
  readonly configId: string;
  readonly egress: Egress;
  readonly clock: Clock;
}

const isTemporary = (status: number) => status === 502 || status === 503 || status === 504;

/** A tool that a web server carries out. The request is signed as Standard Webhooks describes (docs/tools.md). */
export function webhookTool({ configuration, secret, configId, egress, clock }: WebhookParts): Tool {
  const { name, description, parameters, webhook, confirm, say: filler } = configuration;
  const { cancel_on_interrupt: cancelOnInterrupt } = configuration;
  const url = new URL(webhook.url);
  const key = signingKey(secret);

  const post = async (callId: string, body: string, signal: AbortSignal, traceparent: string | undefined) => {
    const answer = await egress.fetch(url, {
      method: "POST",
      headers: {
        ...webhookHeaders(key, callId, body, Date.now()),
        accept: "application/json, text/*",
        ...(traceparent && { traceparent }),
      },
      body,
      signal,
    });
    const { ok, status } = answer;
    if (ok)
      return { status, text: readAnswer(await answer.text(), answer.headers.get("content-type") ?? "text/plain") };
    await answer.body?.cancel();
    return { status, text: undefined };
  };

  /** The result. A second attempt has the same id, so that the receiver can recognise it. */
  const call = async (callId: string, body: string, signal: AbortSignal, traceparent?: string): Promise<string> => {
    for (let left = webhook.retry ? 1 : 0; ; left -= 1) {
      let status: number;
      try {
        const answer = await post(callId, body, signal, traceparent);
        if (answer.text !== undefined) return answer.text;
        status = answer.status;
      } catch (error) {
        signal.throwIfAborted();
        const kind = failureKind(error);
        if (left > 0 && kind !== "unreadable") continue;
        throw toolFailure(kind, reasonOf(url.host, error));
      }
      if (left > 0 && isTemporary(status)) continue;
      const isRefusal = status >= 400 && status < 500;
      throw toolFailure(isRefusal ? "refused" : "failed", new Reason(`${url.host}: status ${String(status)}`));
    }
  };

  return {
    definition: { name, description, parameters },
    cancelOnInterrupt,
    confirm,
    mayRepeat: webhook.retry,
    filler,
    async run(args, { callId, connectionId, signal, traceparent }) {
      checkArguments(parameters, args);
      const data = { call_id: callId, connection_id: connectionId, config_id: configId, tool: name, arguments: args };
      const body = JSON.stringify({ type: "tool.call", timestamp: new Date().toISOString(), data });
      return await withinTime(webhook.timeout_seconds, signal, clock, (limit) =>
        call(callId, body, limit, traceparent),
      );
    },
  };
}

/** @throws AnswerRefused when the answer is neither JSON nor text. */
function readAnswer(text: string, type: string): string {
  if (/^application\/(?:[\w.+-]+\+)?json\b/iu.test(type)) {
    if (text !== "" && !isJson(text)) throw new AnswerRefused("the answer is not the JSON that it says it is");
  } else if (!/^text\//iu.test(type)) throw new AnswerRefused("the answer is neither JSON nor text");
  return text.trim() === "" ? "done" : text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
