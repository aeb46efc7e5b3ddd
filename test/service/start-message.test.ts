import { expect, test } from "vitest";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { startMessage } from "../../src/service/start-message.ts";

const { config } = loadServerConfig(undefined, {});
const PROGRAMS = "ws://127.0.0.1:9000/ws/voice/<connection_id>?api_key=oak_1&config_id=default";
const PAGE = "http://127.0.0.1:9000/#api_key=oak_1";

test("programs read the two addresses from the first lines", () => {
  expect(startMessage(config, 9000, "oak_1", false).split("\n").slice(0, 2)).toEqual([PROGRAMS, PAGE]);
  expect(startMessage({ ...config, playground: false }, 9000, "oak_1", false)).not.toContain("http://");
});

test("on a terminal each address is labelled, and the starter's sentences are named", () => {
  const text = startMessage(config, 9000, "oak_1", true);
  expect(text).toContain(`\n  Page      ${PAGE}\n  Programs  ${PROGRAMS}\n`);
  expect(text).toContain('"Set a timer for ten minutes."');
  const llm = { ...config.models.llm, path: "/models/qwen.gguf" };
  expect(startMessage({ ...config, models: { ...config.models, llm } }, 9000, "oak_1", true)).not.toContain("starter");
});

test("with keys of the operator it says how to open the page", () => {
  const text = startMessage(config, 9000, undefined, true);
  expect(text).toContain("  Page      http://127.0.0.1:9000/\n");
  expect(text).toContain('Use the key that "oakvoice keys create" printed. Type it on the page.');
});
