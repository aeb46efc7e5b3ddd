import { expect, test } from "vitest";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { embeddedDefault } from "../../src/config/voice-configuration.ts";
import { serverConfigSchema } from "../../src/config/server-config-schema.ts";
import { CallModels } from "../../src/service/call-models.ts";
import { fakeEngines } from "../support/fake-engines.ts";

const { engines } = fakeEngines({});
const { config } = loadServerConfig(undefined, {});
const remote = { url: "http://127.0.0.1:1/v1", model: "big", keyFile: undefined, extraBody: {} };
const modelsWith = (llm: object) =>
  new CallModels({ models: { ...config.models, llm: { ...config.models.llm, ...llm } } }, { for: () => engines });

test("only a remote model with redact gets placeholders, and not a model of this machine that a configuration names", () => {
  expect(modelsWith({}).language(embeddedDefault)).toBe(engines.llm);
  expect(modelsWith({ remote }).language(embeddedDefault)).toBe(engines.llm);
  const redacting = modelsWith({ remote, redact: ["card"] });
  expect(redacting.language(embeddedDefault)).not.toBe(engines.llm);
  expect(redacting.language({ ...embeddedDefault, models: { llm: "starter-llm" } })).toBe(engines.llm);
});

test("spans name the model and its provider", () => {
  expect(modelsWith({ remote }).stages(embeddedDefault)["llm_reply"]).toEqual({
    "gen_ai.request.model": "big",
    "gen_ai.provider.name": "openai-compatible",
  });
  const own = modelsWith({ remote }).stages({ ...embeddedDefault, models: { llm: "starter-llm" } });
  expect(own["llm_reply"]).toEqual({ "gen_ai.request.model": "starter-llm", "gen_ai.provider.name": "llama.cpp" });
});

test("redact without a remote model is a mistake", () => {
  const { error } = serverConfigSchema.safeParse({ models: { llm: { redact: ["card"] } } });
  expect(error?.issues[0]).toMatchObject({ path: ["models", "llm", "redact"] });
});
