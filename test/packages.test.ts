import { readFileSync } from "node:fs";
import path from "node:path";
import semver from "semver";
import { expect, test } from "vitest";
import { packageRoot } from "../src/shared/package-root.ts";

interface Lock {
  readonly packages: Readonly<
    Record<
      string,
      { readonly dev?: boolean; readonly devOptional?: boolean; readonly engines?: { readonly node?: string } }
    >
  >;
}

/** Only its C++ sources are used. */
const SOURCES = "node_modules/whisper.rn";

// OpenTelemetry 3 asked for Node 22.15, which npm only warns of.
test("every package that ships runs on the oldest Node of package.json", () => {
  const read = (name: string): unknown => JSON.parse(readFileSync(path.join(packageRoot, name), "utf8"));
  const { engines } = read("package.json") as { engines: { node: string } };
  const oldest = semver.minVersion(engines.node)?.version ?? "";
  const { packages } = read("package-lock.json") as Lock;
  const wrong = Object.entries(packages).filter(
    ([name, { dev, devOptional, engines: { node = "*" } = {} }]) =>
      name !== SOURCES && dev !== true && devOptional !== true && !semver.satisfies(oldest, node),
  );
  expect(wrong.map(([name]) => name)).toEqual([]);
});
