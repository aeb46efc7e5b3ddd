import { plainText } from "./plain-text.ts";
import { pauses, tidy, untilStable } from "./tidy-speech.ts";

/** How a language says numbers. The cardinals, ordinals and amounts come from the n2words package. */
export interface NumberRules {
  readonly cardinal: (value: string) => string;
  readonly euros: (value: string) => string;
  /** Said for 1 before a noun: "ein", "un". */
  readonly one: string;
  readonly thousands: string;
  readonly year: (year: number) => string;
  /** Month names, January first, with the forms that are written in short. */
  readonly months: readonly string[];
  /** What may stand between day and month: "(?: de)?". The day may carry a mark such as "." or "er". */
  readonly dayMark: string;
  readonly ofMonth: string;
  /** `before`: the word before the day. */
  readonly day: (day: number, before: string) => string;
  readonly date: (day: string, month: string, year: string | undefined) => string;
  /** Marks between hours and minutes, and the unit after them that `time` says: "14h30", "14:30 Uhr". */
  readonly clockMark: string;
  readonly clockUnit: string;
  readonly time: (hours: string, minutes: string | undefined) => string;
  /** Said for signs: "%" is " Prozent". Those of addresses have their own. */
  readonly signs: Readonly<Record<string, string>>;
  readonly address: Readonly<Record<string, string>>;
  readonly to: string;
  readonly minus: string;
  readonly abbreviations: Readonly<Record<string, string>>;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** Text as it is said in a language that writes "1.234,5" or "1 234,5": no digit is left. A second call changes nothing. */
export function speakableBy(rules: NumberRules): (text: string) => string {
  const { months, dayMark, ofMonth, clockMark, clockUnit, thousands, signs, abbreviations } = rules;
  const number = `\\d{1,3}(?:[${thousands}\u00A0]\\d{3})+(?:,\\d+)?|\\d+(?:,\\d+)?`;
  const free = String.raw`(?<![\p{L}\d.,:/-])`;
  const end = String.raw`(?![\p{L}\d]|[.,:/]\d)`;
  const pattern = (source: string, flags = "gu") => new RegExp(source, flags);
  const short = Object.keys(abbreviations).toSorted((a, b) => b.length - a.length);
  const abbreviation = pattern(`(?<![\\p{L}\\d])(?:${short.map(escaped).join("|")})(?![\\p{L}\\d])`);
  const iso = pattern(`${free}(\\d{4})-(\\d{2})-(\\d{2})${end}`);
  const numeric = pattern(`${free}(\\d{1,2})([./-])(\\d{1,2})\\2(\\d{4})${end}`);
  const named = pattern(
    `((?:\\p{L}+ )?)${free}(\\d{1,2})${dayMark}${ofMonth} (${months.join("|")})(?!\\p{L})(?:${ofMonth} (\\d{4})(?!\\d))?`,
    "giu",
  );
  const clock = pattern(`${free}([01]?\\d|2[0-4])(?:${clockMark})([0-5]\\d)(?:${clockUnit})?(?![\\p{L}\\d]|[.,:]\\d)`);
  const amount = pattern(`${free}(?:(${number}) ?(?:€|EUR|euros?|Euro)|€ ?(${number}))(?!\\p{L})`);
  const called = /(?<![\p{L}\d.,:])(?:\+\d[\d /-]{5,}\d|0\d[\d /-]{1,}\d|\d{7,})(?![\p{L}\d]|[.,]\d)/gu;
  const range = pattern(`${free}(${number}) ?[-–] ?(?=(?:${number})${end})`);
  const negative = pattern(`(?<![\\p{L}\\d.,)])[-−](?=\\d)`);
  const version = /\d+(?:\.\d+)+/g;
  const any = pattern(`(${number})( (?=\\p{L}))?`);
  const sign = pattern(` ?(${Object.keys(signs).map(escaped).join("|")}) ?`);

  const plainNumber = (digits: string): string => {
    const plain = digits.replace(pattern(`[${thousands}\u00A0]`), "").replace(",", ".");
    if (/^1[1-9]\d\d$/.test(digits)) return rules.year(Number(digits));
    return plain.length > 15 || /^0\d/.test(plain) ? spelled(plain) : rules.cardinal(plain);
  };
  const spelled = (digits: string): string => Array.from(digits.replace(/\D/g, ""), rules.cardinal).join(" ");
  const date = (d: string, m: string, y: string): string | undefined => {
    const month = months[Number(m) - 1]?.replace(/\|.*/, "");
    if (month === undefined || Number(d) < 1 || Number(d) > 31) return undefined;
    return rules.date(rules.day(Number(d), ""), month, rules.year(Number(y)));
  };
  const sayAddress = (address: string): string =>
    address.replace(/[@./_+-]/g, (mark) => ` ${rules.address[mark] ?? ""} `);

  return untilStable((text) => {
    const spoken = plainText(text, sayAddress)
      .replace(abbreviation, (found) => abbreviations[found] ?? found)
      .replace(iso, (whole, y: string, m: string, d: string) => date(d, m, y) ?? whole)
      .replace(numeric, (whole, d: string, _mark: string, m: string, y: string) => date(d, m, y) ?? whole)
      .replace(named, (_, before: string, d: string, month: string, y?: string) => {
        const day = rules.day(Number(d), before.trim().toLowerCase());
        return before + rules.date(day, month, y === undefined ? undefined : rules.year(Number(y)));
      })
      .replace(clock, (_, h: string, m: string) =>
        rules.time(rules.cardinal(String(Number(h))), m === "00" ? undefined : rules.cardinal(String(Number(m)))),
      )
      .replace(called, (found) => ` ${found.startsWith("+") ? `${rules.signs["+"] ?? ""} ` : ""}${spelled(found)} `)
      .replace(amount, (_, before?: string, after?: string) => {
        const value = (before ?? after ?? "0").replace(pattern(`[${thousands}\u00A0]`), "").replace(",", ".");
        return ` ${rules.euros(value)} `;
      })
      .replace(range, `$1 ${rules.to} `)
      .replace(negative, ` ${rules.minus} `)
      .replace(any, (_, digits: string, noun?: string) => {
        if (digits === "1" && noun !== undefined) return ` ${rules.one} `;
        return ` ${plainNumber(digits)} `;
      })
      .replace(version, (found) => ` ${spelled(found)} `)
      .replace(sign, (_, found: string) => ` ${signs[found] ?? ""} `)
      .replace(/ +([,.;:!?])/g, "$1");
    const said = tidy(pauses(spoken).replace(/[^\p{L}\p{M}',.?!;:\- ]/gu, " "));
    return /\p{L}/u.test(said) ? said : "";
  });
}
