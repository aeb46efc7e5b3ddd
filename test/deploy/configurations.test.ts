import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../src/shared/package-root.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";

const folder = join(packageRoot, "deploy");
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
  /(?:^|\/)oakvoice[^/]*\.yaml$/u.test(name),
);
/** Alert rules of Prometheus have the same beginning. */
const configurations = files.filter((name) => !name.startsWith("prometheus/"));

test.each(configurations)("the server accepts deploy/%s", (name) => {
  const { config } = loadServerConfig(join(folder, name), {});
  expect(config.dataDir).toBe("/var/lib/oakvoice");
});

test("the folder has the configurations of the image and of the boxes", () => {
  expect(configurations.toSorted()).toEqual(["compose/oakvoice.yaml", "container/oakvoice.yaml"]);
});
