import { spawnSync } from "node:child_process";
import { expect } from "vitest";
import { packageRoot } from "../../src/shared/package-root.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A Python with scripts/models/requirements.txt, which a training needs with scripts/train/requirements.txt. */
export const python = process.env["OAKVOICE_TRAIN_PYTHON"] ?? "";
/** The folder of corpora. */
export const data = process.env["OAKVOICE_TRAIN_DATA"] ?? "";

/** False without them: there is nothing to train with. */
export const canTrain = python !== "" && data !== "";

/** Runs one training command from the repository's root and returns its output. The error of a failure has it too. */
export function train(...command: string[]): string {
  const { status, stdout, stderr } = spawnSync(python, command, {
    cwd: packageRoot,
    encoding: "utf8",
    // onnxruntime for Python leaves logs in the temporary folder.
    env: { ...process.env, OMP_NUM_THREADS: "1", TMPDIR: temporaryFolder() },
  });
  expect(status, `${stdout}\n${stderr}`).toBe(0);
  return stdout;
}
