import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { errorMessage, OakError } from "../shared/errors.ts";
import type { StageSummary } from "./summary.ts";

export const limitsSchema = z.record(z.string(), z.number());

/** Highest values that pass, by name: `missed_turns`, `voice_to_voice.p95`. */
export type Limits = z.infer<typeof limitsSchema>;

/** @throws OakError `BENCH_FAILED`. */
export function loadLimits(path: string): Limits {
  try {
    return limitsSchema.parse(parse(readFileSync(path, "utf8")));
  } catch (cause) {
    const message = cause instanceof z.ZodError ? z.prettifyError(cause) : errorMessage(cause);
    throw new OakError(`The limits ${path} cannot be used: ${message}`, { code: "BENCH_FAILED", cause });
  }
}

/** One line for each limit that a stage exceeds. A missing measure exceeds its limit. */
export function failures(summary: StageSummary, limits: Limits): string[] {
  return Object.entries(limits).flatMap(([name, limit]) => {
    const value = valueOf(summary, name);
    if (value !== undefined && value <= limit) return [];
    const found = value === undefined ? "was not measured" : `is ${String(Number(value.toFixed(3)))}`;
    return [`${name} with ${String(summary.callers)} callers ${found}; the limit is ${String(limit)}`];
  });
}

/** The value of a measure, or undefined when it was not measured. @throws OakError `BENCH_FAILED` for a name that no summary has. */
export function valueOf(summary: StageSummary, name: string): number | undefined {
  const [field = "", ...path] = name.split(".");
  if (!(field in summary)) throw new OakError(`Unknown measure "${name}".`, { code: "BENCH_FAILED" });
  const measure = summary[field as keyof StageSummary];
  if (measure === undefined) return undefined;
  const value = path.reduce<unknown>(
    (within, key) => (typeof within === "object" ? (within as Readonly<Record<string, unknown>>)[key] : undefined),
    measure,
  );
  if (typeof value === "number") return value;
  throw new OakError(`"${name}" is not a number: times have p50, p95, p99 and max.`, { code: "BENCH_FAILED" });
}
