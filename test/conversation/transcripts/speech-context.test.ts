import { expect, test } from "vitest";
import { DEFAULT_SETTINGS } from "../../../src/config/settings/session-settings.ts";
import { speechContext } from "../../../src/conversation/transcripts/speech-context.ts";
import { LOUD, scriptedCall } from "../../support/scripted-call.ts";

test("the phrases of the operator and of the client come once each, in this order", () => {
  const settings = { ...DEFAULT_SETTINGS, phrases: ["Quenby", "Lindenhof"] };
  const { phrases } = speechContext({ phrases: ["Dr. Novak", "Quenby"] }, settings, "en", "");
  expect(phrases).toEqual(["Dr. Novak", "Quenby", "Lindenhof"]);
});

test("the recogniser knows that a number was asked for", () => {
  const context = (said: string) => speechContext({ phrases: [] }, DEFAULT_SETTINGS, "en", said);
  expect(context("How many people?").expects).toBe("number");
  expect(context("Your table is booked.").expects).toBeUndefined();
});

test("a call's recogniser gets them, with changes of the client's settings", async () => {
  const asked: (readonly string[] | undefined)[] = [];
  const call = scriptedCall({
    voice: { phrases: ["Dr. Novak"] },
    transcribe: async ({ phrases }) => {
      asked.push(phrases);
      return "hello";
    },
  });
  const turn = async () => {
    await call.stream(LOUD, 1_500);
    await call.stream(0, 6_000);
  };
  await turn();
  expect(asked.at(-1)).toEqual(["Dr. Novak"]);
  call.session.configure({ phrases: ["Quenby"] });
  await turn();
  expect(asked.at(-1)).toEqual(["Dr. Novak", "Quenby"]);
  await call.session.close();
});
