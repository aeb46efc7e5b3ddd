import { axis, plot, SHARES, type Line } from "../plot.ts";
import { quantile } from "../../src/simulated-callers/statistics.ts";
import { BUSY_SHARE, fleetOptions, rateFor, warmFleet } from "./conditions.ts";
import { loadFor } from "./erlang.ts";
import type { BoxState } from "./box.ts";
import { percent, type Study } from "./study.ts";

const PLACES = 8;
/** Until the calls have continued or are lost. */
const AFTER_SECONDS = 120;

interface Failure {
  readonly name: string;
  readonly state: BoxState;
  /** Seconds until a caller notices. */
  readonly notice: (random: () => number) => number;
}

const FAILURES: readonly Failure[] = [
  // The system closes the sockets of a killed process at once.
  { name: "process killed", state: "dead", notice: () => 0 },
  // Two failed checks 1 s apart, each with a time-out of 1 s, then `on-marked-down shutdown-sessions` closes the connections.
  { name: "network cut, balancer closes", state: "cut", notice: (random) => 2 + random() },
  // The typed client asks every 15 s, and counts 15 s without an answer as a lost connection.
  { name: "network cut, client notices", state: "cut", notice: (random) => 15 + 15 * random() },
];

const CASES = [
  { boxes: 3, dead: 1 },
  { boxes: 10, dead: 1 },
  { boxes: 100, dead: 1 },
  { boxes: 100, dead: 10 },
];

/** The price of a dead box. `rounds`: how often each case is repeated. */
export function failures(rounds: number): Study {
  const data = FAILURES.flatMap((failure) =>
    CASES.map(({ boxes, dead }) => ({ failure: failure.name, boxes, dead, ...repeat(failure, boxes, dead, rounds) })),
  );
  const [largest] = CASES.filter(({ boxes, dead }) => boxes === 100 && dead === 1);
  const lines = data
    .filter(({ boxes, dead }) => boxes === largest?.boxes && dead === largest.dead)
    .map(({ failure, gaps }): Line => {
      const sorted = gaps.toSorted((a, b) => a - b);
      return { name: failure, points: sorted.map((gap, at) => [gap, (at + 1) / sorted.length] as const) };
    });
  const across = axis(
    Math.max(...lines.flatMap(({ points }) => points.map(([gap]) => gap))),
    1,
    (s) => `${String(s)} s`,
  );
  return {
    name: "failure",
    title: "The price of a dead box",
    text: `${String(PLACES)} places a box; the fleet is as full as Erlang B allows for 0.1 % busy. Callers reconnect with the typed client's back-off, and may continue for 60 s. Seconds: from the failure until the call is open on another box; the next answer comes on top.`,
    table: [
      {
        name: "boxes, dead; how",
        cells: ["fill", "calls hit", "continued", "lost", "seconds p50", "p95", "most", "busy after"],
      },
      ...data.map(({ failure, boxes, dead, fill, hit, resumed, lost, gaps, busy }) => ({
        name: `${String(boxes)}, ${String(dead)}; ${failure}`,
        cells: [
          percent(fill),
          (hit / rounds).toFixed(1),
          percent(resumed / hit),
          percent(lost / hit),
          ...[0.5, 0.95, 1].map((q) => quantile(gaps, q).toFixed(1)),
          percent(busy),
        ],
      })),
    ],
    figure: plot("100 boxes, one fails: calls that continue within", across, SHARES, lines),
    data: data.map(({ gaps, ...rest }) => ({ ...rest, seconds: [0.5, 0.95, 1].map((q) => quantile(gaps, q)) })),
  };
}

function repeat({ state, notice }: Failure, boxes: number, dead: number, rounds: number) {
  const fill = loadFor(BUSY_SHARE, boxes * PLACES) / (boxes * PLACES);
  const total = { fill, hit: 0, resumed: 0, lost: 0, gaps: [] as number[], busy: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const options = fleetOptions({ boxes, placesPerBox: PLACES }, round + 1);
    const rate = rateFor(fill, options);
    const fleet = warmFleet(options, rate);
    for (const box of fleet.boxes.slice(0, dead)) {
      box.state = state;
      total.hit += box.calls.size;
      fleet.breakCalls(box, () => notice(options.random));
    }
    fleet.run(fleet.nowSeconds + AFTER_SECONDS, rate);
    total.resumed += fleet.counts.resumed;
    total.lost += fleet.counts.lost;
    total.gaps.push(...fleet.gaps);
    total.busy += fleet.counts.busy / Math.max(1, fleet.counts.offered) / rounds;
  }
  return total;
}
