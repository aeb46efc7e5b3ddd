import { expect, test } from "vitest";
import { scriptedCall } from "../support/scripted-call.ts";

/** Requests of a client for one second. */
const FLOODS = {
  "texts, such as pressed keys": (call: Call) => call.session.addText("(The caller pressed 1.)"),
  "replies that are asked for and stopped": (call: Call) => {
    call.session.stopReply();
    call.session.respond();
  },
  "texts and replies": (call: Call) => {
    call.session.addText("Hello.");
    call.session.respond({ instructions: "Be short." });
  },
};
type Call = ReturnType<typeof scriptedCall>;

test.each(Object.entries(FLOODS))("a flood of %s asks the language model a few times a second", async (_, act) => {
  let asked = 0;
  let running = 0;
  let most = 0;
  const call = scriptedCall({
    generate: async function* generate() {
      asked += 1;
      running += 1;
      most = Math.max(most, running);
      try {
        yield "Yes. ";
      } finally {
        running -= 1;
      }
    },
  });
  for (let count = 0; count < 100; count += 1) {
    act(call);
    await call.settle();
    call.clock.advance(10);
  }
  await call.settle();
  expect(asked).toBeGreaterThan(0);
  expect(asked).toBeLessThanOrEqual(10);
  expect(most).toBe(1);
  call.clock.advance(5_000);
  await call.settle();
  call.session.addText("Are you there?");
  await call.settle();
  expect(call.prompts.at(-1)?.messages.at(-1)?.content).toContain("Are you there?");
});
