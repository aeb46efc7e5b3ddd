import type { RunningFleet } from "./running-fleet.ts";

export interface Fault {
  readonly name: string;
  readonly does: string;
  /** Undefined: nothing happens. */
  readonly strike?: (fleet: RunningFleet) => void | Promise<void>;
  readonly needsNamespaces?: boolean;
}

/** The box that the faults hit. */
const HIT = 0;

export const FAULTS: readonly Fault[] = [
  { name: "none", does: "nothing" },
  { name: "kill", does: "one box is killed (-9)", strike: ({ boxes }) => boxes[HIT]?.server.signal("SIGKILL") },
  { name: "drain", does: "one box is stopped (SIGTERM)", strike: ({ boxes }) => boxes[HIT]?.server.signal("SIGTERM") },
  { name: "redis", does: "Redis is killed", strike: async ({ redis }) => redis.stop("SIGKILL") },
  {
    name: "cut",
    does: "the network of one box is cut",
    strike: ({ boxes }) => boxes[HIT]?.place.cut?.(),
    needsNamespaces: true,
  },
];
