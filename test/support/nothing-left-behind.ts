import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Caches of tools. PulseAudio's library makes a folder when espeak-ng or Chromium first uses it. */
const ALLOWED = /^(?:tsx-\d+|node-compile-cache|torchinductor_.+|pulse-.+)$/u;

/** Gives each run a separate temporary folder. A run that leaves files in it fails. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "oakvoice-tests-"));
  process.env["TMPDIR"] = folder;
  return () => {
    const left = readdirSync(folder).filter((name) => !ALLOWED.test(name));
    rmSync(folder, { recursive: true, force: true });
    if (left.length === 0) return;
    process.exitCode = 1;
    throw new Error(`The tests left in the temporary folder: ${left.join(", ")}`);
  };
}
