import * as fc from "fast-check";

/** How a language writes numbers. */
export interface Notation {
  readonly decimal: "." | ",";
  readonly thousands: string;
}

export const NOTATIONS: Readonly<Record<string, Notation>> = {
  en: { decimal: ".", thousands: "," },
  de: { decimal: ",", thousands: "." },
  es: { decimal: ",", thousands: "." },
  fr: { decimal: ",", thousands: " " },
  it: { decimal: ",", thousands: "." },
  nl: { decimal: ",", thousands: "." },
  pt: { decimal: ",", thousands: "." },
};

/** A text, and its meaning in one form for all notations. */
export interface Written {
  readonly text: string;
  readonly meaning: string;
}

/** Numbers of 1100 to 2099 may be said as years. */
const whole = fc.integer({ min: 0, max: 999_999 }).filter((value) => value < 1_100 || value > 2_099);
/** Few numbers, so that the same digits meet in several kinds. */
const few = fc.constantFrom(1, 2, 5, 10, 12, 15, 50, 51, 80, 105, 120, 150, 510, 1_000, 2_500, 12_000, 105_000);
const part = fc.option(fc.constantFrom("0", "5", "05", "50", "25", "125"), { nil: undefined });

const grouped = (value: number, mark: string): string => String(value).replace(/\B(?=(?:\d{3})+$)/gu, mark);

/** All ways to write a number: with and without groups, with the marks of other countries, and with hard spaces. */
export function notations(value: number, decimals: string | undefined, { decimal, thousands }: Notation): string[] {
  const end = decimals === undefined ? "" : decimal + decimals;
  const own = [`${String(value)}${end}`, `${grouped(value, thousands)}${end}`, `${grouped(value, "\u202F")}${end}`];
  if (value < 1_000) return own;
  own.push(`${grouped(value, "'")}${end}`);
  if (decimals === undefined || decimals.length > 2) return own;
  return [...own, decimal === "." ? `${grouped(value, ".")},${decimals}` : `${grouped(value, ",")}.${decimals}`];
}

interface Amount {
  readonly written: string;
  readonly meaning: string;
  readonly value: number;
}

const amountOf = (
  from: fc.Arbitrary<number>,
  notation: Notation,
  decimals: fc.Arbitrary<string | undefined> = part,
): fc.Arbitrary<Amount> =>
  fc.tuple(from, decimals).chain(([value, end]) =>
    fc.constantFrom(...notations(value, end, notation)).map((written) => {
      const meaning = `${String(value)}${end === undefined ? "" : `.${end}`}`;
      return { written, meaning, value: Number(meaning) };
    }),
  );

/** Any amount, with a sign. */
export const amounts = (notation: Notation): fc.Arbitrary<Amount> =>
  fc.tuple(amountOf(whole, notation), fc.constantFrom("", "-", "−")).map(([{ written, meaning, value }, sign]) => ({
    written: sign + written,
    meaning: (sign === "" ? "" : "-") + meaning,
    value: sign === "" ? value : -value,
  }));

const minus = fc.constantFrom("", "-", "−");
const plain = (sign: string): string => (sign === "" ? "" : "-");

/** Doses, ranges, rates, money, pressures, ratios, times, codes and dates, written in several ways. */
export function statements(notation: Notation): fc.Arbitrary<Written> {
  const amount = amountOf(few, notation);
  const money = amountOf(few, notation, fc.constantFrom(undefined, "05", "50", "99"));
  const space = fc.constantFrom("", " ", "\u00A0");
  const units = fc.constantFrom("mg", "ml", "kg", "%", "°C", "mmol/l", "mg/kg", "mg/kg/h");
  const two = (value: number) => String(value).padStart(2, "0");
  return fc.oneof(
    fc.tuple(minus, amount, space, units).map(([sign, { written, meaning }, gap, unit]) => ({
      text: `${sign}${written}${gap}${unit}`,
      meaning: `${plain(sign)}${meaning} ${unit}`,
    })),
    fc
      .tuple(few, few, space, fc.constantFrom("-", "–", " - ", " – "), fc.constantFrom("mg", "kg"))
      .filter(([from, to]) => from < to)
      .map(([from, to, gap, dash, unit]) => ({
        text: `${String(from)}${dash}${String(to)}${gap}${unit}`,
        meaning: `${String(from)} to ${String(to)} ${unit}`,
      })),
    fc.tuple(minus, money, fc.integer({ min: 0, max: 5 })).map(([sign, { written, meaning }, form]) => ({
      text: [
        `${sign}${written} €`,
        `${sign}€${written}`,
        `${sign}€ ${written}`,
        `€${sign}${written}`,
        `${sign}${written} EUR`,
        `EUR ${sign}${written}`,
      ][form]!,
      meaning: `${plain(sign)}${meaning} euros`,
    })),
    fc.tuple(fc.integer({ min: 80, max: 220 }), fc.integer({ min: 40, max: 79 })).map(([upper, lower]) => ({
      text: `${String(upper)}/${String(lower)} mmHg`,
      meaning: `${String(upper)} over ${String(lower)}`,
    })),
    fc.tuple(fc.constantFrom("<", "≤", "≥", "±"), amount, space).map(([sign, { written, meaning }, gap]) => ({
      text: `${sign}${gap}${written} mg`,
      meaning: `${sign} ${meaning} mg`,
    })),
    fc
      .tuple(few, few, fc.constantFrom("-", "–"), fc.integer({ min: 0, max: 3 }))
      .filter(([from, to]) => from < to)
      .map(([from, to, dash, form]) => {
        const range = `${String(from)}${dash}${String(to)}`;
        return {
          text: [`${range} €`, `€${range}`, `${range} EUR`, `€ ${range}`][form]!,
          meaning: `${String(from)} to ${String(to)} euros`,
        };
      }),
    fc.tuple(amount, few, space).map(([{ written, meaning }, volume, gap]) => ({
      text: `${written}${gap}mg/${String(volume)}${gap}ml`,
      meaning: `${meaning} mg per ${String(volume)} ml`,
    })),
    fc.tuple(money, fc.constantFrom("kg", "l", "h")).map(([{ written, meaning }, unit]) => ({
      text: `${written} €/${unit}`,
      meaning: `${meaning} euros per ${unit}`,
    })),
    fc
      .tuple(fc.constantFrom("1/2", "1/4", "3/4", "2/3"), fc.option(fc.integer({ min: 1, max: 9 })), space)
      .map(([fraction, before, gap]) => ({
        text: `${before === null ? "" : `${String(before)} `}${fraction}${gap}l`,
        meaning: `${before === null ? "" : `${String(before)} and `}${fraction} liters`,
      })),
    fc.tuple(fc.integer({ min: 1, max: 9 }), fc.constantFrom("-", ""), fc.boolean()).map(([power, sign, isRaised]) => ({
      text: isRaised ? `10${sign === "" ? "" : "⁻"}${"⁰¹²³⁴⁵⁶⁷⁸⁹"[power]!}` : `10^${sign}${String(power)}`,
      meaning: `10 to the power of ${sign}${String(power)}`,
    })),
    fc.constantFrom(100, 1_000, 10_000).map((to) => ({ text: `1:${String(to)}`, meaning: `1 to ${String(to)}` })),
    fc.tuple(few, few, fc.constantFrom("x", " x ", "×")).map(([times, dose, sign]) => ({
      text: `${String(times)}${sign}${String(dose)} mg`,
      meaning: `${String(times)} times ${String(dose)} mg`,
    })),
    fc.tuple(fc.integer({ min: 1, max: 23 }), fc.integer({ min: 0, max: 59 })).map(([hours, minutes]) => ({
      text: `${String(hours)}:${two(minutes)}`,
      meaning: `${String(hours)} hours ${String(minutes)}`,
    })),
    fc.stringMatching(/^\d{3,9}$/u).map((code) => ({ text: `PIN ${code}`, meaning: `code ${code}` })),
    fc
      .tuple(fc.integer({ min: 2_000, max: 2_099 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 13, max: 28 }))
      .chain(([year, month, day]) =>
        fc
          .constantFrom(
            `${String(year)}-${two(month)}-${two(day)}`,
            notation.decimal === "."
              ? `${String(month)}/${String(day)}/${String(year)}`
              : `${String(day)}.${String(month)}.${String(year)}`,
          )
          .map((text) => ({ text, meaning: `${String(year)}-${two(month)}-${two(day)}` })),
      ),
  );
}
