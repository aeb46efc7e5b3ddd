import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { measure, totals } from "../../../bench/redaction/bench-redaction.ts";
import {
  isCard,
  isIban,
  isRoutingNumber,
  isSocialSecurityNumber,
  passesLuhn,
} from "../../../src/call-record/redaction/checks.ts";
import { redactJson } from "../../../src/call-record/redaction/redact-json.ts";
import { Redactor } from "../../../src/call-record/redaction/redactor.ts";

const redact = (text: string, language = "en", speaker: "caller" | "assistant" = "caller") =>
  new Redactor(undefined, 2026).redact(text, { speaker, language }).text;

describe("check digits", () => {
  test("cards", () => {
    expect(["4111111111111111", "378282246310005", "5500000000000004", "6011000990139424"].every(isCard)).toBe(true);
    expect(["4111111111111112", "1234567812345678", "0000000000000000", "411111111111"].some(isCard)).toBe(false);
  });
  test("one wrong digit of a card never passes", () => {
    fc.assert(
      fc.property(fc.nat(15), fc.integer({ min: 1, max: 9 }), (place, change) => {
        const digits = Array.from("4111111111111111", Number);
        digits[place] = ((digits[place] ?? 0) + change) % 10;
        expect(passesLuhn(digits.join(""))).toBe(false);
      }),
    );
  });
  test("accounts", () => {
    expect(isIban("DE89370400440532013000")).toBe(true);
    expect(isIban("DE89370400440532013001")).toBe(false);
    expect(isRoutingNumber("021000021")).toBe(true);
    expect(isRoutingNumber("021000022")).toBe(false);
    expect(isSocialSecurityNumber("219099999")).toBe(true);
    expect(["000121234", "666121234", "912121234", "219001234", "219120000"].some(isSocialSecurityNumber)).toBe(false);
  });
});

/** The measured figures (docs/call-record.md), which may not fall. */
test.each([
  ["untouched", 0.97, 0.97],
  ["tuned", 0.97, 0.97],
] as const)("recall and precision on the %s sentences", (file, recall, precision) => {
  const measured = totals(measure(file));
  expect(measured.recall).toBeGreaterThanOrEqual(recall);
  expect(measured.precision).toBeGreaterThanOrEqual(precision);
});

test("a misheard digit does not show a card that the caller called one", () => {
  expect(redact("my card is 4111 1111 1111 1112")).toBe("my card is [card]");
});

test("the service's question tells what a bare number is", () => {
  const asked = new Redactor(undefined, 2026).redact("1 1 2 0", {
    speaker: "caller",
    language: "en",
    before: "Thanks. What are the last four digits of your social security number?",
  });
  expect(asked.text).toBe("[ssn]");
  expect(redact("1 1 2 0")).toBe("1 1 2 0");
});

test("a name that was given is hidden from then on, on both sides", () => {
  const redactor = new Redactor(undefined, 2026);
  const say = (text: string, speaker: "caller" | "assistant") =>
    redactor.redact(text, { speaker, language: "en" }).text;
  expect(say("My name is Henrietta Blackwood.", "caller")).toBe("My name is [name].");
  expect(say("Thank you, Henrietta. Is Blackwood's room fine?", "assistant")).toBe(
    "Thank you, [name]. Is [name] room fine?",
  );
  expect(say("My name is Oak and I will help you.", "assistant")).toBe("My name is Oak and I will help you.");
});

test("a list of kinds hides only those", () => {
  const redactor = new Redactor(["card"], 2026);
  const text = "My name is Tom Becker, card 4111 1111 1111 1111, phone 555-867-5309.";
  expect(redactor.redact(text, { speaker: "caller", language: "en" }).text).toBe(
    "My name is Tom Becker, card [card], phone 555-867-5309.",
  );
});

test("findings lie inside the text, in order, and nothing else of it changes", () => {
  const word = fc.constantFrom(
    "4111", "1111", "one", "two", "double", "hundred", "my", "name", "is", "Tom", "at", "dot", "com", "born", "March", "1980", "plus", "+", "12", "Street", "K", "O", ",", ".", "IBAN", "DE89", "ß", "😀",
  ); // prettier-ignore
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), fc.constantFrom("en", "de", "fr", "xx"), (words, language) => {
      const text = words.join(" ");
      const { text: hidden, findings } = new Redactor(undefined, 2026).redact(text, {
        speaker: "caller",
        language,
        isOpen: true,
      });
      let rest = "";
      let at = 0;
      for (const { kind, from, to } of findings) {
        expect(from).toBeGreaterThanOrEqual(at);
        expect(to).toBeGreaterThan(from);
        rest += `${text.slice(at, from)}[${kind}]`;
        at = to;
      }
      expect(at).toBeLessThanOrEqual(text.length);
      expect(rest + text.slice(at)).toBe(hidden);
    }),
    { numRuns: 300 },
  );
});

test("every valid card is hidden, however it is grouped or said", () => {
  const words = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
  fc.assert(
    fc.property(
      fc.array(fc.nat(9), { minLength: 14, maxLength: 14 }),
      fc.boolean(),
      fc.nat(4),
      (rest, isSpoken, group) => {
        const body = [4, ...rest];
        const check = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].find((digit) => passesLuhn([...body, digit].join("")));
        const digits = [...body, check ?? 0];
        const said = isSpoken ? digits.map((digit) => words[digit]) : digits.map(String);
        const text = said
          .map((digit, at) => `${digit ?? ""}${(at + 1) % (group + 1) === 0 || isSpoken ? " " : ""}`)
          .join("");
        expect(redact(`Okay so ${text.trim()} thanks`)).toBe("Okay so [card] thanks");
      },
    ),
  );
});

test("arguments of tools are hidden by the names of their fields and by their words", () => {
  const redactor = new Redactor(undefined, 2026);
  const args = {
    guest_name: "Ada King",
    phoneNumber: 5558675309,
    note: "call 555-867-5309",
    count: 4,
    tags: ["a@b.com"],
    day: "2026-12-24",
  };
  expect(JSON.parse(redactJson(JSON.stringify(args), redactor, { speaker: "caller", language: "en" }))).toEqual({
    guest_name: "[name]",
    phoneNumber: "[phone]",
    note: "call [phone]",
    count: 4,
    tags: ["[mail]"],
    day: "2026-12-24",
  });
  expect(redactor.redact("Thank you, Ada.", { speaker: "assistant", language: "en" }).text).toBe("Thank you, [name].");
});
