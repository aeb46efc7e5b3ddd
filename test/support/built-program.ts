import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { packageRoot } from "../../src/shared/package-root.ts";

/** The program and its scripts, compiled before the tests of a project unless they are up to date. */
export const MAIN = join(packageRoot, "dist", "src", "main.js");
export const builtScript = (name: string): string => join(packageRoot, "dist", "scripts", `${name}.js`);

export function setup(): void {
  execFileSync(process.execPath, ["scripts/build-changed.mjs"], { cwd: packageRoot, stdio: "inherit" });
}
