import { expect, test } from "vitest";
import { openApiKeys } from "../../src/auth/api-keys.ts";
import { readKeyFile } from "../../src/auth/key-file.ts";
import { keyFilePath } from "../../src/config/data-folder.ts";
import { keysCommand } from "../../src/operator/keys-command.ts";
import { silentLog } from "../../src/shared/log.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const NOW = Date.UTC(2026, 10, 29);

test("a rotated key is like the old one, which works until it is revoked", () => {
  const folder = temporaryFolder();
  const run = (...args: string[]) => keysCommand(args, folder, NOW);
  const keyIn = (text: string) => /^oak_\S+/u.exec(text)?.[0] ?? "";
  const old = keyIn(
    run("create", "--name", "desk", "--project", "hotel", "--max-connections", "2", "--allow", "say,inspect"),
  );
  const [first] = readKeyFile(keyFilePath(folder));
  const text = run("rotate", first?.id ?? "");
  expect(text).toContain(`oakvoice keys revoke ${first?.id ?? ""}`);

  const second = readKeyFile(keyFilePath(folder))[1];
  const { id: _first, sha256: _hash, ...alike } = first ?? {};
  expect(second).toMatchObject(alike);
  const keys = openApiKeys(keyFilePath(folder), silentLog);
  expect(keys.find(old)?.id).toBe(first?.id);
  expect(keys.find(keyIn(text))?.id).toBe(second?.id);
});

test("an unknown key, and an unknown permission, are refused", () => {
  const folder = temporaryFolder();
  expect(() => keysCommand(["rotate", "key_1"], folder, NOW)).toThrow(/No key has the id key_1/u);
  expect(() => keysCommand(["create", "--name", "a", "--allow", "say,listen"], folder, NOW)).toThrow(
    /write say or inspect/u,
  );
});

test("a rotated operator's key is an operator's key and opens no call", () => {
  const folder = temporaryFolder();
  const create = keysCommand(["create", "--operator", "--name", "audit", "--project", "bank"], folder, 0);
  const id = /This is (key_\w+)/u.exec(create)?.[1] ?? "";
  const key = keysCommand(["rotate", id], folder, 1).split("\n")[0] ?? "";
  const keys = openApiKeys(keyFilePath(folder), silentLog);
  expect(keys.findOperator(key)).toMatchObject({ name: "audit", project_id: "bank", role: "operator" });
  expect(keys.find(key)).toBeUndefined();
});
