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
const shipped = join(packageRoot, "models", "starter", "speaker");

const sha256 = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");

it.skipIf(python === "")("the package of the speaker encoder gives the shipped file again", ({ skip }) => {
  const out = temporaryFolder();
  const { status, stdout, stderr } = spawnSync(python, ["scripts/models/speaker_encoder.py", "--out", out], {
    cwd: packageRoot,
    encoding: "utf8",
  });
  skip(status === NOT_FETCHED, "SKIPPED: no package index");
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  expect(sha256(join(out, "speaker.onnx"))).toBe(sha256(join(shipped, "speaker.onnx")));
});
