import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { packageRoot } from "../../src/shared/package-root.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const python = process.env["OAKVOICE_TRAIN_PYTHON"] ?? "";
/** NOT_FETCHED in scripts/models/packages.py. */
const NOT_FETCHED = 75;
const shipped = join(packageRoot, "models", "starter", "fast-stt");

const sha256 = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

it.skipIf(python === "")("the conversion of Moonshine tiny gives the shipped files again", ({ skip }) => {
  const out = temporaryFolder();
  const { status, stdout, stderr } = spawnSync(python, ["scripts/models/moonshine_tiny.py", "--out", out], {
    cwd: packageRoot,
    encoding: "utf8",
  });
  skip(status === NOT_FETCHED, "SKIPPED: no package index");
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  for (const name of ["encoder.onnx", "decoder.onnx", "tokens.txt"])
    expect(sha256(join(out, name)), name).toBe(sha256(join(shipped, name)));
});
