import { expect, test } from "vitest";
import { redactJson } from "../../../src/call-record/redaction/redact-json.ts";
import { Redactor } from "../../../src/call-record/redaction/redactor.ts";

const redact = (value: unknown) =>
  redactJson(JSON.stringify(value), new Redactor(), { speaker: "caller", language: "en" });

test.each([
  ["an object below a field", { guest_name: { first: "Henrietta", last: "Blackwood" } }],
  ["a list below a field", { names: [], name: ["Henrietta", "Blackwood"] }],
  ["a field with a space", { "Guest Name": "Henrietta Blackwood" }],
  ["a field with a hyphen", { "last-name": "Blackwood" }],
  ["JSON inside a text", { content: [{ type: "text", text: '{"name":"Henrietta Blackwood"}' }] }],
  ["JSON inside JSON", JSON.stringify({ guest: JSON.stringify({ surname: "Blackwood" }) })],
])("%s is hidden", (_, value) => {
  expect(redact(value)).toContain("[name]");
  expect(redact(value)).not.toMatch(/Henrietta|Blackwood/u);
});

test("other values and JSON that says nothing stay", () => {
  const value = { guests: 4, note: '{"window":true}', list: ["[1]"] };
  expect(redact(value)).toBe(JSON.stringify(value));
});

test.each(["pin", "cardCvc", "account_password", "PIN code"])("%s is hidden", (field) => {
  expect(redact({ [field]: 1234 })).toBe(JSON.stringify({ [field]: "[number]" }));
});
