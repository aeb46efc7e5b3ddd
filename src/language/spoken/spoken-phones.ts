import type { NumberRules } from "./number-rules.ts";
import { anyOf, pattern } from "./spoken-patterns.ts";

const PHONE = String.raw`\+\d[\d ()/-]{5,}\d|\(0?\d{1,4}\) ?\d{2,}(?:[ -]\d{2,})*|0\d[\d /-]+\d|\d{3}-(?:\d{3}-)?\d{4}|\d{7,}`;

/** Telephone numbers digit by digit, or in pairs, with a pause between their groups. */
export function spokenPhones(rules: NumberRules): (text: string) => string {
  const amount = `${anyOf(rules.units)}|${anyOf(rules.money.currencies)}|%`;
  const phone = pattern(
    `(?<![\\p{L}\\d.,:+]|\\d |[€$£¥] ?)(?:${PHONE}|${rules.phone ?? "(?!)"})(?![\\p{L}\\d]|[.,]\\d| ?(?:${amount})(?!\\p{L}))`,
  );
  const digits = (group: string) => Array.from(group, (digit) => rules.cardinal(digit)).join(" ");
  const pair = (group: string) => (group.length > 2 || group.startsWith("0") ? digits(group) : rules.cardinal(group));
  return (text) =>
    text.replace(phone, (found) => {
      const groups = found.match(rules.hasPhonePairs === true ? /\d{1,2}/gu : /\d+/gu) ?? [];
      const said = groups.map(rules.hasPhonePairs === true ? pair : digits).join(", ");
      return ` ${found.startsWith("+") ? `${rules.signs["+"] ?? ""} ` : ""}${said} `;
    });
}
