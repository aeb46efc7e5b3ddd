import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { VoiceConfiguration } from "../../src/config/voice-configuration.ts";
import { silentLog } from "../../src/shared/log.ts";
import { McpServer } from "../../src/tools/mcp-server.ts";
import { Toolbox } from "../../src/tools/toolbox.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

afterEach(() => vi.restoreAllMocks());

test("after 50 reloads with a new token each, the last reload retires one server", () => {
  vi.spyOn(McpServer.prototype, "keep").mockResolvedValue(undefined);
  const retired = vi.spyOn(McpServer.prototype, "retire").mockReturnValue(undefined);
  const folder = temporaryFolder();
  const token = join(folder, "token");
  const box = new Toolbox(["127.0.0.1:9"], silentLog);
  for (let reload = 0; reload < 50; reload += 1) {
    writeFileSync(token, `token-${String(reload)}`, { mode: 0o600 });
    const mcp = { url: "http://127.0.0.1:9/mcp", token_file: token, timeout_seconds: 1, tools: ["a"] };
    const voice = { config_id: "v", tools: [{ mcp, cancel_on_interrupt: false }] } as unknown as VoiceConfiguration;
    retired.mockClear();
    box.load(voice, join(folder, "v.yaml"));
    box.use([voice]);
  }
  expect(retired.mock.calls.length).toBeLessThanOrEqual(1);
});
