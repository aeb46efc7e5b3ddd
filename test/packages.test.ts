import { readFileSync } from "node:fs";
import path from "node:path";
import semver from "semver";
import { expect, test } from "vitest";
import { packageRoot } from "../src/shared/package-root.ts";

interface Locked {
  readonly engines?: { readonly node?: string };
  readonly hasInstallScript?: boolean;
}

const read = (name: string): unknown => JSON.parse(readFileSync(path.join(packageRoot, name), "utf8"));
const { packages } = read("package-lock.json") as { readonly packages: Readonly<Record<string, Locked>> };

/** Only its C++ sources are used. */
const SOURCES = "node_modules/whisper.rn";

// OpenTelemetry 3 asked for Node 22.15, which npm only warns of.
test("every package runs on the oldest Node of package.json", () => {
  const { engines } = read("package.json") as { engines: { node: string } };
  const oldest = semver.minVersion(engines.node)?.version ?? "";
  const wrong = Object.entries(packages).filter(
    ([name, { engines: { node = "*" } = {} }]) => name !== SOURCES && !semver.satisfies(oldest, node),
  );
  expect(wrong.map(([name]) => name)).toEqual([]);
});

// `npm install` adds the mark. npm 9 and 10 would then run the script in `npm ci`. npm 11 reads `allowScripts`.
test("npm ci downloads no CUDA files: package-lock.json does not mark the script of onnxruntime-node", () => {
  expect(packages["node_modules/onnxruntime-node"]).not.toHaveProperty("hasInstallScript");
});
