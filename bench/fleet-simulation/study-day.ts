import { axis, plot, SHARES } from "../plot.ts";
import { callsPerSecond, MEAN_CALL_SECONDS, peakCallsPerSecond } from "./calls.ts";
import { BUSY_SHARE, fleetOptions, largestFill, warmFleet } from "./conditions.ts";
import { erlangB } from "./erlang.ts";
import type { Fleet } from "./fleet.ts";
import { percent, type Study } from "./study.ts";
import { LOAD_SECONDS } from "./study-upgrade.ts";

const HOUR = 3600;
/** How often the number of boxes follows the number of calls. */
const SCALE_EVERY_SECONDS = 15;
/** Kubernetes removes boxes only when fewer were enough for this long. */
const STEADY_SECONDS = 300;

/** The smallest number of boxes with 0.1 % busy at the peak: Erlang B, then what the balancers reach with so many boxes. */
function boxesFor(callsADay: number, placesPerBox: number): number {
  const load = peakCallsPerSecond(callsADay) * MEAN_CALL_SECONDS;
  let boxes = Math.ceil(load / placesPerBox);
  while (erlangB(load, boxes * placesPerBox) > BUSY_SHARE) boxes += 1;
  return Math.ceil(load / placesPerBox / largestFill({ boxes, placesPerBox }, 100_000));
}

export interface DayFacts {
  readonly places: number;
  /** Undefined: all boxes run all day. */
  readonly targetFill: number | undefined;
  readonly boxes: number;
  readonly boxHours: number;
  readonly callHours: number;
  readonly offered: number;
  readonly busy: number;
  readonly worstHour: number;
  readonly hours: readonly { readonly openCalls: number; readonly boxes: number }[];
}

/** A working day, with a fixed fleet and with one that follows the calls. */
export function days(callsADay: number): { readonly study: Study; readonly facts: readonly DayFacts[] } {
  const facts = [5, 8, 32].flatMap((places) =>
    [undefined, 0.8].map((targetFill) => simulateDay(callsADay, places, targetFill)),
  );
  const shown = facts.filter(({ places }) => places === 8);
  const most = Math.max(...shown.map(({ boxes }) => boxes));
  const lines = shown.map(({ targetFill, hours }) => ({
    name: targetFill === undefined ? "fixed" : `scaled to ${percent(targetFill, 0)}`,
    points: hours.map(({ boxes }, hour) => [hour + 0.5, boxes / most] as const),
  }));
  const calls = shown[0]?.hours.map(({ openCalls }, hour) => [hour + 0.5, openCalls / most / 8] as const) ?? [];
  return {
    facts,
    study: {
      name: "day",
      title: `${callsADay.toLocaleString("en")} calls a day`,
      text: `leastconn, refusal before the upgrade, enough boxes for 0.1 % busy at the peak. Scaled: every ${String(SCALE_EVERY_SECONDS)} s the boxes for the open calls at that fill; a box takes ${String(LOAD_SECONDS)} s to start and drains before it ends.`,
      table: [
        {
          name: "places a box, scaling",
          cells: ["boxes", "calls", "busy", "busy in the worst hour", "box-hours", "hours of calls", "mean fill"],
        },
        ...facts.map(({ places, targetFill, boxes, offered, busy, worstHour, boxHours, callHours }) => ({
          name: `${String(places)}, ${targetFill === undefined ? "fixed" : `to ${percent(targetFill, 0)}`}`,
          cells: [
            String(boxes),
            offered.toLocaleString("en"),
            percent(busy / offered, 3),
            percent(worstHour, 3),
            boxHours.toFixed(0),
            callHours.toFixed(0),
            percent(callHours / boxHours / places),
          ],
        })),
      ],
      figure: plot(
        `Boxes through the day, share of ${String(most)} boxes of 8 places`,
        axis(24, 6, (hour) => `${String(hour)} h`),
        SHARES,
        [...lines, { name: "open calls", points: calls }],
      ),
      data: facts,
    },
  };
}

function simulateDay(callsADay: number, places: number, targetFill: number | undefined): DayFacts {
  const boxes = boxesFor(callsADay, places);
  const peak = peakCallsPerSecond(callsADay);
  const fleet = warmFleet(fleetOptions({ boxes, placesPerBox: places }), callsPerSecond(callsADay, 0));
  const midnight = fleet.nowSeconds;
  const rate = (seconds: number) => callsPerSecond(callsADay, seconds - midnight);
  const follow = targetFill === undefined ? undefined : new Follower(fleet, places * targetFill);
  const counts = () => ({ ...fleet.counts });
  const hours: { openCalls: number; boxes: number }[] = [];
  let worstHour = 0;
  let boxSeconds = 0;
  for (let hour = 0; hour < 24; hour += 1) {
    const before = counts();
    const secondsBefore = boxSeconds;
    const callSecondsBefore = fleet.callSeconds;
    for (let step = 0; step < HOUR / SCALE_EVERY_SECONDS; step += 1) {
      follow?.step();
      boxSeconds += fleet.boxes.filter(({ state }) => state !== "dead").length * SCALE_EVERY_SECONDS;
      fleet.run(fleet.nowSeconds + SCALE_EVERY_SECONDS, peak, rate);
    }
    const offered = fleet.counts.offered - before.offered;
    worstHour = Math.max(worstHour, (fleet.counts.busy - before.busy) / Math.max(1, offered));
    const openCalls = (fleet.callSeconds - callSecondsBefore) / HOUR;
    hours.push({ openCalls, boxes: (boxSeconds - secondsBefore) / HOUR });
  }
  const { offered, busy } = fleet.counts;
  const boxHours = boxSeconds / HOUR;
  return { places, targetFill, boxes, boxHours, callHours: fleet.callSeconds / HOUR, offered, busy, worstHour, hours };
}

/** Starts and drains boxes so that the open calls fill a share of their places, as KEDA does by a metric. */
class Follower {
  readonly #fleet: Fleet;
  readonly #callsPerBox: number;
  readonly #startedAt = new Map<number, number>();
  /** The numbers of boxes wanted lately. */
  readonly #wanted: number[] = [];

  constructor(fleet: Fleet, callsPerBox: number) {
    this.#fleet = fleet;
    this.#callsPerBox = callsPerBox;
  }

  step(): void {
    const { boxes, nowSeconds, open } = this.#fleet;
    for (const [at, box] of boxes.entries()) {
      if (box.state === "starting" && nowSeconds - (this.#startedAt.get(at) ?? 0) >= LOAD_SECONDS)
        box.state = "serving";
      if (box.state === "draining" && box.calls.size === 0) box.state = "dead";
    }
    this.#wanted.push(Math.min(boxes.length, Math.max(3, Math.ceil(open / this.#callsPerBox))));
    if (this.#wanted.length > STEADY_SECONDS / SCALE_EVERY_SECONDS) this.#wanted.shift();
    const active = boxes.filter(({ state }) => state === "serving" || state === "starting").length;
    this.#change(Math.max(...this.#wanted) - active);
  }

  #change(more: number): void {
    let left = more;
    for (const [at, box] of this.#fleet.boxes.entries()) {
      if (left <= 0) break;
      if (box.state !== "dead") continue;
      box.state = "starting";
      this.#startedAt.set(at, this.#fleet.nowSeconds);
      left -= 1;
    }
    // The last boxes first, as a Deployment has no order that knows calls.
    for (const box of this.#fleet.boxes.toReversed()) {
      if (left >= 0) break;
      if (box.state !== "serving") continue;
      box.state = "draining";
      left += 1;
    }
  }
}
