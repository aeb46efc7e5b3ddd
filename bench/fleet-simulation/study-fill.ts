import { plot, SHARES, type Line } from "../plot.ts";
import { RULES, type Rule } from "./balancer.ts";
import { BUSY_SHARE, largestFill, READY } from "./conditions.ts";
import { loadFor } from "./erlang.ts";
import type { HealthChecks } from "./health.ts";
import { percent, type Study } from "./study.ts";

const BOXES = [3, 10, 100, 1000];
const PLACES = 8;

/** The limit by theory: a fleet whose every free place is found. */
const idealFill = (boxes: number, places: number) => loadFor(BUSY_SHARE, boxes * places) / (boxes * places);

/** How boxes refuse, and what the checks learn. */
const WAYS = [
  { name: "ready", refusesBeforeUpgrade: true, learns: "ready" },
  { name: "weight", refusesBeforeUpgrade: true, learns: "weight" },
  { name: "late", refusesBeforeUpgrade: false, learns: "ready" },
] as const;

/** By fleet size, balancing rule, and way. `calls`: how many each measurement simulates. */
export function fillBySize(calls: number): Study {
  const columns = RULES.flatMap((rule) => WAYS.map((way) => ({ rule, ...way })));
  const data = BOXES.map((boxes) => ({
    boxes,
    ideal: idealFill(boxes, PLACES),
    fills: columns.map(({ rule, name, refusesBeforeUpgrade, learns }) => {
      const options = { boxes, rule, refusesBeforeUpgrade, health: { ...READY, learns } };
      return { rule, name, fill: largestFill(options, calls) };
    }),
  }));
  const line = (rule: Rule, way: string): Line => ({
    name: `${rule} ${way}`,
    points: data.map(({ boxes, fills }) => {
      const found = fills.find((fill) => fill.rule === rule && fill.name === way);
      return [Math.log10(boxes), found?.fill ?? NaN] as const;
    }),
  });
  const ideal = { name: "Erlang B", points: data.map(({ boxes, ideal: fill }) => [Math.log10(boxes), fill] as const) };
  const across = { most: 3, label: (power: number) => `${(10 ** power).toFixed(0)} boxes` };
  const drawn = [
    ideal,
    line("leastconn", "ready"),
    line("leastconn", "weight"),
    line("random", "weight"),
    line("random", "late"),
  ];
  return {
    name: "fill_by_size",
    title: "Share of places that may be taken when one call in a thousand is busy",
    text: `${String(PLACES)} places a box, two balancers, checks every second. ready: a full box refuses with 503 before the upgrade, the balancer tries three more, and /readyz fails while a box is full. weight: the same with the agent's weights instead of /readyz. late: as ready, but the caller of a full box gets SERVER_BUSY.`,
    table: [
      { name: "boxes", cells: ["Erlang B", ...columns.map(({ rule, name }) => `${rule} ${name}`)] },
      ...data.map(({ boxes, ideal: fill, fills }) => ({
        name: String(boxes),
        cells: [percent(fill), ...fills.map((found) => percent(found.fill))],
      })),
    ],
    figure: plot("Largest fill at 0.1 % busy, by boxes", across, SHARES, drawn),
    data,
  };
}

const LEARNED: readonly HealthChecks["learns"][] = ["serving", "ready", "weight"];

/** By what the checks learn, and how often they come. */
export function fillByStaleness(calls: number): Study {
  const columns: readonly { rule: Rule; learns: HealthChecks["learns"] }[] = RULES.flatMap((rule) =>
    LEARNED.map((learns) => ({ rule, learns })),
  );
  const data = [1, 5, 15].map((everySeconds) => ({
    everySeconds,
    fills: columns.map(({ rule, learns }) => {
      const health = { ...READY, everySeconds, learns };
      return { rule, learns, fill: largestFill({ boxes: 100, rule, health }, calls) };
    }),
  }));
  return {
    name: "fill_by_staleness",
    title: "The same for 100 boxes, by what the health checks learn and how often they come",
    text: "Refusal before the upgrade. serving: the box neither starts nor drains. ready: /readyz, which also fails when the box is full (fall 2, rise 1). weight: as serving, and the agent reports the share of free places.",
    table: [
      { name: "check every", cells: columns.map(({ rule, learns }) => `${rule} ${learns}`) },
      ...data.map(({ everySeconds, fills }) => ({
        name: `${String(everySeconds)} s`,
        cells: fills.map(({ fill }) => percent(fill)),
      })),
    ],
    data,
  };
}

const SHAPES = [2, 8, 32].flatMap((placesPerBox) => [3, 10, 100].map((boxes) => ({ placesPerBox, boxes })));

/** By the places of a box, the number of balancers, and the number of boxes that a balancer tries. */
export function fillByShape(calls: number): Study {
  const columns: readonly { balancers: number; retries: number }[] = [
    { balancers: 1, retries: 3 },
    { balancers: 2, retries: 3 },
    { balancers: 4, retries: 3 },
    { balancers: 4, retries: 10 },
  ];
  const data = SHAPES.map((shape) => ({
    ...shape,
    ideal: idealFill(shape.boxes, shape.placesPerBox),
    oneBoxDead: idealFill(shape.boxes - 1, shape.placesPerBox) * (1 - 1 / shape.boxes),
    fills: columns.map((column) => ({ ...column, fill: largestFill({ ...shape, ...column }, calls) })),
  }));
  return {
    name: "fill_by_shape",
    title: "The same by places of a box, number of balancers and retries",
    text: "leastconn, refusal before the upgrade, /readyz every second. Last column: Erlang B for a fleet that still has 0.1 % busy after one box died.",
    table: [
      {
        name: "boxes x places",
        cells: [
          "Erlang B",
          ...columns.map(({ balancers, retries }) => `${String(balancers)}, retries ${String(retries)}`),
          "one box dead",
        ],
      },
      ...data.map(({ boxes, placesPerBox, ideal, fills, oneBoxDead }) => ({
        name: `${String(boxes)} x ${String(placesPerBox)}`,
        cells: [percent(ideal), ...fills.map(({ fill }) => percent(fill)), percent(oneBoxDead)],
      })),
    ],
    data,
  };
}
