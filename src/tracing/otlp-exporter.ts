import type { SpanExporter, ReadableSpan } from "@opentelemetry/sdk-trace";
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { reasonOf } from "../egress/causes.ts";
import type { Egress } from "../egress/egress.ts";
import { FailureReporter } from "../shared/failure-reporter.ts";
import type { Log } from "../shared/log.ts";

const TIMEOUT_MS = 10_000;
const SUCCESS = 0;
const FAILED = 1;

export interface OtlpOptions {
  /** The address for traces, such as `http://otel.lan:4318/v1/traces`. */
  readonly url: URL;
  readonly token: string | undefined;
  readonly egress: Pick<Egress, "fetch">;
  readonly log: Log;
}

/** Sends spans as OTLP over HTTP in JSON, by the program's only way out. Spans that are not delivered are dropped. */
export function otlpExporter({ url, token, egress, log }: OtlpOptions): SpanExporter & { readonly dropped: number } {
  const scope = new AbortController();
  const failures = new FailureReporter((error) => log.warn({ reason: String(error) }, "spans could not be sent"));
  let dropped = 0;
  const send = async (spans: ReadableSpan[]) => {
    const body = JsonTraceSerializer.serializeRequest(spans);
    if (body === undefined) return;
    const signal = AbortSignal.any([scope.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { "content-type": "application/json", "user-agent": "oakvoice", ...authorization };
    const { ok, status, body: answer } = await egress.fetch(url, { method: "POST", headers, body, signal });
    await answer?.cancel();
    if (!ok) throw new Error(`status ${String(status)}`);
  };
  return {
    get dropped() {
      return dropped;
    },
    export(spans, report) {
      const delivered = () => {
        failures.succeeded();
        report({ code: SUCCESS });
      };
      send(spans).then(delivered, (error: unknown) => {
        dropped += spans.length;
        failures.failed(reasonOf(url.host, error).message);
        report({ code: FAILED });
      });
    },
    async shutdown() {
      scope.abort();
      return Promise.resolve();
    },
  };
}
