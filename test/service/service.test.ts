import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startService } from "../../src/service/service.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { silentLog } from "../../src/shared/log.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("a trace_dir that cannot be created stops the start with one line, before any model is loaded", async () => {
  const { config } = loadServerConfig(undefined, {
    OAKVOICE_DATA_DIR: temporaryFolder(),
    OAKVOICE_TRACE_DIR: "/dev/null/traces",
  });
  await expect(startService(config, silentLog)).rejects.toThrow(
    "trace_dir: /dev/null/traces cannot be created: a part of the path is not a folder (ENOTDIR). Check the path.",
  );
});

test("a voice in a language that its speech model does not know stops the start with one line", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "desk.yaml"), "config_id: desk\nsystem_prompt: Du bist Oak.\nlanguage: de\n");
  const { config } = loadServerConfig(undefined, {
    OAKVOICE_DATA_DIR: temporaryFolder(),
    OAKVOICE_VOICES_DIR: folder,
    OAKVOICE_PORT: "0",
  });
  await expect(startService(config, silentLog)).rejects.toThrow(
    /^Voice configuration desk: language: the speech model [^\n]+ knows en, not de\. [^\n]+$/u,
  );
});

test("a tool whose host is not allowed stops the start with one line", async () => {
  const folder = temporaryFolder();
  const webhook = { url: "https://pms.hotel.lan/book", secret_file: "secret" };
  const tools = [{ name: "book_table", description: "Books a table.", webhook }];
  const voice = { config_id: "desk", system_prompt: "You are Oak.", tools };
  writeFileSync(join(folder, "desk.json"), JSON.stringify(voice));
  const { config } = loadServerConfig(undefined, {
    OAKVOICE_DATA_DIR: temporaryFolder(),
    OAKVOICE_VOICES_DIR: folder,
  });
  await expect(startService(config, silentLog)).rejects.toThrow(
    /^\/.*\/desk\.json: tools\.0\.webhook: the tool book_table: pms\.hotel\.lan is not in egress\.allowed_hosts\. Add "pms\.hotel\.lan" to egress\.allowed_hosts in the server.s configuration, or [^\n]+$/u,
  );
});
