/** Check digits of numbers, as their standards define them. All take digits, or capital letters and digits, without spaces. */

/** ISO/IEC 7812: numbers of payment cards. */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = place % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits.length > 0 && sum % 10 === 0;
}

/** Issuers' ranges with the lengths that they use. */
const ISSUERS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720))/, [16]],
  [/^3[47]/, [15]],
  [/^3(?:0[0-5]|[689])/, [14, 16]],
  [/^(?:6011|64[4-9]|65|62|35|81)/, [16, 17, 18, 19]],
  [/^(?:50|5[6-9]|6)/, [13, 14, 15, 16, 17, 18, 19]],
];

export const isCard = (digits: string): boolean =>
  ISSUERS.some(([prefix, lengths]) => lengths.includes(digits.length) && prefix.test(digits)) && passesLuhn(digits);

/** Lengths of account numbers by country. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 " +
    "HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 " +
    "QA29 RO24 RS22 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** ISO 13616: a country, two check digits and the account. */
export function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z\d]{11,30}$/u.test(text) || IBAN_LENGTHS[text.slice(0, 2)] !== text.length) return false;
  const moved = text.slice(4) + text.slice(0, 4);
  let rest = 0;
  for (const character of moved) rest = Number(`${String(rest)}${String(parseInt(character, 36))}`) % 97;
  return rest === 1;
}

/** Numbers that the US Social Security Administration gives out, or gave out: it has no check digit. */
export const isSocialSecurityNumber = (digits: string): boolean =>
  /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/u.test(digits);

/** Routing numbers of US banks. */
export function isRoutingNumber(digits: string): boolean {
  if (!/^\d{9}$/u.test(digits) || digits === "000000000") return false;
  const sum = Array.from(digits).reduce(
    (total, digit, place) => total + Number(digit) * ([3, 7, 1][place % 3] ?? 0),
    0,
  );
  return sum % 10 === 0;
}
