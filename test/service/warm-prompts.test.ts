import { afterAll, beforeAll, expect, test } from "vitest";
import { embeddedDefault, type VoiceConfiguration } from "../../src/config/voice-configuration.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import type { Beginning, LanguageModel, Prompt } from "../../src/engines/llm/language-model.ts";
import { engineStarters } from "../../src/service/engine-starters.ts";
import { WarmPrompts } from "../../src/service/warm-prompts.ts";
import { silentLog } from "../../src/shared/log.ts";
import { toolDefinitions } from "../../src/tools/open-tools.ts";
import { Toolbox } from "../../src/tools/toolbox.ts";

const CALLS = 2;
let llm: LanguageModel;
beforeAll(async () => {
  llm = await engineStarters(loadServerConfig(undefined, {}).config, CALLS, silentLog).llm();
});
afterAll(() => llm.close());

/** The real model, with the list of its requests. */
function watched() {
  const opened: (Beginning | undefined)[] = [];
  const prefilled: Prompt[] = [];
  const model: LanguageModel = {
    open: (beginning) => llm.open(beginning),
    close: () => llm.close(),
    openBackground(beginning) {
      opened.push(beginning);
      const session = llm.openBackground?.(beginning) ?? llm.open(beginning);
      return {
        generate: (request, signal) => session.generate(request, signal),
        async prefill(prompt, signal) {
          await session.prefill(prompt, signal);
          prefilled.push(prompt);
        },
        close: () => session.close(),
      };
    },
  };
  const toolbox = new Toolbox([], silentLog);
  const prompts = new WarmPrompts((voice) => toolDefinitions(voice, toolbox), silentLog);
  return { opened, prefilled, prompts, model };
}

const voice = (config_id: string): VoiceConfiguration => ({
  ...embeddedDefault,
  config_id,
  facts: [`It is ${config_id}.`],
});

test("the beginning of each configuration is evaluated before a call, and leaves no place taken", async () => {
  const { opened, prefilled, prompts, model } = watched();
  prompts.use([voice("one"), voice("two")]);
  expect(opened).toEqual([]);
  prompts.start(() => model);
  await expect.poll(() => prefilled.length).toBe(2);
  expect(opened.map((beginning) => beginning?.system)).toEqual([
    expect.stringContaining("It is one."),
    expect.stringContaining("It is two."),
  ]);
  expect(opened[0]?.tools.map(({ name }) => name)).toContain("set_timer");
  expect(prefilled[0]?.tools).toEqual(opened[0]?.tools);
  await prompts.close();
  const sessions = Array.from({ length: CALLS }, () => llm.open());
  for (const session of sessions) session.close();
});

test("callers get all places while a prompt is evaluated", async () => {
  const { opened, prompts, model } = watched();
  prompts.use([voice("seven")]);
  prompts.start(() => model);
  expect(opened).toHaveLength(1);
  const sessions = Array.from({ length: CALLS }, () => llm.open());
  await prompts.close();
  for (const session of sessions) session.close();
});

test("new configurations replace those that still wait, and a model without a free place is left alone", async () => {
  const { opened, prefilled, prompts, model } = watched();
  prompts.start(() => model);
  prompts.use([voice("three"), voice("four")]);
  prompts.use([voice("five")]);
  await expect.poll(() => prefilled.length).toBe(1);
  expect(opened.map((beginning) => beginning?.system)).not.toContainEqual(expect.stringContaining("four"));
  const sessions = Array.from({ length: CALLS }, () => llm.open());
  prompts.use([voice("six")]);
  await prompts.close();
  expect(prefilled).toHaveLength(1);
  for (const session of sessions) session.close();
});
