import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../src/config/package-root.ts";

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
  expect(imports.get("conversation/session.ts")).toContain("conversation/events.ts");
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
