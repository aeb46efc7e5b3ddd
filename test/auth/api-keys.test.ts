import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pino } from "pino";
import { expect, test } from "vitest";
import { createApiKey, openApiKeys, revokeApiKey } from "../../src/auth/api-keys.ts";
import { keysCommand } from "../../src/operator/keys-command.ts";
import { overwriteBytes } from "../../src/auth/overwrite-bytes.ts";
import { readKeyFile, updateKeyFile } from "../../src/auth/key-file.ts";
import { keyFilePath } from "../../src/config/data-folder.ts";
import { silentLog } from "../../src/shared/log.ts";
import { withFileSizeLimit } from "../support/file-size-limit.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const NOW = Date.UTC(2026, 10, 20);
const newFile = () => keyFilePath(join(temporaryFolder(), "data"));

test("a key is oak_ and 32 random bytes, matches only itself and is never stored", () => {
  const file = newFile();
  const { id, key } = createApiKey(file, "front desk", "hotel", NOW);
  expect(key).toMatch(/^oak_[A-Za-z0-9_-]{43}$/);
  expect(Buffer.from(key.slice(4), "base64url")).toHaveLength(32);
  const keys = openApiKeys(file, silentLog);
  expect(keys.find(key)).toMatchObject({ id, name: "front desk", project_id: "hotel", revoked_at: null });
  for (const other of [key.slice(4), `${key}A`, key.toLowerCase(), `oak_${"A".repeat(43)}`, "", "oak_"]) {
    expect([other, keys.find(other)]).toEqual([other, undefined]);
  }
  expect(readFileSync(file, "utf8")).not.toContain(key.slice(4, 24));
});

test("only the owner can read the key file, and no other file remains beside it", () => {
  const file = newFile();
  createApiKey(file, "a", undefined, NOW);
  createApiKey(file, "b", undefined, NOW);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  expect(readdirSync(dirname(file))).toEqual(["api-keys.json"]);
});

test.skipIf(process.getuid?.() !== 0)("a key file that root creates belongs to the owner of the folder", () => {
  const file = newFile();
  mkdirSync(dirname(file));
  chownSync(dirname(file), 12_345, 23_456);
  createApiKey(file, "a", undefined, NOW);
  const { uid, gid } = statSync(file);
  expect([uid, gid]).toEqual([12_345, 23_456]);
});

test("a full disk leaves the key file unchanged, no file beside it and an error of one line", async () => {
  const file = newFile();
  const { id } = createApiKey(file, "a", undefined, NOW);
  const before = readFileSync(file, "utf8");
  await withFileSizeLimit(10, () => {
    expect(() => revokeApiKey(file, id, NOW)).toThrow(
      expect.objectContaining({ code: "KEYS_UNWRITABLE", message: expect.stringMatching(/api-keys\.json: .*EFBIG/u) }),
    );
  });
  expect(readFileSync(file, "utf8")).toBe(before);
  expect(readdirSync(dirname(file))).toEqual(["api-keys.json"]);
});

test("a symbolic link in the place of the new file is not followed", () => {
  const file = newFile();
  createApiKey(file, "a", undefined, NOW);
  const victim = `${dirname(file)}.victim`;
  writeFileSync(victim, "another's own");
  symlinkSync(victim, `${file}.tmp`);
  createApiKey(file, "b", undefined, NOW);
  expect(readFileSync(victim, "utf8")).toBe("another's own");
  expect(lstatSync(file).isFile()).toBe(true);
  expect(readKeyFile(file)).toHaveLength(2);
});

test("a running server notices new and revoked keys", () => {
  const file = newFile();
  const keys = openApiKeys(file, silentLog);
  expect(keys.find(`oak_${"A".repeat(43)}`)).toBeUndefined();
  const { id, key } = createApiKey(file, "late", undefined, NOW);
  expect(keys.find(key)?.id).toBe(id);
  expect(keys.withId(id)).toBeDefined();
  revokeApiKey(file, id, NOW + 1_000);
  expect(keys.find(key)).toBeUndefined();
  expect(keys.withId(id)).toBeUndefined();
  revokeApiKey(file, id, NOW + 9_000);
  expect(readKeyFile(file)[0]?.revoked_at).toBe(new Date(NOW + 1_000).toISOString());
});

test("a key file that breaks while the server runs keeps its keys, and stops a start", () => {
  const file = newFile();
  const { key } = createApiKey(file, "a", undefined, NOW);
  const keys = openApiKeys(file, silentLog);
  writeFileSync(file, "{");
  expect(keys.find(key)).toBeDefined();
  expect(() => openApiKeys(file, silentLog)).toThrow(/api-keys\.json: not valid JSON/);
  writeFileSync(file, JSON.stringify({ version: 1, keys: [{ id: "x" }] }));
  expect(() => openApiKeys(file, silentLog)).toThrow(/api-keys\.json: keys\.0\.name/);
});

/** A log whose lines the test can read. */
function newLog() {
  const lines: string[] = [];
  return { lines, log: pino({ level: "error" }, { write: (line: string) => void lines.push(line) }) };
}

test("a key file that cannot be opened keeps its keys and logs one line, until it can be read again", () => {
  const file = newFile();
  const { id, key } = createApiKey(file, "a", undefined, NOW);
  const { lines, log } = newLog();
  const keys = openApiKeys(file, log);
  renameSync(file, `${file}.away`);
  // Root can read every file, so a link loop makes this one unreadable.
  symlinkSync(file, file);
  expect(keys.find(key)?.id).toBe(id);
  expect(keys.withId(id)).toBeDefined();
  expect(lines.map((line) => JSON.parse(line).code)).toEqual(["KEYS_UNREADABLE"]);
  expect(() => openApiKeys(file, silentLog)).toThrow(expect.objectContaining({ code: "KEYS_UNREADABLE" }));
  rmSync(file);
  renameSync(`${file}.away`, file);
  revokeApiKey(file, id, NOW);
  expect(keys.withId(id)).toBeUndefined();
  symlinkSync(file, `${file}.loop`);
  renameSync(file, `${file}.away`);
  renameSync(`${file}.loop`, file);
  expect(keys.withId(id)).toBeUndefined();
  expect(lines).toHaveLength(2);
});

test("a change is noticed when inode, modification time and size stay the same, and so is a change of permissions", () => {
  const file = newFile();
  const { id } = createApiKey(file, "a", undefined, NOW);
  const now = new Date(NOW).toISOString();
  const revoked = readFileSync(file, "utf8").replace('"revoked_at": null', `"revoked_at": "${now}"`);
  const write = (text: string) => {
    writeFileSync(file, text.padEnd(revoked.length));
    utimesSync(file, NOW / 1000, NOW / 1000);
  };
  write(readFileSync(file, "utf8"));
  const keys = openApiKeys(file, silentLog);
  expect(keys.withId(id)).toBeDefined();
  write(revoked);
  expect(keys.withId(id)).toBeUndefined();
});

test.skipIf(process.getuid?.() !== 0)("a failed read is retried and logged once", () => {
  const file = newFile();
  const { id } = createApiKey(file, "a", undefined, NOW);
  const { lines, log } = newLog();
  const keys = openApiKeys(file, log);
  revokeApiKey(file, id, NOW);
  chmodSync(dirname(file), 0o755);
  chmodSync(dirname(dirname(file)), 0o755);
  // The file does not change at all.
  process.seteuid?.(65_534);
  try {
    for (let times = 0; times < 3; times += 1) expect(keys.withId(id)).toBeDefined();
  } finally {
    process.seteuid?.(0);
  }
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("must belong to the user that the server runs as");
  expect(keys.withId(id)).toBeUndefined();
});

test("a key can have its own limits", () => {
  const dataDir = dirname(newFile());
  const create = (...options: string[]) => keysCommand(["create", "--name", "x", ...options], dataDir, NOW);
  create("--max-connections", "2", "--max-audio-bytes-per-second", "100000");
  expect(readKeyFile(keyFilePath(dataDir))[0]?.limits).toEqual({
    max_connections: 2,
    max_audio_bytes_per_second: 100_000,
  });
  expect(() => create("--max-connections", "0")).toThrow(/--max-connections 0: write a whole number of 1 or more/u);
  expect(() => create("--max-messages-per-second", "many")).toThrow(/--max-messages-per-second many/u);
});

test("a second command waits until the first one has finished", async () => {
  const file = newFile();
  createApiKey(file, "a", undefined, NOW);
  const holder = spawn("flock", [dirname(file), "sh", "-c", "echo; sleep 0.3"]);
  await once(holder.stdout, "data");
  createApiKey(file, "b", undefined, NOW);
  expect(readKeyFile(file)).toHaveLength(2);
});

test("a change during another change is refused in one line, and a failed change releases its lock", () => {
  const file = newFile();
  createApiKey(file, "a", undefined, NOW);
  updateKeyFile(file, (keys) => {
    expect(() => createApiKey(file, "b", undefined, NOW)).toThrow(
      expect.objectContaining({
        code: "KEYS_LOCKED",
        message: `${file}: another process is changing the keys. Try again.`,
      }),
    );
    return keys;
  });
  expect(() =>
    updateKeyFile(file, () => {
      throw new Error("no");
    }),
  ).toThrow("no");
  expect(readKeyFile(file)).toHaveLength(1);
  createApiKey(file, "b", undefined, NOW);
});

test("a lock file of an earlier version is ignored", () => {
  const file = newFile();
  createApiKey(file, "a", undefined, NOW);
  for (const text of ["", "garbage", "1\n", String(spawnSync("true").pid)]) {
    writeFileSync(`${file}.lock`, text, { mode: 0o400 });
    createApiKey(file, "b", undefined, NOW);
    rmSync(`${file}.lock`);
  }
  expect(readKeyFile(file)).toHaveLength(5);
});

test("a revocation in place changes only the key's own bytes, and only when it fits", () => {
  const file = newFile();
  mkdirSync(dirname(file));
  writeFileSync(file, "a null    b");
  expect(overwriteBytes(file, "a 1234567 b", 7)).toBe(true);
  expect(readFileSync(file, "utf8")).toBe("a 1234567 b");
  for (const [text, mostBytes] of [
    ["a 1234567", 9],
    ["x 1234567 y", 7],
  ] as const)
    expect(overwriteBytes(file, text, mostBytes)).toBe(false);
  expect(overwriteBytes(`${file}.none`, "x", 1)).toBe(false);
  expect(readFileSync(file, "utf8")).toBe("a 1234567 b");
});

test("a key name of an earlier version cannot forge list rows or move the cursor", () => {
  const file = newFile();
  createApiKey(file, "a\nkey_0 forged\u001B[2J", "b\u009B1m", NOW);
  const rows = keysCommand(["list"], dirname(file), NOW).split("\n");
  expect(rows).toHaveLength(2);
  expect(rows[1]).toMatch(/ a\\u\{a\}key_0 forged\\u\{1b\}\[2J +b\\u\{9b\}1m /u);
  expect(() => keysCommand(["revoke", "key\u001B[2J"], dirname(file), NOW)).toThrow(/the id key\\u\{1b\}\[2J;/u);
});

test("oakvoice keys creates, lists and revokes keys", () => {
  const file = newFile();
  const dataDir = dirname(file);
  expect(keysCommand(["list"], dataDir, NOW)).toContain("No keys yet");
  const created = keysCommand(["create", "--name", "gateway", "--project", "bank"], dataDir, NOW);
  const [key = ""] = created.split("\n");
  const record = openApiKeys(file, silentLog).find(key);
  expect(record).toMatchObject({ name: "gateway", project_id: "bank" });
  const id = record?.id ?? "";
  expect(created).toContain(id);
  const listed = keysCommand(["list"], dataDir, NOW);
  expect(listed).toMatch(new RegExp(`${id} +gateway +bank +2026-11-20T00:00:00.000Z +active`));
  expect(listed).not.toContain(key);
  keysCommand(["revoke", id], dataDir, NOW);
  expect(keysCommand(["list"], dataDir, NOW)).not.toContain("active");
  keysCommand(["create", "--name", "kiosk", "--max-connections", "2"], dataDir, NOW);
  expect(keysCommand(["list"], dataDir, NOW)).toMatch(/ kiosk +all projects .* active +2 +- +- +-$/mu);
  expect(() => keysCommand(["revoke", "key_none"], dataDir, NOW)).toThrow(
    expect.objectContaining({ code: "KEY_NOT_FOUND" }),
  );
  for (const wrong of [
    [],
    ["create"],
    ["create", "--name", ""],
    ["create", "--name", " "],
    ["create", "--name", "two\nlines"],
    ["create", "--name", "a\u001B[2Jb"],
    ["create", "--name", "a\u202Eb"],
    ["create", "--name", "x".repeat(101)],
    ["create", "--name", "x", "--project", ""],
    ["create", "--name", "x", "--project", "of hers"],
    ["create", "--name", "x", "--max-connections", ""],
    ["revoke", ""],
    ["list", "x"],
    ["revoke"],
    ["revoke", id, id],
    ["drop"],
    ["list", "--all"],
  ]) {
    expect(() => keysCommand(wrong, dataDir, NOW)).toThrow(expect.objectContaining({ code: "USAGE" }));
  }
});

test("a key file that is a FIFO is refused at once", () => {
  const dataDir = temporaryFolder();
  execFileSync("mkfifo", [keyFilePath(dataDir)]);
  expect(() => openApiKeys(keyFilePath(dataDir), silentLog)).toThrow("it is not a regular file");
  expect(() => keysCommand(["list"], dataDir, NOW)).toThrow("it is not a regular file");
  expect(() => keysCommand(["create", "--name", "app"], dataDir, NOW)).toThrow("it is not a regular file");
});

test("keys list warns of a file that others can change", () => {
  const dataDir = temporaryFolder();
  createApiKey(keyFilePath(dataDir), "app", undefined, NOW);
  expect(keysCommand(["list"], dataDir, NOW)).not.toContain("Warning");
  chmodSync(keyFilePath(dataDir), 0o666);
  expect(keysCommand(["list"], dataDir, NOW)).toContain("api-keys.json: other users can change it (mode 0666)");
});

test("a key file may hold thousands of keys", () => {
  const file = keyFilePath(temporaryFolder());
  const { id } = createApiKey(file, "app", undefined, NOW);
  updateKeyFile(file, (keys) =>
    Array.from({ length: 3_000 }, (_, index) => ({ ...keys[0]!, id: `${id}${String(index)}` })),
  );
  expect(openApiKeys(file, silentLog).count()).toBe(3_000);
});
