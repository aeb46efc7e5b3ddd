import { expect, test } from "vitest";
import { History } from "../../src/conversation/history.ts";

test("two utterances of the same speaker are one message", () => {
  const history = new History();
  history.addUser("What time");
  history.addUser("is it?");
  history.addAssistant("");
  expect(history.prompt("Be brief.")).toEqual([
    { role: "system", content: "Be brief." },
    { role: "user", content: "What time is it?" },
  ]);
});

// While no reply is heard (speech synthesis is down), all that the user says is one message: it must go on fitting the
// model's context, or no reply would ever be written again.
test("a message that nothing answers stays bounded, and keeps the latest whole words", () => {
  const history = new History();
  for (let turn = 0; turn < 1000; turn += 1) history.addUser(`this is sentence number ${String(turn)}`);
  const [, user] = history.prompt("Be brief.");
  expect(user?.content.length).toBeLessThanOrEqual(4000);
  expect(user?.content).toMatch(/^(this|is|sentence|number|\d+) .* number 999$/);
});
