import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { modelPath, loadModelCatalog, namedModel } from "../../src/config/model-catalog.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { voiceConfigurationSchema } from "../../src/config/voice-configuration.ts";
import { recogniserLanguages, requireLanguage } from "../../src/service/model-languages.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const { config } = loadServerConfig(undefined, {});
const voiceIn = (language: string | readonly string[], models = {}) =>
  voiceConfigurationSchema.parse({ config_id: "desk", system_prompt: "You are Oak.", language, models });
const withModels = (own: { readonly stt?: string; readonly tts?: string }) => ({
  ...config,
  models: {
    ...config.models,
    stt: { ...config.models.stt, path: own.stt ?? config.models.stt.path },
    tts: { ...config.models.tts, dir: own.tts ?? config.models.tts.dir },
  },
});
/** Not installed, so the catalogue decides. */
const english = modelPath(namedModel(loadModelCatalog(), "stt", "whisper-base.en-q8_0"), config.dataDir);
const turbo = modelPath(namedModel(loadModelCatalog(), "stt", "whisper-large-v3-turbo-q5_0"), config.dataDir);

test("a voice in a language of its models passes", () => {
  requireLanguage(config, voiceIn("en"));
  requireLanguage(withModels({ stt: turbo, tts: "/voices/thorsten" }), voiceIn("de"));
  expect(recogniserLanguages(withModels({ stt: turbo }), voiceIn("en"))).toContain("de");
});

test.each([
  [
    "the recogniser",
    withModels({ stt: english }),
    {},
    /^Voice configuration desk: language: the recogniser .*ggml-base\.en-q8_0\.bin knows en, not de\. .* models\.stt\.$/u,
  ],
  [
    "the speech model",
    withModels({ stt: turbo }),
    {},
    /language: the speech model .*starter.tts knows en, not de\. .* models\.tts\.$/u,
  ],
  [
    "a named recogniser",
    withModels({ stt: turbo }),
    { stt: "whisper-base.en-q8_0" },
    /recogniser .*ggml-base\.en-q8_0\.bin knows en, not de/u,
  ],
] as const)(
  "a language that %s does not list is reported in one line with place and remedy",
  (_, server, models, message) => {
    expect(() => requireLanguage(server, voiceIn("de", models))).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringMatching(message) }),
    );
  },
);

test.each(["auto", ["en", "de"]])(
  "a multilingual recogniser chooses from %j, whatever the voice speaks",
  (language) => {
    requireLanguage(config, voiceIn(language));
  },
);

test.each(["auto", ["en", "de"]])("a recogniser of one language refuses to choose from %j", (language) => {
  expect(() => requireLanguage(withModels({ stt: english }), voiceIn(language))).toThrow(
    expect.objectContaining({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(
        /^Voice configuration desk: language: the recogniser .* cannot identify languages\./u,
      ),
    }),
  );
});

test("a list with a language that the recogniser does not know is refused with its name", () => {
  expect(() => requireLanguage(config, voiceIn(["en", "xx"]))).toThrow(/knows en, zh, .*, not xx\./u);
});

test("the header of an English-only Whisper outside the catalogue is used, and other files are tried", () => {
  const copy = join(temporaryFolder(), "my-own.bin");
  writeFileSync(copy, withVocabulary(51_864));
  const server = withModels({ stt: copy, tts: "/voices/thorsten/tts" });
  expect(recogniserLanguages(server, voiceIn("en"))).toEqual(["en"]);
  expect(() => requireLanguage(server, voiceIn("de"))).toThrow(/my-own\.bin knows en, not de/u);
  expect(recogniserLanguages(withModels({ stt: "/models/other.bin" }), voiceIn("de"))).toBeUndefined();
});

test.each(["my-own.bin", "ggml-large-v3-turbo-q5_0.bin"])("a multilingual %s knows Whisper's languages", (name) => {
  const stt = join(temporaryFolder(), name);
  writeFileSync(stt, withVocabulary(51_865));
  const server = withModels({ stt, tts: "/voices/other" });
  requireLanguage(server, voiceIn("sv"));
  expect(() => requireLanguage(server, voiceIn("xx"))).toThrow(/\.bin knows en, zh, de, .*, not xx\./u);
});

/** The shipped Whisper with a header that has this number of tokens. The header tells English-only files from multilingual ones. */
function withVocabulary(tokens: number): Buffer {
  const bytes = readFileSync(config.models.stt.path);
  bytes.writeInt32LE(tokens, 4);
  return bytes;
}
