import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeOutput } from "../../../src/shared/files/write-output.ts";
import { withFileSizeLimit } from "../../support/file-size-limit.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const folder = temporaryFolder();

test("a partial file is removed, and the error is one line with the file's name", async () => {
  const file = join(folder, "reply.wav");
  writeOutput(file, "whole");
  expect(readFileSync(file, "utf8")).toBe("whole");
  await withFileSizeLimit(10, () => {
    expect(() => writeOutput(file, "x".repeat(100))).toThrow(
      /reply\.wav: it is larger than .* \(EFBIG\)\. Raise the limit/u,
    );
  });
  expect(existsSync(file)).toBe(false);
});

test("a device is not removed, and the error names a folder", () => {
  expect(() => writeOutput("/dev/full", "x")).toThrow(
    "/dev/full: the disk is full (ENOSPC). Make room, then try again.",
  );
  expect(existsSync("/dev/full")).toBe(true);
  expect(() => writeOutput(folder, "x")).toThrow(`${folder}: it is a folder, not a file (EISDIR). Check the path.`);
});
