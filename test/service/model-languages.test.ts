import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { modelPath, loadModelCatalog, namedModel } from "../../src/config/model-catalog.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { voiceConfigurationSchema } from "../../src/config/voice-configuration.ts";
import { ModelLanguages } from "../../src/service/model-languages.ts";
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
  new ModelLanguages(config).require(voiceIn("en"));
  new ModelLanguages(withModels({ stt: turbo, tts: "/voices/thorsten" })).require(voiceIn("de"));
  expect(new ModelLanguages(withModels({ stt: turbo })).recogniser(voiceIn("en"))).toContain("de");
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
    expect(() => new ModelLanguages(server).require(voiceIn("de", models))).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringMatching(message) }),
    );
  },
);

test.each(["auto", ["en", "de"]])(
  "a multilingual recogniser chooses from %j, whatever the voice speaks",
  (language) => {
    new ModelLanguages(config).require(voiceIn(language));
  },
);

test.each(["auto", ["en", "de"]])("a recogniser of one language refuses to choose from %j", (language) => {
  expect(() => new ModelLanguages(withModels({ stt: english })).require(voiceIn(language))).toThrow(
    expect.objectContaining({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(
        /^Voice configuration desk: language: the recogniser .* cannot identify languages\./u,
      ),
    }),
  );
});

test("a list with a language that the recogniser does not know is refused with its name", () => {
  expect(() => new ModelLanguages(config).require(voiceIn(["en", "xx"]))).toThrow(/knows en, zh, .*, not xx\./u);
});

test("the header of an English-only Whisper outside the catalogue is used, and other files are tried", () => {
  const copy = join(temporaryFolder(), "my-own.bin");
  writeFileSync(copy, withVocabulary(51_864));
  const server = withModels({ stt: copy, tts: "/voices/thorsten/tts" });
  expect(new ModelLanguages(server).recogniser(voiceIn("en"))).toEqual(["en"]);
  expect(() => new ModelLanguages(server).require(voiceIn("de"))).toThrow(/my-own\.bin knows en, not de/u);
  expect(new ModelLanguages(withModels({ stt: "/models/other.bin" })).recogniser(voiceIn("de"))).toBeUndefined();
});

test.each(["my-own.bin", "ggml-large-v3-turbo-q5_0.bin"])("a multilingual %s knows Whisper's languages", (name) => {
  const stt = join(temporaryFolder(), name);
  writeFileSync(stt, withVocabulary(51_865));
  const server = withModels({ stt, tts: "/voices/other" });
  new ModelLanguages(server).require(voiceIn("sv"));
  expect(() => new ModelLanguages(server).require(voiceIn("xx"))).toThrow(/\.bin knows en, zh, de, .*, not xx\./u);
});

test("a call that opens reads no file again: the languages are those of the model that was loaded", () => {
  const stt = join(temporaryFolder(), "my-own.bin");
  writeFileSync(stt, withVocabulary(51_864));
  const languages = new ModelLanguages(withModels({ stt }));
  languages.require(voiceIn("en"));
  rmSync(stt);
  expect(languages.recogniser(voiceIn("en"))).toEqual(["en"]);
  expect(() => languages.require(voiceIn("de"))).toThrow(/my-own\.bin knows en, not de/u);
});

/** The shipped Whisper with a header that has this number of tokens. The header tells English-only files from multilingual ones. */
function withVocabulary(tokens: number): Buffer {
  const bytes = readFileSync(config.models.stt.path);
  bytes.writeInt32LE(tokens, 4);
  return bytes;
}
