import type { SpanExporter } from "@opentelemetry/sdk-trace";
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { OtlpSender, type OtlpOptions } from "./otlp-sender.ts";

/** Sends spans. Those that are not delivered are dropped. */
export function otlpExporter(options: Omit<OtlpOptions, "what">): SpanExporter & { readonly dropped: number } {
  const sender = new OtlpSender({ ...options, what: "spans" });
  let dropped = 0;
  return {
    get dropped() {
      return dropped;
    },
    export: (spans, report) =>
      sender.send(
        spans,
        { json: JsonTraceSerializer, protobuf: ProtobufTraceSerializer },
        report,
        () => (dropped += spans.length),
      ),
    async shutdown() {
      sender.stop();
      return Promise.resolve();
    },
  };
}
