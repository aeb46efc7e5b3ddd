import { expect, test } from "vitest";
import { EndOfTurnWatch } from "../../src/conversation/ear/end-of-turn-watch.ts";
import { SampleRing } from "../../src/audio/ring-buffer.ts";
import { languageOf } from "../../src/language/packs/languages.ts";
import { LOUD, scriptedCall } from "../support/scripted-call.ts";

test("a language change during a call applies to the recogniser, the time note and the spoken reply", async () => {
  const asked: string[] = [];
  const spoken: string[] = [];
  const call = scriptedCall({
    transcribe: async ({ language }) => {
      asked.push(language);
      return "wie viele Tische sind frei";
    },
    generate: async function* () {
      yield "Es sind 3 Tische frei.";
    },
    synthesize: async (text) => {
      spoken.push(text);
      return new Float32Array(24_000);
    },
  });
  const turn = async () => {
    await call.stream(LOUD, 1_500);
    await call.stream(0, 6_000);
  };
  await turn();
  expect(new Set(asked)).toEqual(new Set(["en"]));
  expect(spoken.join(" ")).toContain("three");
  asked.length = 0;
  spoken.length = 0;
  call.session.configure({ language: "de" });
  expect(call.all("status").at(-1)).toMatchObject({ details: { applied_settings: { language: "de" } } });
  await turn();
  expect(new Set(asked)).toEqual(new Set(["de"]));
  expect(spoken.join(" ")).toContain("Es sind drei Tische frei.");
  const prompt = call.prompts.at(-1)?.messages.at(-1)?.content ?? "";
  expect(prompt).toMatch(/^\(Es ist .* Uhr\.\)/u);
  await call.session.close();
});

test.each([
  ["en", 0.9, 2],
  ["de", 0.9, 0.5],
  ["sv", undefined, 0],
])("an end-of-turn model of English and German and a caller who speaks %s", async (code, expected, odds) => {
  const watch = new EndOfTurnWatch({
    model: {
      languages: ["en", "de"],
      windowSamples: 16_000,
      melodySamples: 16_000,
      melodyOdds: async () => undefined,
      probabilityOver: async () => 0.9,
      oddsByWords: () => 2,
      close: async () => undefined,
    },
    language: () => languageOf(code),
    ring: new SampleRing(32_000),
    signal: new AbortController().signal,
    onFailure: (error) => expect.fail(String(error)),
  });
  expect(await watch.judge(0, 16_000, 20_000)).toBe(expected);
  expect(watch.oddsByWords("turn it on", 1, false)).toBe(odds);
});
