import { ROOT_CONTEXT, trace, type Attributes } from "@opentelemetry/api";
import { TracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { TracingConfig } from "../config/server-config.ts";
import { Egress } from "../egress/egress.ts";
import type { AllowedHost } from "../egress/host-rules.ts";
import type { Log } from "../shared/log.ts";
import { packageVersion } from "../shared/package-root.ts";
import { parseTraceParent } from "../shared/traceparent.ts";
import { CallTrace, type TracedWords } from "./call-trace.ts";
import { otlpExporter } from "./otlp-exporter.ts";
import { otlpTarget } from "./otlp-target.ts";

/** Spans of a call are few. Further ones are dropped. */
const MOST_WAITING = 4_096;
const SEND_EVERY_MS = 5_000;

export interface TracedCall {
  readonly connectionId: string;
  /** The header of the handshake. */
  readonly traceparent: string | undefined;
  readonly attributes: Attributes;
  /** Redacts words of this call. Used only when the operator wants content. */
  readonly words: TracedWords;
  /** See `CallTraceOptions`. */
  readonly stages?: Readonly<Record<string, Attributes>>;
}

export interface Tracing {
  call(call: TracedCall): CallTrace;
  /** Sends what waits. */
  close(): Promise<void>;
}

/** Loaded only when traces are configured. @throws OakError `CONFIG_INVALID`. */
export function openTracing(config: TracingConfig, hosts: readonly AllowedHost[], log: Log): Tracing {
  const egress = new Egress(hosts, { keepsConnections: true });
  const exporter = otlpExporter({ ...otlpTarget("tracing", config, "/v1/traces"), egress, log });
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: MOST_WAITING,
    scheduledDelayMillis: SEND_EVERY_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": config.serviceName, "service.version": packageVersion() }),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer("oakvoice", packageVersion());
  return {
    call({ connectionId, traceparent, attributes, words, stages = {} }) {
      const parent = parseTraceParent(traceparent);
      const context =
        parent === undefined
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, {
              traceId: parent.traceId,
              spanId: parent.spanId,
              // The client's wish not to sample holds for its own backend.
              traceFlags: 1,
              isRemote: true,
            });
      return new CallTrace({
        tracer,
        parent: context,
        connectionId,
        attributes,
        nowMs: () => performance.timeOrigin + performance.now(),
        words: config.content ? words : undefined,
        stages,
      });
    },
    async close() {
      await provider.forceFlush().catch(() => undefined);
      await provider.shutdown().catch(() => undefined);
      await egress.close();
    },
  };
}
