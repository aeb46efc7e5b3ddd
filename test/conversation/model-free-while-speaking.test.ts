import { expect, test } from "vitest";
import { scriptedRealtime } from "../support/scripted-realtime.ts";

test("the language model reads ahead while the speech of a written reply is still synthesised", async () => {
  let prefills = 0;
  const { update, speak, stream } = scriptedRealtime({
    generate: async function* generate() {
      yield* ["This is one. ", "This is two. ", "This is three."];
    },
    // The voice never finishes the second sentence.
    synthesize: (text) =>
      text.includes("two") ? new Promise<never>(() => undefined) : Promise.resolve(new Float32Array(240_000).fill(0.5)),
    prefill: async () => void (prefills += 1),
  });
  update({ audio: { input: { turn_detection: { type: "server_vad", interrupt_response: false } } } });
  await speak(600);
  const before = prefills;
  await stream(8_000, 1_000);
  expect(prefills).toBeGreaterThan(before);
});
