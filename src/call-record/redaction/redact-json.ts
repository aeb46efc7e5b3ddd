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
  [/(?:^|_)(?:names?|surname|(?:first|last|family|full|guest|caller|customer|patient)_?names?)$/iu, "name"],
  [/address|street|(?:^|_)(?:zip|postcode|postal_code)$/iu, "address"],
  [/(?:^|_)(?:pin|tan|otp|cvv|cvc|password|passcode|passwort|contraseña)(?:_?(?:code|number|no))?$/iu, "number"],
];
const LONG_NUMBER = 1e8;

/** Values inside values, such as JSON in a text of JSON. Deeper values are hidden. */
const MOST_DEPTH = 32;

/** JSON as text, with what identifies people hidden: by the names of fields, and by the words of their values. */
export function redactJson(text: string, redactor: Redactor, context: RedactionContext): string {
  return redactor.isOff ? text : new JsonRedaction(redactor, context).text(text, 0);
}

class JsonRedaction {
  readonly #redactor: Redactor;
  readonly #context: RedactionContext;

  constructor(redactor: Redactor, context: RedactionContext) {
    this.#redactor = redactor;
    this.#context = context;
  }

  /** A text that may be JSON, as results of tools often are inside JSON. */
  text(text: string, depth: number): string {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return this.#words(text);
    }
    return JSON.stringify(this.#value(value, undefined, depth));
  }

  /** @param field The kind of the field that the value is in. */
  #value(value: unknown, field: RedactionKind | undefined, depth: number): unknown {
    if (depth > MOST_DEPTH) return "[...]";
    if (Array.isArray(value)) return value.map((each) => this.#value(each, field, depth + 1));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [
          this.#words(key),
          this.#value(each, this.#kindOf(key) ?? field, depth + 1),
        ]),
      );
    if (typeof value !== "string" && typeof value !== "number") return value;
    if (field !== undefined) {
      if (field === "name") this.#redactor.remember(String(value));
      return this.#redactor.label(field, String(value));
    }
    if (typeof value === "string") return /^\s*[[{"]/u.test(value) ? this.text(value, depth + 1) : this.#words(value);
    if (Math.abs(value) < LONG_NUMBER) return value;
    const { text, findings } = this.#redactor.redact(String(value), this.#context);
    return findings.length === 0 ? value : text;
  }

  #kindOf(key: string): RedactionKind | undefined {
    const name = key.replaceAll(/(?<=[a-z])(?=[A-Z])/gu, "_").replaceAll(/[^\p{L}\d]+/gu, "_");
    const kind = FIELDS.find(([pattern]) => pattern.test(name))?.[1];
    return kind !== undefined && this.#redactor.hides(kind) ? kind : undefined;
  }

  #words(text: string): string {
    return this.#redactor.redact(text, this.#context).text;
  }
}
