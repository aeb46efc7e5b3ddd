import { join } from "node:path";
import { expect, test } from "vitest";
import { deriveKey, readClusterSecrets } from "../../src/cluster/cluster-secrets.ts";
import { writeSecret } from "../support/redis-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const read = (files: object) => readClusterSecrets({ url: "", name: "", secret_file: writeSecret(), ...files });

test("a line feed at the end of the secret changes no key", () => {
  const text = "0123456789abcdef0123456789abcdef";
  const [one, other] = [text, `${text}\r\n`].map((written) => read({ secret_file: writeSecret(written) }).secret);
  expect(one).toEqual(other);
});

test("keys for two purposes differ, and have 32 bytes", () => {
  const { secret } = read({});
  expect(deriveKey(secret, "a")).toHaveLength(32);
  expect(deriveKey(secret, "a")).toEqual(deriveKey(secret, "a"));
  expect(deriveKey(secret, "a")).not.toEqual(deriveKey(secret, "b"));
});

test("a file that cannot be used is named with its field", () => {
  const missing = join(temporaryFolder(), "none");
  const cases: [files: object, message: RegExp][] = [
    [{ secret_file: writeSecret("short\n") }, /cluster\.secret_file: .* has 5 bytes\. At least 32/u],
    [{ secret_file: missing }, /cluster\.secret_file: .*none cannot be read/u],
    [{ password_file: writeSecret("\n") }, /cluster\.password_file: .* is empty/u],
    [{ ca_file: missing }, /cluster\.ca_file: /u],
  ];
  for (const [files, message] of cases) expect(() => read(files)).toThrow(message);
});
