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

/** ISO 13616: two letters, two check digits and the account, 15 to 34 characters. */
export function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z\d]{11,30}$/u.test(text)) return false;
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
  const sum = [...digits].reduce((total, digit, place) => total + Number(digit) * ([3, 7, 1][place % 3] ?? 0), 0);
  return sum % 10 === 0;
}
