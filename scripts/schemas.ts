import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../src/shared/package-root.ts";
import { fileSchemas } from "../src/operator/file-schemas.ts";

const folder = join(packageRoot, "docs", "schemas");
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(fileSchemas()))
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
console.log(folder);
