import { expect, test } from "vitest";
import { tracedWords } from "../../src/call-record/traced-words.ts";
import { recordSchema } from "../../src/config/call-record-settings.ts";
import { embeddedDefault } from "../../src/config/voice-configuration.ts";

test("a number that is dictated over two turns is hidden in both", () => {
  const words = tracedWords(embeddedDefault, () => false);
  expect(words("my card is 4111 1111", "caller")).not.toContain("1111");
  expect(words("1111 1111", "caller")).not.toContain("1111");
  expect(words("My name is Henrietta.", "caller")).toBe("My name is [name].");
});

test("a caller who keeps no record has no words in the trace", () => {
  let isRecording = false;
  const words = tracedWords({ ...embeddedDefault, record: recordSchema.parse({}) }, () => isRecording);
  expect(words("My name is Henrietta.", "caller")).toBeUndefined();
  isRecording = true;
  expect(words("Hello Henrietta.", "assistant")).toBe("Hello [name].");
});
