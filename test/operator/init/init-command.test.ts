import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadServerConfig } from "../../../src/config/server-config.ts";
import { BUSINESSES } from "../../../src/operator/init/businesses.ts";
import { initCommand } from "../../../src/operator/init/init-command.ts";
import { readVoices } from "../../../src/service/read-voices.ts";
import { readScenarioFile } from "../../../src/operator/scenarios/scenario-file.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test.each(Object.keys(BUSINESSES))(
  "%s: the server takes the configuration, and the tests can be read",
  async (kind) => {
    const folder = join(temporaryFolder(), "made");
    const next = initCommand([kind, "--name", 'Hotel "Zur Post": 5 *', folder], "oakvoice");
    expect(next.match(/^ {2}(?:oakvoice|node) /gmu)).toHaveLength(3);

    const { config } = loadServerConfig(join(folder, "oakvoice.yaml"), {});
    const voice = (await readVoices(config)).find(({ config_id }) => config_id === kind);
    expect(voice?.greeting).toContain('Hotel "Zur Post": 5 *');
    expect(voice?.tools).toHaveLength(2);
    const tests = readdirSync(join(folder, "tests"));
    expect(tests).toHaveLength(3);
    for (const name of tests)
      expect(readScenarioFile(join(folder, "tests", name), name).turns.length).toBeGreaterThan(0);
    expect(spawnSync(process.execPath, ["--check", join(folder, "tools", "server.mjs")]).status).toBe(0);
    expect(statSync(join(folder, "tools", "secret.txt")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, "tools", "secret.txt"), "utf8").trim()).toHaveLength(48);
  },
);

test("an unknown business, a full folder and an unusable name are refused", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "mine.txt"), "");
  expect(() => initCommand(["hotl", join(folder, "new")], "oakvoice")).toThrow(
    /hotel, clinic, bank, law-firm.*'hotel'/u,
  );
  expect(() => initCommand(["hotel", folder], "oakvoice")).toThrow(/is not empty/u);
  expect(() => initCommand(["hotel", "--name", " ", join(folder, "new")], "oakvoice")).toThrow(/--name/u);
});
