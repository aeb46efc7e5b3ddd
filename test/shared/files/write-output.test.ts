import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeOutput } from "../../../src/shared/files/write-output.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();

test("a partial file is removed, and the error is one line with the file's name", () => {
  const file = join(folder, "reply.wav");
  writeOutput(file, "whole");
  expect(readFileSync(file, "utf8")).toBe("whole");
  const mayWrite = (bytes: string) => spawnSync("prlimit", ["--pid", String(process.pid), `--fsize=${bytes}:`]);
  mayWrite("10");
  try {
    expect(() => writeOutput(file, "x".repeat(100))).toThrow(
      /reply\.wav: it is larger than .* \(EFBIG\)\. Raise the limit/u,
    );
  } finally {
    mayWrite("unlimited");
  }
  expect(existsSync(file)).toBe(false);
});

test("a device is not removed, and the error names a folder", () => {
  expect(() => writeOutput("/dev/full", "x")).toThrow(
    "/dev/full: the disk is full (ENOSPC). Make room, then try again.",
  );
  expect(existsSync("/dev/full")).toBe(true);
  expect(() => writeOutput(folder, "x")).toThrow(`${folder}: it is a folder, not a file (EISDIR). Check the path.`);
});
