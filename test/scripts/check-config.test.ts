import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../src/shared/package-root.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const webhook = { url: "https://pms.hotel.lan/book", secret_file: "secret" };

test.each([
  ["https://pms.hotel.lan is not allowed", "", /^oakvoice: \/.*desk\.json: tools\.0\.webhook: the tool book: pms\.hotel\.lan is not in egress\.allowed_hosts\. [^\n]+\n$/u],
  ["the host is allowed", "pms.hotel.lan", /^$/u],
])("the installer's check of a configuration: %s", (_, hosts, message) => {
  const folder = temporaryFolder();
  const tools = [{ name: "book", description: "Books a table.", webhook }];
  writeFileSync(join(folder, "desk.json"), JSON.stringify({ config_id: "desk", system_prompt: "You are Oak.", tools }));
  writeFileSync(join(folder, "secret"), "a secret of the test", { mode: 0o600 });
  const { stderr, status } = spawnSync(process.execPath, ["--import", "tsx", join(packageRoot, "scripts", "check-config.ts")], {
    env: { ...process.env, OAKVOICE_DATA_DIR: folder, OAKVOICE_VOICES_DIR: folder, OAKVOICE_PORT: "0", OAKVOICE_EGRESS_ALLOWED_HOSTS: hosts },
    encoding: "utf8",
  });
  expect(stderr).toMatch(message);
  expect(status).toBe(hosts === "" ? 1 : 0);
}); // prettier-ignore
