import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { checkCommand } from "../../src/operator/check-command.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

function check(folder: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
  const own = { OAKVOICE_DATA_DIR: folder, OAKVOICE_VOICES_DIR: join(folder, "voices"), ...environment };
  return checkCommand(args, loadServerConfig(undefined, own));
}

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "voices"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test("files that can be used are named", async () => {
  const folder = folderWith({
    "voices/desk.yaml": "config_id: desk\nsystem_prompt: You are Oak.\n",
    "call.yaml": "turns: [hello]\n",
  });
  const text = await check(folder, [folder]);
  expect(text).toContain("default, desk.");
  expect(text).toMatch(/Scenarios in .*: 1\.\nAll files can be used\./u);
});

test("the faults of all files are reported at once", async () => {
  const folder = folderWith({
    "voices/a.yaml": "config_id: a\nsystem_promt: You are Oak.\n",
    "voices/b.yaml": "config_id: b\nsystem_prompt: You are Oak.\nspeed: 9\n",
  });
  await expect(check(folder, [])).rejects.toThrow(/a\.yaml: .*did you mean system_prompt\?.*\n.*b\.yaml: speed: /u);
});

test("a fact with a colon is a field for YAML, and the fault says to write it in quotes", async () => {
  const folder = folderWith({
    "voices/a.yaml": "config_id: a\nsystem_prompt: You are Oak.\nfacts:\n  - Breakfast: 7 to 10.\n",
  });
  await expect(check(folder, [])).rejects.toThrow(/a\.yaml: facts\.0: .*in quotes/u);
});

test("a tool whose host is not allowed is refused", async () => {
  const webhook = { url: "https://pms.hotel.lan/book", secret_file: "../secret" };
  const tools = [{ name: "book", description: "Books a table.", webhook }];
  const voice = JSON.stringify({ config_id: "desk", system_prompt: "You are Oak.", tools });
  const folder = folderWith({ "voices/desk.json": voice, secret: "a secret of the test" });
  await expect(check(folder, [])).rejects.toThrow(
    /desk\.json: tools\.0\.webhook: the tool book: pms\.hotel\.lan is not in egress\.allowed_hosts\. [^\n]+$/u,
  );
  expect(await check(folder, [], { OAKVOICE_EGRESS_ALLOWED_HOSTS: "pms.hotel.lan" })).toContain("can be used");
});

test("--listen reports a port that is taken", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const port = { OAKVOICE_PORT: String((taken.address() as AddressInfo).port) };
  const folder = folderWith({});
  expect(await check(folder, [], port)).toContain("can be used");
  await expect(check(folder, ["--listen"], port)).rejects.toMatchObject({ code: "LISTEN_FAILED" });
  taken.close();
});

test("a folder that does not exist, and a second one, are refused", async () => {
  const folder = folderWith({});
  await expect(check(folder, [join(folder, "none")])).rejects.toMatchObject({ code: "USAGE" });
  await expect(check(folder, [folder, folder])).rejects.toMatchObject({ code: "USAGE" });
});
