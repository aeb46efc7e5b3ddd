import { anyOf, pattern } from "./spoken-patterns.ts";

export interface RateWords {
  /** As "singular|plural". */
  readonly units: Readonly<Record<string, string>>;
  /** Other counted words, as a pattern: "day|month". */
  readonly counted: string;
  readonly per: string;
}

const NUMBER = String.raw`\d[\d.,]{0,12}`;

/** "10 mg/kg/day" -> "10 mg per kilogram per day", "10 mg/5 mL" -> "10 mg per 5 mL". Two strengths of one unit stay apart. */
export function spokenRates({ units, counted, per }: RateWords): (text: string) => string {
  const unit = anyOf(units);
  const amounts = pattern(
    `(?= ?/)(?<=\\d ?(?<unit>${unit})(?:/(?:${unit}))?) ?/ ?(?=${NUMBER} ?(?<other>${unit})(?![\\p{L}\\d]))`,
  );
  const names = pattern(
    `(?=/)(?<=\\d ?[\\p{L}%€$£¥°]{0,20} ?)((?:/(?:${unit}|${counted})(?![\\p{L}\\d]))+)(?!/\\p{L})`,
  );
  return (text) =>
    text
      .replace(amounts, (...found) => {
        const { unit: first, other } = found.at(-1) as Readonly<Record<string, string>>;
        return first === other ? ", " : ` ${per} `;
      })
      .replace(names, (chain: string) =>
        chain
          .slice(1)
          .split("/")
          .map((name) => ` ${per} ${(units[name] ?? name).replace(/\|.*/u, "")}`)
          .join(""),
      );
}
