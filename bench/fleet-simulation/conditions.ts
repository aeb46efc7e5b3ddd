import { seededRandom } from "../../src/simulated-callers/random.ts";
import { bisect } from "./erlang.ts";
import { callSeconds, MEAN_CALL_SECONDS } from "./calls.ts";
import type { Box } from "./box.ts";
import type { HealthChecks } from "./health.ts";
import { Fleet, type FleetOptions } from "./fleet.ts";

/** Before a measurement: eight mean calls, until as many calls end as begin. */
const WARM_UP_SECONDS = 8 * MEAN_CALL_SECONDS;

/** The checks of deploy/haproxy without agents. The rule is `leastconn` then. */
export const READY: HealthChecks = { everySeconds: 1, fall: 2, rise: 1, learns: "ready" };

export const BUSY_SHARE = 0.001;

/** The conditions of all studies, unless a study changes them. */
export function fleetOptions(changes: Partial<FleetOptions>, seed = 1): FleetOptions {
  return {
    boxes: 100,
    placesPerBox: 8,
    balancers: 2,
    rule: "leastconn",
    refusesBeforeUpgrade: true,
    retries: 3,
    health: READY,
    resumeSeconds: 60,
    connectTimeoutSeconds: 5,
    callSeconds,
    random: seededRandom(seed),
    ...changes,
  };
}

/** Calls per second that keep this share of the places taken. */
export const rateFor = (fill: number, { boxes, placesPerBox }: Pick<FleetOptions, "boxes" | "placesPerBox">): number =>
  (fill * boxes * placesPerBox) / MEAN_CALL_SECONDS;

/** A fleet after the warm-up, with its counts at 0. */
export function warmFleet(options: FleetOptions, rate: number, state?: (box: number) => Box["state"]): Fleet {
  const fleet = new Fleet(options, state);
  fleet.run(WARM_UP_SECONDS, rate);
  fleet.startCounting();
  return fleet;
}

/** Share of calls that found all places taken. Stops when more than `enough` of them were busy. */
export function busyShare(options: FleetOptions, fill: number, calls: number, enough = Infinity): number {
  const rate = rateFor(fill, options);
  const fleet = warmFleet(options, rate);
  const endSeconds = fleet.nowSeconds + calls / rate;
  const step = calls / rate / 20;
  while (fleet.nowSeconds < endSeconds - step / 2 && fleet.counts.busy <= enough)
    fleet.run(fleet.nowSeconds + step, rate);
  return fleet.counts.busy / Math.max(1, fleet.counts.offered);
}

/** Large fleets need more calls, so that their number of open calls goes up and down often enough. */
const PLACES_OF_A_SAMPLE = 3_000;

/** The largest share of taken places at which at most one call in a thousand is busy. `calls`: simulated for each fill, at least. */
export function largestFill(changes: Partial<FleetOptions>, calls: number): number {
  const { boxes, placesPerBox } = fleetOptions(changes);
  const sample = calls * Math.max(1, (boxes * placesPerBox) / PLACES_OF_A_SAMPLE);
  return bisect(0.2, 1, 7, (fill) => busyShare(fleetOptions(changes), fill, sample, BUSY_SHARE * sample) <= BUSY_SHARE);
}
