import type { CallRecord } from "../../src/simulated-callers/call-figures.ts";
import { leakedWords } from "../../src/simulated-callers/leaks.ts";
import { measureCall } from "../../src/simulated-callers/measures.ts";
import { summarise, type Summary } from "../../src/simulated-callers/statistics.ts";
import type { BalancerLog } from "./balancer-log.ts";
import type { StoreUse } from "./store-use.ts";
import type { CallsRun } from "./run-calls.ts";

/** The losses by one fault. */
export interface Outcome {
  readonly fault: string;
  readonly calls: number;
  /** Attempts to begin a call that failed. */
  readonly refused: number;
  /** Calls whose connection was lost. */
  readonly hit: number;
  readonly resumed: number;
  /** Calls that ended, or whose caller had to begin a new conversation. */
  readonly lost: number;
  readonly turns: number;
  /** Turns without an audible answer within the scenario's time. */
  readonly turnsLost: number;
  readonly backSeconds: Summary | undefined;
  /** From the fault until the caller of a hit call heard speech again. */
  readonly nextAnswerSeconds: Summary | undefined;
  /** Messages of other sessions, and other callers' words. */
  readonly leaks: number;
  readonly errors: Readonly<Record<string, number>>;
  readonly log: BalancerLog;
  readonly callSeconds: number;
  /** During the calls. Undefined when Redis was not there at the end. */
  readonly store?: StoreUse;
}

export function outcomeOf(
  fault: string,
  { records, refused, strikeMs, callSeconds }: CallsRun,
  log: BalancerLog,
): Outcome {
  const hit = records.filter(isHit);
  const resumed = hit.filter(
    ({ breaks, closed }) => closed === undefined && breaks.every(({ isResumed }) => isResumed),
  );
  const turns = records.flatMap(measureCall);
  const events = records.flatMap((record) => record.events);
  const errors: Record<string, number> = {};
  for (const event of events) if (event.type === "error") errors[event.code] = (errors[event.code] ?? 0) + 1;
  return {
    fault,
    calls: records.length,
    refused: refused.length,
    hit: hit.length,
    resumed: resumed.length,
    lost: hit.length - resumed.length,
    turns: turns.length,
    turnsLost: turns.filter(({ missed }) => missed).length,
    backSeconds: summarise(hit.flatMap(({ breaks }) => breaks.flatMap(secondsAway))),
    nextAnswerSeconds: summarise(
      strikeMs === undefined ? [] : hit.flatMap((record) => secondsToAnswer(record, strikeMs)),
    ),
    leaks:
      events.filter(({ type }) => type === "leak").length +
      records.flatMap((call) => leakedWords(call, records)).length,
    errors,
    log,
    callSeconds,
  };
}

const isHit = ({ breaks, closed }: CallRecord): boolean => breaks.length > 0 || closed !== undefined;

const secondsAway = ({ lostMs, backMs }: CallRecord["breaks"][number]): number[] =>
  backMs === undefined ? [] : [(backMs - lostMs) / 1000];

/** Until the first audible speech that arrived over the new connection. */
function secondsToAnswer({ breaks, audio }: CallRecord, strikeMs: number): number[] {
  const backMs = breaks.find(({ lostMs }) => lostMs >= strikeMs)?.backMs;
  if (backMs === undefined) return [];
  const chunk = audio.find(({ receivedMs, audibleMs }) => receivedMs >= backMs && audibleMs !== undefined);
  return chunk?.audibleMs === undefined ? [] : [(chunk.audibleMs - strikeMs) / 1000];
}
