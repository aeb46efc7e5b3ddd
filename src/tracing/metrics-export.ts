import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  MeterProvider,
  PeriodicExportingMetricReader,
  type MetricProducer,
  type PushMetricExporter,
} from "@opentelemetry/sdk-metrics";
import { JsonMetricsSerializer, ProtobufMetricsSerializer } from "@opentelemetry/otlp-transformer";
import type { Registry } from "prom-client";
import type { MetricsExportConfig } from "../config/server-config.ts";
import { Egress } from "../egress/egress.ts";
import type { AllowedHost } from "../egress/host-rules.ts";
import type { Log } from "../shared/log.ts";
import { packageVersion } from "../shared/package-root.ts";
import { otlpTarget } from "./otlp-target.ts";
import { OtlpSender } from "./otlp-sender.ts";
import { metricData } from "./metric-data.ts";

export interface MetricsExport {
  /** Sends the last values. */
  close(): Promise<void>;
}

/** Sends the metrics of `/metrics` at an interval: the same names, labels and numbers. Loaded only when it is configured. @throws OakError `CONFIG_INVALID`. */
export function openMetricsExport(
  config: MetricsExportConfig,
  hosts: readonly AllowedHost[],
  registry: Registry,
  log: Log,
): MetricsExport {
  const egress = new Egress(hosts, { keepsConnections: true });
  const target = otlpTarget("metrics_export", config, "/v1/metrics");
  const sender = new OtlpSender({ ...target, egress, log, what: "metrics" });
  const exporter: PushMetricExporter = {
    export: (metrics, report) =>
      sender.send(metrics, { json: JsonMetricsSerializer, protobuf: ProtobufMetricsSerializer }, report),
    selectAggregationTemporality: () => AggregationTemporality.CUMULATIVE,
    forceFlush: () => Promise.resolve(),
    shutdown() {
      sender.stop();
      return Promise.resolve();
    },
  };
  const resource = resourceFromAttributes({
    "service.name": config.serviceName,
    "service.version": packageVersion(),
  });
  const scope = { name: "oakvoice", version: packageVersion() };
  const producer: MetricProducer = {
    async collect() {
      const metrics = metricData(await registry.getMetricsAsJSON(), Date.now());
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
    },
  };
  const intervalMs = config.intervalSeconds * 1000;
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: Math.min(intervalMs, 15_000),
    metricProducers: [producer],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return {
    async close() {
      await provider.shutdown().catch(() => undefined);
      await egress.close();
    },
  };
}
