import { expect, test } from "vitest";
import { LoggedArguments } from "../../src/call-record/logged-arguments.ts";

test("the log gets arguments without what identifies people, also a name that only the caller introduced", () => {
  const logged = new LoggedArguments(() => "en");
  const transcript = { text: "", accumulated: "My name is Vanterpool.", confidence: 1, words: [] };
  logged.take({ type: "turn-ended", turn: 1, cause: "silence", durationMs: 100, confidence: 1, transcript });
  const args = { note: "a room for Vanterpool", card: "4111 1111 1111 1111", guests: 2 };
  expect(logged.text(JSON.stringify(args))).toBe('{"note":"a room for [name]","card":"[card]","guests":2}');
});
