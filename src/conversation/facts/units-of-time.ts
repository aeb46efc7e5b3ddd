import type { Language } from "../../language/language.ts";
import type { SaidValues } from "./said-values.ts";
import { plainWords } from "./said-words.ts";

const SECONDS = { second: 1, minute: 60, hour: 3600, day: 86_400, week: 604_800 };
type Unit = keyof typeof SECONDS;
const UNITS = Object.keys(SECONDS) as Unit[];
const IN_A_NAME = /(second|minute|hour|day|week)s$/iu;

/**
 * The number of an argument such as `minutes`, in that unit: 120 of 2 when the caller said "two hours". A weak model takes the number as
 * it was said. Undefined: the unit cannot hold what was said. Other values stay.
 */
export function inUnitOfName(value: unknown, name: string, said: SaidValues, language: Language): unknown {
  const own = IN_A_NAME.exec(name)?.[1]?.toLowerCase() as Unit | undefined;
  if (own === undefined || typeof value !== "number") return value;
  const isSaidIn = (unit: Unit) => said.hasBefore(value, wordsOf(unit, language.code));
  const other = isSaidIn(own) ? undefined : UNITS.find((unit) => isSaidIn(unit));
  if (other === undefined) return value;
  const inOwn = (value * SECONDS[other]) / SECONDS[own];
  return Number.isInteger(inOwn) ? inOwn : undefined;
}

/** "minute" and "minutes" in a language. */
function wordsOf(unit: Unit, code: string): readonly string[] {
  const format = new Intl.NumberFormat(code, { style: "unit", unit, unitDisplay: "long" });
  return [1, 2].flatMap((count) =>
    format.formatToParts(count).flatMap(({ type, value }) => (type === "unit" ? [plainWords(value).join(" ")] : [])),
  );
}
