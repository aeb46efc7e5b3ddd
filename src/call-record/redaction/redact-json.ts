import type { RedactionKind } from "../../config/call-record-settings.ts";
import type { Redactor, RedactionContext } from "./redactor.ts";

/** Names of fields whose values are hidden whatever they are. */
const FIELDS: readonly (readonly [RegExp, RedactionKind])[] = [
  [/(?:^|_)(?:card|pan)(?:_?(?:number|no))?$/iu, "card"],
  [/iban/iu, "iban"],
  [/(?:^|_)(?:ssn|social_?security)/iu, "ssn"],
  [/account_?(?:number|no)|routing|sort_?code/iu, "account"],
  [/phone|mobile|(?:^|_)(?:tel|fax|cell)(?:$|_)/iu, "phone"],
  [/mail$/iu, "mail"],
  [/birth|(?:^|_)dob$/iu, "birth"],
  [/(?:^|_)(?:name|surname|(?:first|last|family|full|guest|caller|customer|patient)_?name)$/iu, "name"],
  [/address|street|(?:^|_)(?:zip|postcode|postal_code)$/iu, "address"],
];
const LONG_NUMBER = 1e8;

/** JSON as text, with what identifies people hidden: by the names of fields, and by the words of their values. */
export function redactJson(text: string, redactor: Redactor, context: RedactionContext): string {
  if (redactor.isOff) return text;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return redactor.redact(text, context).text;
  }
  return JSON.stringify(redacted(value, "", redactor, context));
}

function redacted(value: unknown, key: string, redactor: Redactor, context: RedactionContext): unknown {
  if (Array.isArray(value)) return value.map((each) => redacted(each, key, redactor, context));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        redactor.redact(name, context).text,
        redacted(each, name, redactor, context),
      ]),
    );
  if (typeof value !== "string" && typeof value !== "number") return value;
  const kind = FIELDS.find(([pattern]) => pattern.test(key.replaceAll(/(?<=[a-z])(?=[A-Z])/gu, "_")))?.[1];
  if (kind !== undefined && redactor.hides(kind)) {
    if (kind === "name") redactor.remember(String(value));
    return `[${kind}]`;
  }
  if (typeof value === "number" && Math.abs(value) < LONG_NUMBER) return value;
  const { text, findings } = redactor.redact(String(value), context);
  return findings.length === 0 ? value : text;
}
