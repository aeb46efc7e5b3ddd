import { DEFAULT_SETTINGS, type TurnSettings } from "../../src/config/settings/session-settings.ts";
import type { Expectation } from "../../src/language/expectation.ts";
import { turnPolicy } from "../../src/conversation/turn/evidence/policy.ts";
import type { Call } from "./call.ts";
import type { HeardCall } from "./hearing.ts";
import { replay, type Outcome } from "./replay.ts";

export interface Point {
  readonly thresholdSeconds: number;
  /** Share of the turns, 0-1. */
  readonly cutOffs: number;
  /** Delay from the last voiced sample to the end of the turn, for turns that were not cut off. */
  readonly meanDelayMs: number;
  readonly outcomes: readonly Outcome[];
}

export interface Curve {
  readonly name: string;
  readonly points: readonly Point[];
}

export interface HeardCalls {
  readonly call: Call;
  readonly heard: HeardCall;
}

const PLAIN = { mode: "standard", naturalPauses: false, speakingRateAdaptation: false } as const;
export const WAYS: readonly (Partial<TurnSettings> & { readonly name: string })[] = [
  { name: "silence only", ...PLAIN },
  { name: "standard", mode: "standard" },
  { name: "adaptive", mode: "adaptive" },
  { name: "aggressive", mode: "aggressive" },
  { name: "conservative", mode: "conservative" },
];

export async function measure(
  calls: readonly HeardCalls[],
  settings: Partial<TurnSettings>,
  thresholds: readonly number[],
  expectation: Expectation = "anything",
): Promise<readonly Point[]> {
  const points: Point[] = [];
  for (const thresholdSeconds of thresholds) {
    const policy = turnPolicy(
      { ...DEFAULT_SETTINGS.turnDetection, ...settings, silenceThresholdMs: 1000 * thresholdSeconds },
      expectation,
    );
    const outcomes: Outcome[] = [];
    // One after the other: the time of each decode counts.
    for (const { call, heard } of calls) outcomes.push(...(await replay(call, heard, policy)));
    const spoken = outcomes.filter(({ kind }) => kind !== "unheard");
    const delays = outcomes.filter((outcome) => outcome.kind === "ended").map(({ delayMs }) => delayMs);
    points.push({
      thresholdSeconds,
      cutOffs: 1 - delays.length / Math.max(1, spoken.length),
      meanDelayMs: delays.reduce((sum, delay) => sum + delay, 0) / Math.max(1, delays.length),
      outcomes,
    });
  }
  return points;
}

/**
 * The least mean delay with at most `share` of the turns cut off, interpolated between the two measured points around
 * it. Undefined when each measured threshold exceeds the share.
 */
export function delayAt(points: readonly Point[], share: number): number | undefined {
  const sorted = points.toSorted((a, b) => a.thresholdSeconds - b.thresholdSeconds);
  const first = sorted.findIndex(({ cutOffs }) => cutOffs <= share);
  const good = sorted[first];
  const bad = sorted[first - 1];
  if (good === undefined || bad === undefined) return good?.meanDelayMs;
  const part = (bad.cutOffs - share) / (bad.cutOffs - good.cutOffs);
  return bad.meanDelayMs + part * (good.meanDelayMs - bad.meanDelayMs);
}
