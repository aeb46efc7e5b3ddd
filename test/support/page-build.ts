import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { packageRoot } from "../../src/config/package-root.ts";

/** Compiles the playground, as `npm run build` does. */
export function buildPage(): void {
  const compiler = join(packageRoot, "node_modules", "typescript", "bin", "tsc");
  execFileSync(process.execPath, [compiler, "-p", join(packageRoot, "src", "playground")]);
}
