/** Writes what the installed program is made of to build/sbom.cdx.json (CycloneDX), and refuses licences that ask too much. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../src/shared/package-root.ts";
import { refusedLicences, shippedPart, type Bom } from "./licence-check.ts";

const text = execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx", "--loglevel", "error"], {
  cwd: packageRoot,
  encoding: "utf8",
  maxBuffer: 2 ** 28,
});
const bom = shippedPart(JSON.parse(text) as Bom);
mkdirSync(join(packageRoot, "build"), { recursive: true });
writeFileSync(join(packageRoot, "build", "sbom.cdx.json"), JSON.stringify(bom, undefined, 2));
const refused = refusedLicences(bom);
for (const line of refused) console.error(`licence not allowed: ${line}`);
console.log(`build/sbom.cdx.json: ${String(bom.components.length)} components, ${String(refused.length)} refused`);
process.exitCode = refused.length === 0 ? 0 : 1;
