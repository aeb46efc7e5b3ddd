import { afterAll, beforeAll, expect, test } from "vitest";
import { loadServerConfig } from "../src/config/server-config.ts";
import { voiceConfigurationSchema } from "../src/config/voice-configuration.ts";
import { startEngines, type EngineRegistry } from "../src/engines.ts";
import { silentLog } from "../src/shared/log.ts";

const { config } = loadServerConfig(undefined, {});
const voiceWith = (models: object) =>
  voiceConfigurationSchema.parse({ config_id: "twin", system_prompt: "You are Oak.", models });
const plain = voiceWith({});
const twin = voiceWith({ stt: "starter-stt", llm: "starter-llm", tts: "starter-tts" });

let engines: EngineRegistry;
beforeAll(async () => {
  engines = await startEngines(config, [plain, twin], silentLog);
});
afterAll(() => engines.close());

test("a configuration that names the server's own models shares them: they are loaded once", () => {
  expect(Object.keys(engines.each(() => 1)).toSorted()).toEqual([
    "language model",
    "speech recognition",
    "speech synthesis model",
  ]);
  expect(engines.for(twin)).toEqual(engines.for(plain));
});

test("a configuration that came after the start and names another model is told so", () => {
  expect(() => engines.for(voiceWith({ llm: "starter-tts" }))).toThrow(
    expect.objectContaining({ code: "MODEL_NOT_LOADED" }),
  );
});

test.each([{ llm: "no-such-model" }, { llm: "starter-tts" }])("%o is refused at the start", async (models) => {
  await expect(startEngines(config, [voiceWith(models)], silentLog)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});
