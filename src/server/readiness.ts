import type { ServerStats } from "./admission.ts";

/** How much a box can take, for balancers. */
export interface Readiness {
  /** Why no call is taken now; undefined when one is. */
  readonly reason: string | undefined;
  readonly state: "up" | "full" | "draining" | "down";
  readonly freePlaces: number;
  /** Free places in percent of all places, for a box that takes calls. */
  readonly weight: number;
}

/** @param fault Why the box could take no call even with free places. */
export function readinessOf(
  { taken, isDraining }: Pick<ServerStats, "taken" | "isDraining">,
  places: number,
  fault: string | undefined,
): Readiness {
  const freePlaces = Math.max(0, places - taken);
  const none = { freePlaces, weight: 0 };
  if (isDraining) return { ...none, state: "draining", reason: "draining" };
  if (fault !== undefined) return { ...none, state: "down", reason: fault };
  if (freePlaces === 0) return { ...none, state: "full", reason: `all ${String(places)} calls are taken` };
  return { freePlaces, weight: Math.max(1, Math.round((100 * freePlaces) / places)), state: "up", reason: undefined };
}

/**
 * An answer to HAProxy's agent check. A draining box has weight 0: unlike the word `drain`, that ends with the next answer, and
 * leaves a server that the operator took out of service as it is.
 */
export function agentAnswer({ state, reason = "", weight }: Readiness): string {
  if (state === "down") return `down #${reason.replaceAll(/[^ -~]/gu, "")}\n`;
  // A full box stays the server of last choice: it refuses by itself, and a place may be free before the next check.
  if (state === "full") return "up 1%\n";
  return `up ${String(weight)}%\n`;
}
