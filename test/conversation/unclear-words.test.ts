import { expect, test } from "vitest";
import { UnclearWords } from "../../src/conversation/reply/text/unclear-words.ts";
import type { ScriptedText } from "../support/fake-engines.ts";
import { LOUD, scriptedCall } from "../support/scripted-call.ts";

/** Says something over a reply, and then another turn. Returns what the model read, and whether the reply was stopped. */
async function overAReply(said: ScriptedText) {
  let heard: ScriptedText = { text: "tell me a story" };
  const call = scriptedCall({
    transcribe: async () => heard,
  });
  await call.stream(LOUD, 1_500);
  await call.stream(0, 1_500);
  heard = said;
  await call.stream(LOUD, 400);
  await call.stream(0, 6_000);
  const stops = call.all("tts_interruption").length;
  heard = { text: "is my city" };
  await call.stream(LOUD, 1_500);
  await call.stream(0, 6_000);
  heard = { text: "and what now" };
  await call.stream(LOUD, 1_500);
  await call.stream(0, 6_000);
  const prompts = call.prompts.map(({ messages }) => JSON.stringify(messages));
  await call.session.close();
  return { stops, prompts };
}

test("a content word that is too unclear to stop the reply reaches the model with the next turn, once", async () => {
  const { stops, prompts } = await overAReply({ text: "paris", confidence: 0.3 });
  expect(stops).toBe(0);
  expect(prompts[0]).not.toContain("paris");
  expect(prompts[1]).toContain("paris");
  expect(prompts.at(-1)?.split("paris")).toHaveLength(2);
  // A line of its own is a note. The values of a call are not compared with it.
  expect(prompts[1]).toContain(String.raw`\n(Perhaps the caller said before: \"paris\")\nis my city`);
});

test.each<[string, ScriptedText]>([
  ["a back-channel", { text: "okay", confidence: 0.3 }],
  ["function words", { text: "and the", confidence: 0.3 }],
  ["a sound that was probably no speech", { text: "paris", confidence: 0.3, isDoubtful: true }],
])("%s over the reply does not reach the model", async (_, said) => {
  const { stops, prompts } = await overAReply(said);
  expect(stops).toBe(0);
  expect(prompts.join("")).not.toContain(said.text);
});

test("unclear words are bounded, and the newest stay", () => {
  const unclear = new UnclearWords();
  for (let count = 0; count < 100; count += 1) unclear.add(`word${String(count)}`);
  expect(unclear.note?.length).toBeLessThan(300);
  expect(unclear.note).toContain("word99");
  unclear.clear();
  expect(unclear.note).toBeUndefined();
});
