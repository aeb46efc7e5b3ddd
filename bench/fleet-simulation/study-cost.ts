import type { DayFacts } from "./study-day.ts";
import type { Study } from "./study.ts";

export interface ProfileFacts {
  readonly name: string;
  /** The machine that `pricePerHour` is for. */
  readonly machine: string;
  /** Undefined: not measured on such a machine. */
  readonly callsPerBox: number | undefined;
  readonly source: string;
  /** An assumption, in any currency. */
  readonly pricePerHour: number;
}

/** Prices are assumptions: round figures for machines on demand at a large host, in US dollars of 2026. */
export const PROFILES: readonly ProfileFacts[] = [
  {
    name: "cpu",
    machine: "4 vCPU, 8 GB",
    callsPerBox: 2,
    source: "docs/measurements/amd-epyc-4-vcpu.md",
    pricePerHour: 0.17,
  },
  { name: "cpu-large", machine: "8 vCPU, 16 GB", callsPerBox: undefined, source: "not measured", pricePerHour: 0.34 },
  { name: "gpu", machine: "24 GB GPU", callsPerBox: undefined, source: "not measured", pricePerHour: 0.8 },
  { name: "gpu-large", machine: "48 GB GPU", callsPerBox: undefined, source: "not measured", pricePerHour: 1.9 },
];

/** Replaces fields of profiles by those of options such as `gpu=12`. @throws Error for an unknown profile or number. */
export function withFigures(
  profiles: readonly ProfileFacts[],
  field: "callsPerBox" | "pricePerHour",
  figures: readonly string[],
): readonly ProfileFacts[] {
  const given = new Map(figures.map((figure) => readFigure(figure, profiles)));
  return profiles.map((profile) => {
    const value = given.get(profile.name);
    if (value === undefined) return profile;
    return { ...profile, [field]: value, ...(field === "callsPerBox" && { source: "given" }) };
  });
}

function readFigure(figure: string, profiles: readonly ProfileFacts[]): readonly [string, number] {
  const [name = "", text = ""] = figure.split("=");
  const value = Number(text);
  if (profiles.every((profile) => profile.name !== name) || !(value > 0)) {
    const names = profiles.map((profile) => profile.name).join(", ");
    throw new Error(`${figure}: give PROFILE=NUMBER with a number above 0. Profiles: ${names}.`);
  }
  return [name, value];
}

/** Price of an hour of conversation: a full box, and the mean fill of a day with a fixed and with a scaled fleet. */
export function costs(profiles: readonly ProfileFacts[], days: readonly DayFacts[]): Study {
  const fillOf = ({ callHours, boxHours, places }: DayFacts) => callHours / boxHours / places;
  const fixed = days.find(({ places, targetFill }) => places === 8 && targetFill === undefined);
  const scaled = days.find(({ places, targetFill }) => places === 8 && targetFill !== undefined);
  const fills = [1, fixed === undefined ? NaN : fillOf(fixed), scaled === undefined ? NaN : fillOf(scaled)];
  const data = profiles.map((profile) => {
    const { callsPerBox, pricePerHour } = profile;
    const prices = callsPerBox === undefined ? undefined : fills.map((fill) => pricePerHour / callsPerBox / fill);
    return { ...profile, costPerCallHour: prices };
  });
  return {
    name: "cost",
    title: "Price of an hour of conversation",
    text: "ASSUMED prices of machines (--price PROFILE=NUMBER). Calls a box: measured where a source is named (--calls-per-box PROFILE=NUMBER). The mean fills are those of the day above with 8 places a box. Balancers, Valkey and traffic are not included.",
    table: [
      {
        name: "profile",
        cells: ["machine", "assumed price an hour", "calls a box", "source", "full", "fixed fleet", "scaled fleet"],
      },
      ...data.map(({ name, machine, pricePerHour, callsPerBox, source, costPerCallHour }) => ({
        name,
        cells: [
          machine,
          pricePerHour.toFixed(2),
          callsPerBox === undefined ? "-" : String(callsPerBox),
          source,
          ...(costPerCallHour?.map((price) => price.toFixed(3)) ?? ["-", "-", "-"]),
        ],
      })),
    ],
    data,
  };
}
