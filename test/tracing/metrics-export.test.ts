import { onTestFinished, expect, test } from "vitest";
import { serverConfigSchema } from "../../src/config/server-config-schema.ts";
import { Metrics } from "../../src/metrics/metrics.ts";
import { silentLog } from "../../src/shared/log.ts";
import { openMetricsExport } from "../../src/tracing/metrics-export.ts";
import { answer, ToolServer } from "../support/tool-server.ts";

interface Point {
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
  readonly asDouble?: number;
  readonly count?: number;
  readonly sum?: number;
  readonly bucketCounts?: readonly number[];
  readonly explicitBounds?: readonly number[];
}
interface Metric {
  readonly name: string;
  readonly unit: string;
  readonly sum?: { readonly dataPoints: readonly Point[]; readonly isMonotonic: boolean; readonly aggregationTemporality: number }; // prettier-ignore
  readonly gauge?: { readonly dataPoints: readonly Point[] };
  readonly histogram?: { readonly dataPoints: readonly Point[]; readonly aggregationTemporality: number };
}

async function exported(metrics: Metrics, status = 200) {
  const receiver = await ToolServer.start(answer("{}", {}, status));
  onTestFinished(() => receiver.close());
  const config = {
    endpoint: `http://${receiver.host}`,
    serviceName: "front desk",
    intervalSeconds: 60,
    protocol: "http/json",
  } as const;
  await openMetricsExport(config, [receiver.host], metrics.registry, silentLog).close();
  return receiver.requests;
}

test("the metrics reach an OTLP receiver with the names, labels and numbers of /metrics", async () => {
  const metrics = new Metrics();
  metrics.turns.inc(3);
  metrics.toolCalls.inc({ tool: "book", outcome: "done" }, 2);
  for (const seconds of [0.03, 0.3, 20]) metrics.stage.observe({ stage: "llm_reply" }, seconds);
  metrics.gauge("oakvoice_calls", "Calls", () => 5);
  const [request, ...others] = await exported(metrics);
  expect(others).toEqual([]);
  expect(`${request?.method ?? ""} ${request?.path ?? ""}`).toBe("POST /v1/metrics");
  const body = JSON.parse(request?.body ?? "") as { resourceMetrics: { resource: { attributes: object[] }; scopeMetrics: { metrics: Metric[] }[] }[] }; // prettier-ignore
  const [resource] = body.resourceMetrics;
  expect(resource?.resource.attributes).toContainEqual({ key: "service.name", value: { stringValue: "front desk" } });
  const all = resource?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
  const named = (name: string) => all.find((metric) => metric.name === name);
  expect(named("oakvoice_turns_total")?.sum).toMatchObject({ isMonotonic: true, aggregationTemporality: 2, dataPoints: [{ asDouble: 3 }] }); // prettier-ignore
  expect(named("oakvoice_tool_calls_total")?.sum?.dataPoints).toContainEqual(
    expect.objectContaining({
      asDouble: 2,
      attributes: [
        { key: "tool", value: { stringValue: "book" } },
        { key: "outcome", value: { stringValue: "done" } },
      ],
    }),
  );
  expect(named("oakvoice_calls")?.gauge?.dataPoints).toMatchObject([{ asDouble: 5 }]);
  const stage = named("oakvoice_stage_seconds");
  expect(stage?.unit).toBe("s");
  const [point] = stage?.histogram?.dataPoints ?? [];
  expect(point).toMatchObject({ count: 3, attributes: [{ key: "stage", value: { stringValue: "llm_reply" } }] });
  expect(point?.sum).toBeCloseTo(20.33, 6);
  expect(point?.bucketCounts).toHaveLength((point?.explicitBounds?.length ?? 0) + 1);
  const at = (limit: number) => point?.bucketCounts?.[point.explicitBounds?.indexOf(limit) ?? -1];
  expect([at(0.05), at(0.4), point?.bucketCounts?.at(-1)]).toEqual([1, 1, 1]);
  expect(point?.bucketCounts?.reduce((sum, count) => sum + count, 0)).toBe(3);
  // Every metric of /metrics is there.
  expect(all.map(({ name }) => name)).toEqual(metrics.registry.getMetricsAsArray().map(({ name }) => name));
});

test("a receiver that fails costs the values of one interval and nothing else", async () => {
  expect(await exported(new Metrics(), 500)).toHaveLength(1);
});

test("a host that is not listed is refused in the configuration", () => {
  const { error } = serverConfigSchema.safeParse({ metrics_export: { endpoint: "https://otel.example:4318" } });
  expect(error?.issues[0]?.message).toContain("otel.example:4318 is not in egress.allowed_hosts");
});
