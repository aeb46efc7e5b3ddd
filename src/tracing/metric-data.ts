import type { HrTime } from "@opentelemetry/api";
import { ValueType } from "@opentelemetry/api";
import { AggregationTemporality, DataPointType, type MetricData } from "@opentelemetry/sdk-metrics";
import type { MetricObjectWithValues, MetricValueWithName } from "prom-client";

type Labels = Readonly<Record<string, string | number>>;
type Series = MetricObjectWithValues<MetricValueWithName<string>>;

/** The metrics of the server as OpenTelemetry's. Counters and histograms count from the start of the process. */
export function metricData(all: readonly Series[], nowMs: number): MetricData[] {
  const times = { startTime: timeOf(performance.timeOrigin), endTime: timeOf(nowMs) };
  return all.map((metric): MetricData => {
    const descriptor = {
      name: metric.name,
      description: metric.help,
      unit: unitOf(metric.name),
      valueType: ValueType.DOUBLE,
    };
    const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE } as const;
    const points = () => metric.values.map(({ value, labels }) => ({ ...times, attributes: labels as Labels, value }));
    // prom-client has types as texts.
    switch (metric.type as unknown as string) {
      case "counter":
        return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
      case "histogram":
        return {
          ...common,
          dataPointType: DataPointType.HISTOGRAM,
          dataPoints: histograms(metric).map((histogram) => ({ ...times, ...histogram })),
        };
      default:
        return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: points() };
    }
  });
}

function unitOf(name: string): string {
  if (name.endsWith("_seconds") || name.endsWith("_seconds_total")) return "s";
  return name.endsWith("_bytes") ? "By" : "1";
}

interface Buckets {
  readonly attributes: Labels;
  /** Counts up to each limit, with those below it. */
  readonly upTo: [limit: number, count: number][];
  sum: number;
  count: number;
}

/** One value for each set of labels. */
function histograms({ name, values }: Series) {
  const found = new Map<string, Buckets>();
  for (const { metricName, value, labels } of values) {
    const { le, ...attributes } = labels as Labels;
    const key = JSON.stringify(attributes);
    const own = found.get(key) ?? { attributes, upTo: [], sum: 0, count: 0 };
    found.set(key, own);
    if (metricName === `${name}_sum`) own.sum = value;
    else if (metricName === `${name}_count`) own.count = value;
    else if (le !== undefined && le !== "+Inf") own.upTo.push([Number(le), value]);
  }
  return Array.from(found.values(), ({ attributes, upTo, sum, count }) => {
    const sorted = upTo.toSorted(([one], [other]) => one - other);
    const limits = sorted.map(([limit]) => limit);
    const below = [0, ...sorted.map(([, each]) => each)];
    const counts = [...sorted.map(([, each]) => each), count].map((each, at) => each - (below[at] ?? 0));
    return { attributes, value: { buckets: { boundaries: limits, counts }, sum, count } };
  });
}

function timeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
