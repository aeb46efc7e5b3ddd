import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../src/shared/package-root.ts";

const SOURCE = join(packageRoot, "src");

/** Every import of a source file of our own, by its path in `src/`. */
const imports = new Map(
  readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => [file, importsOf(file)]),
);

function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(SOURCE, file), "utf8");
  const found = text.matchAll(/(?:from|import|import\()\s*"(\.[^"]+)"/gu);
  return Array.from(found, ([, path = ""]) => relative(SOURCE, join(SOURCE, dirname(file), path)));
}

/** "importer -> imported" of files in one folder that import from another. */
const between = (from: string, to: (file: string) => boolean): string[] =>
  [...imports].flatMap(([file, imported]) =>
    file.startsWith(from) ? imported.filter(to).map((other) => `${file} -> ${other}`) : [],
  );

test("the imports are found", () => {
  expect(imports.get("conversation/session/session.ts")).toContain("conversation/events.ts");
});

/** Files of `src/` that import a package, also for its types. */
const usersOf = (name: string): string[] =>
  [...imports.keys()].filter((file) => new RegExp(`"${name}["/]`, "u").test(readFileSync(join(SOURCE, file), "utf8")));

describe("one way out of the machine", () => {
  test("only egress/ and tools/ have a client for HTTP", () => {
    for (const name of ["undici", "@modelcontextprotocol/client"]) {
      expect(usersOf(name).length).toBeGreaterThan(0);
      expect(usersOf(name).filter((file) => !/^(?:egress|tools)\//u.test(file))).toEqual([]);
    }
  });

  test("only tracing/ imports OpenTelemetry, which the service loads when it is configured", () => {
    for (const name of ["@opentelemetry/api", "@opentelemetry/sdk-trace", "@opentelemetry/otlp-transformer"])
      expect(usersOf(name).filter((file) => !file.startsWith("tracing/"))).toEqual([]);
    expect(between("service/", (file) => file === "tracing/tracing.ts")).not.toEqual([]);
    expect(readFileSync(join(SOURCE, "service/service.ts"), "utf8")).not.toMatch(
      /^import (?!type )[^;]*tracing\/tracing\.ts/mu,
    );
  });

  test("only cluster/ has a client for the boxes' shared store", () => {
    expect(usersOf("ioredis")).toEqual(["cluster/valkey.ts"]);
  });

  test("tools/ imports no door, of engines/ only the check of parameters, and of conversation/ only the interface of tools", () => {
    const allowed = ["conversation/tool-calls/tool.ts", "engines/llm/tool-call-format/check-tool.ts"];
    const isOther = (file: string) => /^(?:doors|engines|server|conversation)\//u.test(file) && !allowed.includes(file);
    expect(between("tools/", isOther)).toEqual([]);
  });
});

describe("only doors and server know a protocol", () => {
  test.each(["conversation/", "language/", "engines/", "audio/", "metrics/"])(
    "%s imports nothing of doors/ or server/",
    (folder) => {
      expect(between(folder, (file) => file.startsWith("doors/") || file.startsWith("server/"))).toEqual([]);
    },
  );

  test("a door imports no other door; the telephone doors share telephone/", () => {
    const doors = readdirSync(join(SOURCE, "doors"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const { name } of doors) {
      const allowed = new RegExp(`^doors/(?:${name}|telephone)/`, "u");
      const isOther = (file: string) => /^doors\/[^/]+\//u.test(file) && !allowed.test(file);
      expect(between(`doors/${name}/`, isOther)).toEqual([]);
    }
  });

  test("server/ imports no door, only what all doors have in common", () => {
    expect(between("server/", (file) => /^doors\/[^/]+\//u.test(file))).toEqual([]);
  });
});
