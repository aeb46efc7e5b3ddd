import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createTokenVerifier } from "../../../src/auth/jwt.ts";
import { readTlsFiles } from "../../../src/server/http/tls-files.ts";
import { readSmallFile, SMALL_FILE_BYTES } from "../../../src/shared/files/read-small-file.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();
const fifo = join(folder, "fifo");
const large = join(folder, "large");
expect(spawnSync("mkfifo", [fifo]).status).toBe(0);
writeFileSync(large, "x".repeat(SMALL_FILE_BYTES + 1));

it("reads a file of the largest size and a file of unknown size", () => {
  const file = join(folder, "file");
  writeFileSync(file, "é".repeat(SMALL_FILE_BYTES / 2));
  expect(readSmallFile(file).toString()).toBe("é".repeat(SMALL_FILE_BYTES / 2));
  expect(readSmallFile("/proc/self/cmdline").length).toBeGreaterThan(0);
});

it.each([
  [fifo, "it is not a regular file"],
  ["/dev/zero", "it is not a regular file"],
  [folder, "it is not a regular file"],
  [large, "it is larger than 256 kB"],
])("%s is refused at once, also as a key and as a certificate", async (file, why) => {
  expect(() => readSmallFile(file)).toThrow(why);
  await expect(createTokenVerifier({ algorithms: ["RS256"], jwks_file: file })).rejects.toThrow(why);
  expect(() => readTlsFiles({ cert_file: file, key_file: file })).toThrow(`cannot be used: ${why}. `);
});
