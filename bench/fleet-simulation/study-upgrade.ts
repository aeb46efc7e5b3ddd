import { BUSY_SHARE, fleetOptions, rateFor, warmFleet } from "./conditions.ts";
import { loadFor } from "./erlang.ts";
import type { Box } from "./box.ts";
import type { Fleet } from "./fleet.ts";
import { percent, type Study } from "./study.ts";

/** From the start of a new box until `/readyz` is 200. An assumption: image, models, warm-up. */
export const LOAD_SECONDS = 60;
const BOXES = 100;
const PLACES = 8;

/**
 * `spare`: so many boxes more than usual run at most. `deployment`: Kubernetes starts a new box as soon as an old one drains,
 * because a terminating pod does not count. `none`: no spare boxes; a box starts when a drained one has ended.
 */
type Way = "spare" | "deployment" | "none";

interface Upgrade {
  readonly way: Way;
  /** Boxes that change at a time. */
  readonly atOnce: number;
  /** A drained box ends its calls after this. */
  readonly drainSeconds: number;
}

const UPGRADES: readonly Upgrade[] = [
  ...[0, 60, 600, 3600].map((drainSeconds) => ({ way: "spare" as const, atOnce: 5, drainSeconds })),
  { way: "spare", atOnce: 1, drainSeconds: 600 },
  { way: "spare", atOnce: 20, drainSeconds: 600 },
  { way: "deployment", atOnce: 5, drainSeconds: 600 },
  { way: "deployment", atOnce: 5, drainSeconds: 3600 },
  { way: "none", atOnce: 5, drainSeconds: 600 },
  { way: "none", atOnce: 1, drainSeconds: 600 },
];

/** The price of upgrading a whole fleet. */
export function upgrades(): Study {
  const fill = loadFor(BUSY_SHARE, BOXES * PLACES) / (BOXES * PLACES);
  const fills = [fill, fill / 2];
  const data = fills.flatMap((full) => UPGRADES.map((upgrade) => ({ ...upgrade, fill: full, ...run(upgrade, full) })));
  return {
    name: "upgrade",
    title: `A rolling upgrade of ${String(BOXES)} boxes`,
    text: `${String(PLACES)} places a box, ${String(LOAD_SECONDS)} s to start one. "spare": that many boxes more than usual. "deployment": Kubernetes counts no terminating pods, so the draining boxes come on top. "none": no spare boxes. Calls that are open at the end of the drain move to another box.`,
    table: [
      {
        name: "way, at once, drain",
        cells: ["fill", "hours", "most boxes more", "box-hours more", "calls moved", "of all", "lost", "busy"],
      },
      ...data.map(
        ({ way, atOnce, drainSeconds, fill: full, hours, mostExtra, extraBoxHours, moved, lost, offered, busy }) => ({
          name: `${way}, ${String(atOnce)}, ${String(drainSeconds / 60)} min`,
          cells: [
            percent(full, 0),
            hours.toFixed(1),
            String(mostExtra),
            extraBoxHours.toFixed(1),
            String(moved),
            percent(moved / offered, 2),
            String(lost),
            percent(busy, 2),
          ],
        }),
      ),
    ],
    data,
  };
}

/** The boxes of an upgrade: old ones first, then places for their successors. */
class Rollout {
  readonly #fleet: Fleet;
  readonly #upgrade: Upgrade;
  readonly #old: Box[];
  readonly #unborn: Box[];
  readonly #draining = new Map<Box, number>();
  readonly #starting = new Map<Box, number>();
  #served = 0;
  mostExtra = 0;
  extraBoxSeconds = 0;
  moved = 0;

  constructor(fleet: Fleet, upgrade: Upgrade) {
    this.#fleet = fleet;
    this.#upgrade = upgrade;
    this.#old = fleet.boxes.slice(0, BOXES);
    this.#unborn = fleet.boxes.slice(BOXES);
  }

  get isDone(): boolean {
    return this.#served === BOXES && this.#old.length === 0 && this.#draining.size === 0;
  }

  /** One second of the upgrade. */
  step(): void {
    const { way, atOnce, drainSeconds } = this.#upgrade;
    const now = this.#fleet.nowSeconds;
    for (const [box, since] of this.#draining) if (box.calls.size === 0 || now - since >= drainSeconds) this.#end(box);
    for (const [box, since] of this.#starting) if (now - since >= LOAD_SECONDS) this.#serve(box);
    const running = () => this.#old.length + this.#draining.size + this.#starting.size + this.#served;
    const counted = () => running() - (way === "deployment" ? this.#draining.size : 0);
    const most = BOXES + (way === "none" ? 0 : atOnce);
    while (counted() < most && this.#unborn.length > 0) this.#starting.set(start(this.#unborn.shift()!), now);
    const serving = () => this.#old.length + this.#served;
    const fewest = BOXES - (way === "none" ? atOnce : 0);
    while (serving() > fewest && this.#old.length > 0) this.#draining.set(drain(this.#old.shift()!), now);
    const extra = running() - BOXES;
    this.mostExtra = Math.max(this.mostExtra, extra);
    this.extraBoxSeconds += Math.max(0, extra);
  }

  #serve(box: Box): void {
    this.#starting.delete(box);
    this.#served += 1;
    box.state = "serving";
  }

  #end(box: Box): void {
    this.#draining.delete(box);
    this.moved += box.calls.size;
    this.#fleet.breakCalls(box, () => 0);
    box.state = "dead";
  }
}

function start(box: Box): Box {
  box.state = "starting";
  return box;
}

function drain(box: Box): Box {
  box.state = "draining";
  return box;
}

function run(upgrade: Upgrade, fill: number) {
  const options = fleetOptions({ boxes: 2 * BOXES, placesPerBox: PLACES });
  const rate = rateFor(fill, { boxes: BOXES, placesPerBox: PLACES });
  const fleet = warmFleet(options, rate, (at) => (at < BOXES ? "serving" : "dead"));
  const began = fleet.nowSeconds;
  const rollout = new Rollout(fleet, upgrade);
  while (!rollout.isDone) {
    rollout.step();
    fleet.run(fleet.nowSeconds + 1, rate);
  }
  const { moved, mostExtra, extraBoxSeconds } = rollout;
  const { offered, busy, lost } = fleet.counts;
  const hours = (fleet.nowSeconds - began) / 3600;
  return { hours, mostExtra, extraBoxHours: extraBoxSeconds / 3600, moved, lost, offered, busy: busy / offered };
}
