import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../src/shared/package-root.ts";
import { asyncApiDocument } from "../src/doors/voice/async-api.ts";

const file = join(packageRoot, "docs", "asyncapi.json");
writeFileSync(file, `${JSON.stringify(asyncApiDocument(), null, 2)}\n`);
console.log(file);
