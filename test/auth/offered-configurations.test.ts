import { expect, test } from "vitest";
import type { Identity } from "../../src/auth/authenticate.ts";
import { unknownConfiguration } from "../../src/auth/offered-configurations.ts";
import { voiceConfigurationSchema } from "../../src/config/voice-configuration.ts";

const voiceOf = (config_id: string, project_id = "default") =>
  voiceConfigurationSchema.parse({ config_id, project_id, system_prompt: "Be brief." });
const VOICES = [voiceOf("hotel", "inn"), voiceOf("default"), voiceOf("bar", "inn"), voiceOf("hostel", "rival")];
const messageFor = (wanted: string, limits: Partial<Identity> = {}, voices = VOICES) =>
  unknownConfiguration(
    wanted,
    { method: "api_key", id: "k", projectId: undefined, configId: undefined, ...limits },
    voices,
  ).message;

test("an unknown configuration names the meant one and all others", () => {
  expect(messageFor("defualt")).toBe(
    'There is no voice configuration with the config_id "defualt". Did you mean default? These credentials open: bar, default, hostel, hotel.',
  );
  expect(messageFor("kitchen")).not.toContain("mean");
});

test("credentials of one project learn no name of another, not even as a correction", () => {
  const message = messageFor("hostle", { projectId: "inn" });
  expect(message).toMatch(/These credentials open: bar, hotel\.$/u);
  expect(message).not.toMatch(/hostel|default/u);
  expect(messageFor("x", { configId: "bar" })).toMatch(/open: bar\.$/u);
  expect(messageFor("x", { projectId: "empty" })).toMatch(/These credentials open none\.$/u);
});

test("many names are cut", () => {
  const many = Array.from({ length: 40 }, (_, index) => voiceOf(`voice-${String(index + 10)}`));
  expect(messageFor("x", {}, many)).toMatch(/open: voice-10, .*voice-21 and 28 more\.$/u);
});
