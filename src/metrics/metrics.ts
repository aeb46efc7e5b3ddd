import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { STAGE_FAILURES, type ToolOutcome } from "../conversation/events.ts";

/** Seconds: from a small model on an idle machine to longer than any caller waits. */
const LATENCY_BUCKETS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.25, 0.4, 0.6, 0.8, 1, 1.5, 2, 3, 5, 10];
const FACTOR_BUCKETS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 2, 5];

/**
 * Interval of the timer that measures the event loop's lag. The library's default of 10 ms took 0.25 % of a core on an idle
 * server, and 100 ms took 0.06 % more than this value.
 */
const EVENT_LOOP_TIMER_MS = 500;

const OUTCOMES: readonly ToolOutcome[] = ["done", "failed", "cancelled", "refused"];

type Reading = () => number | Readonly<Record<string, number>>;

/** Metrics in Prometheus' text format. No label and no value comes from a caller's words. */
export class Metrics {
  readonly registry = new Registry();
  /** Delays of the caller, by stage; see docs/operations.md. */
  readonly stage = this.#histogram("oakvoice_stage_seconds", "Time of one stage of a turn", ["stage"], LATENCY_BUCKETS);
  /** Compute time over audio time. */
  readonly realTimeFactor = this.#histogram(
    "oakvoice_real_time_factor",
    "Compute time per second of audio",
    ["engine"],
    FACTOR_BUCKETS,
  );
  readonly inFlight = new Gauge({
    name: "oakvoice_engine_requests",
    help: "Requests given to an engine and not answered yet: running and queued",
    labelNames: ["engine"],
    registers: [this.registry],
  });
  readonly failures = this.#counter("oakvoice_failures_total", "Errors of a call's stages sent to clients", ["code"]);
  readonly turns = this.#counter("oakvoice_turns_total", "Turns of callers with words in them", []);
  readonly doubtfulTurns = this.#counter(
    "oakvoice_doubtful_turns_total",
    "Turns whose words were probably not said",
    [],
  );
  readonly interruptions = this.#counter("oakvoice_interruptions_total", "Interrupted turns and replies", ["type"]);

  readonly toolCalls = this.#counter("oakvoice_tool_calls_total", "Calls of tools", ["tool", "outcome"]);
  readonly toolSeconds = this.#histogram("oakvoice_tool_seconds", "Time of a tool's call", ["tool"], LATENCY_BUCKETS);

  constructor() {
    // Every series begins at 0: a monitor sees no increase in a series that appears with its first event.
    for (const code of Object.values(STAGE_FAILURES)) this.failures.inc({ code }, 0);
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: EVENT_LOOP_TIMER_MS });
  }

  /** The series of a tool begin at 0 with the call that may use it. */
  offersTool(tool: string): void {
    for (const outcome of OUTCOMES) this.toolCalls.inc({ tool, outcome }, 0);
  }

  /** A number that is read at each scrape, by the values of one label when it has one. */
  gauge(name: string, help: string, read: Reading, label = "engine"): void {
    const gauge: Gauge = new Gauge({
      ...this.#readWith(name, help, read, label),
      collect: () => each(read(), label, (labels, value) => gauge.set(labels, value)),
    });
  }

  /** A number that only grows and restarts at 0. */
  counter(name: string, help: string, read: Reading, label = "engine"): void {
    const counter: Counter = new Counter({
      ...this.#readWith(name, help, read, label),
      collect() {
        counter.reset();
        each(read(), label, (labels, value) => counter.inc(labels, value));
      },
    });
  }

  #readWith(name: string, help: string, read: Reading, label: string) {
    return { name, help, labelNames: typeof read() === "number" ? [] : [label], registers: [this.registry] };
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets: number[],
  ): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }
}

function each(
  reading: ReturnType<Reading>,
  label: string,
  take: (labels: Readonly<Record<string, string>>, value: number) => void,
): void {
  if (typeof reading === "number") take({}, reading);
  else for (const [key, value] of Object.entries(reading)) take({ [label]: key }, value);
}
