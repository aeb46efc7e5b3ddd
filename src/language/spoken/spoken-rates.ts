import { anyOf, pattern } from "./spoken-patterns.ts";

export interface RateWords {
  /** As "singular|plural". */
  readonly units: Readonly<Record<string, string>>;
  /** Other counted words, as a pattern: "day|month". */
  readonly counted: string;
  readonly per: string;
}

const NUMBER = String.raw`\d[\d.,]{0,12}`;

/** Units beside which people give the same value in a metric one. */
const NOT_METRIC = new Set(["°F", "ft", "in", "mi", "mph", "lb", "lbs", "oz", "fl oz", "yd"]);
const DOSES = new Set(["mg", "mcg", "μg"]);
const isSameValue = (first: string, other: string): boolean =>
  first === other || (NOT_METRIC.has(first) !== NOT_METRIC.has(other) && !DOSES.has(first));

/** "10 mg/kg/day" -> "10 mg per kilogram per day", "10 mg/5 mL" -> "10 mg per 5 mL". "20 °C / 68 °F" stay apart, as two strengths of one unit. */
export function spokenRates({ units, counted, per }: RateWords): (text: string) => string {
  const unit = anyOf(units);
  const amounts = pattern(
    `(?= ?/)(?<=\\d ?(?<unit>${unit})(?:/(?:${unit}))?) ?/ ?(?=${NUMBER} ?(?<other>${unit})(?![\\p{L}\\d]))`,
  );
  const names = pattern(
    `(?= ?/)(?<=\\d ?[\\p{L}%€$£¥° ]{0,30})((?: ?/ ?(?:${unit}|${counted})(?![\\p{L}\\d]))+)(?!/\\p{L}| =)`,
  );
  return (text) =>
    text
      .replace(amounts, (...found) => {
        const { unit: first = "", other = "" } = found.at(-1) as Readonly<Record<string, string>>;
        return isSameValue(first, other) ? ", " : ` ${per} `;
      })
      .replace(names, (chain: string) =>
        chain
          .split("/")
          .slice(1)
          .map((name) => name.trim())
          .map((name) => ` ${per} ${(units[name] ?? name).replace(/\|.*/u, "")}`)
          .join(""),
      );
}
