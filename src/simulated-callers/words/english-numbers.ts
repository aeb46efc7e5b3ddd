import { cardinal, ordinal } from "../../language/packs/en/number-words.ts";
import type { NumberReading } from "./number-reading.ts";

const range = (from: number, to: number, step = 1): readonly number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
const wordsFor = (values: readonly number[], spell: (digits: string) => string): ReadonlyMap<string, number> =>
  new Map(values.map((value) => [spell(String(value)), value]));

const UNITS = wordsFor(range(1, 9), cardinal);
const TEENS = wordsFor(range(10, 19), cardinal);
const TENS = wordsFor(range(20, 90, 10), cardinal);
const UNIT_ORDINALS = wordsFor(range(1, 9), ordinal);
const OTHER_ORDINALS = wordsFor([...range(10, 19), ...range(20, 90, 10)], ordinal);
const SCALES = new Map([
  ["thousand", 1_000],
  ["million", 1_000_000],
  ["billion", 1_000_000_000],
  ["trillion", 1_000_000_000_000],
]);

interface Part {
  readonly end: number;
  readonly value: number;
  readonly isOrdinal: boolean;
}

/** The number that begins at `start`, or undefined: "one hundred and five", "forty nine hundred", "twenty first", "a thousand". */
export function englishNumber(words: readonly string[], start: number): NumberReading | undefined {
  if (words[start] === "zero") return { end: start + 1, digits: "0", isOrdinal: false };
  let total = 0;
  let end = start;
  let scale = Infinity;
  let isOrdinal = false;
  while (!isOrdinal) {
    const part = group(words, total > 0 && words[end] === "and" ? end + 1 : end);
    if (part === undefined || part.value >= Math.min(scale, total > 0 ? 1000 : Infinity)) break;
    const next = part.isOrdinal ? undefined : SCALES.get(words[part.end] ?? "");
    if (next !== undefined && next >= scale) break;
    total += part.value * (next ?? 1);
    end = part.end + (next === undefined ? 0 : 1);
    isOrdinal = part.isOrdinal;
    if (next === undefined) break;
    scale = next;
  }
  return end === start ? undefined : { end, digits: String(total), isOrdinal };
}

/** Up to 9,999 in hundreds: "twelve", "three hundred and five", "forty nine hundred". */
function group(words: readonly string[], start: number): Part | undefined {
  const isOne = words[start] === "a" && (words[start + 1] === "hundred" || SCALES.has(words[start + 1] ?? ""));
  const first = isOne ? { end: start + 1, value: 1, isOrdinal: false } : belowHundred(words, start);
  if (first === undefined || first.isOrdinal || words[first.end] !== "hundred") return first;
  const end = first.end + 1;
  const rest = belowHundred(words, words[end] === "and" ? end + 1 : end);
  return rest === undefined
    ? { end, value: first.value * 100, isOrdinal: false }
    : { ...rest, value: first.value * 100 + rest.value };
}

function belowHundred(words: readonly string[], start: number): Part | undefined {
  const word = words[start] ?? "";
  const end = start + 1;
  const simple = UNITS.get(word) ?? TEENS.get(word);
  if (simple !== undefined) return { end, value: simple, isOrdinal: false };
  const last = UNIT_ORDINALS.get(word) ?? OTHER_ORDINALS.get(word);
  if (last !== undefined) return { end, value: last, isOrdinal: true };
  const tens = TENS.get(word);
  if (tens === undefined) return undefined;
  const next = words[end] ?? "";
  const unit = UNITS.get(next) ?? UNIT_ORDINALS.get(next);
  return unit === undefined
    ? { end, value: tens, isOrdinal: false }
    : { end: end + 1, value: tens + unit, isOrdinal: UNIT_ORDINALS.has(next) };
}
