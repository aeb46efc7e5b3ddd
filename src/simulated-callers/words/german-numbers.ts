import { toCardinal } from "n2words/de-DE";
import { germanSpelling } from "./spelling.ts";
import type { NumberReading } from "./number-reading.ts";

const BELOW_HUNDRED = new Map(
  Array.from({ length: 100 }, (_, value): [string, number] => [germanSpelling(toCardinal(value)), value]),
).set("zwo", 2);

/** The number that the word at `start` is, or undefined: "neunzehnhundertfuenf", "zwoelftausend". Takes words without umlauts. */
export function germanNumber(words: readonly string[], start: number): NumberReading | undefined {
  const value = valueOf(words[start] ?? "");
  return value === undefined ? undefined : { end: start + 1, digits: String(value), isOrdinal: false };
}

function valueOf(word: string): number | undefined {
  return BELOW_HUNDRED.get(word) ?? product(word, "tausend", 1000) ?? product(word, "hundert", 100);
}

/** "dreitausendfuenf" for "tausend": 3 * 1000 + 5. */
function product(word: string, name: string, size: number): number | undefined {
  const at = word.indexOf(name);
  if (at < 0) return undefined;
  const before = word.slice(0, at);
  const after = word.slice(at + name.length).replace(/^und(?=.)/u, "");
  const factor = before === "" || before === "ein" ? 1 : valueOf(before);
  const rest = after === "" ? 0 : valueOf(after);
  return factor === undefined || rest === undefined || rest >= size || (size === 100 && factor >= 100)
    ? undefined
    : factor * size + rest;
}
