import { expect, test } from "vitest";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { embeddedDefault } from "../../src/config/voice-configuration.ts";
import type { TextToSpeech } from "../../src/engines/tts/text-to-speech.ts";
import { modelNames } from "../../src/service/model-names.ts";

const { config } = loadServerConfig(undefined, {});
const speaking = (...names: string[]) => ({ tts: { speakers: { names, count: 4 } } as unknown as TextToSpeech });

test("the names are those of the catalogue, and the voice configuration's own", () => {
  expect(modelNames(config)(embeddedDefault, speaking())).toEqual({
    stt: "starter-stt",
    llm: "starter-llm",
    tts: "starter-tts",
    voice: "default",
  });
  const other = { ...embeddedDefault, models: { llm: "qwen3-0.6b-q8_0" } };
  expect(modelNames(config)(other, speaking()).llm).toBe("qwen3-0.6b-q8_0");
});

test("a remote model has the name of its server, another file its own", () => {
  const remote = { url: "http://llm.lan/v1", model: "big" } as unknown as NonNullable<typeof config.models.llm.remote>;
  const models = {
    ...config.models,
    llm: { ...config.models.llm, path: "", remote },
    stt: { ...config.models.stt, path: "/srv/own.bin" },
  };
  expect(modelNames({ models })(embeddedDefault, speaking())).toMatchObject({ llm: "big", stt: "own.bin" });
});

test.each([
  ["default", "amy"],
  ["joe", "joe"],
  ["1", "joe"],
  ["unknown", "amy"],
])("the voice %s is the speaker %s", (voice, speaker) => {
  expect(modelNames(config)({ ...embeddedDefault, voice }, speaking("amy", "joe")).voice).toBe(speaker);
});
