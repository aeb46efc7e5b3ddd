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
  return Array.from(found, ([, path = ""]) =>
    relative(SOURCE, join(SOURCE, dirname(file), path)).replace(/\.js$/u, ".ts"),
  );
}

/** "importer -> imported" of files in one folder that import from another. */
const between = (from: string, to: (file: string) => boolean): string[] =>
  [...imports].flatMap(([file, imported]) =>
    file.startsWith(from) ? imported.filter(to).map((other) => `${file} -> ${other}`) : [],
  );

test("the imports are found", () => {
  expect(imports.get("conversation/session/session.ts")).toContain("conversation/events.ts");
});

/** A file imports from later rows only, or from its own folder. `.`: the files beside the folders. */
const ROWS = [
  ["."],
  ["operator"],
  ["service", "simulated-callers", "playground"],
  ["server", "client"],
  ["doors"],
  ["tools", "metrics", "tracing", "call-record", "auth"],
  ["conversation", "resources", "model-install", "cluster"],
  ["config"],
  ["engines"],
  ["child-processes", "audio", "egress"],
  ["shared", "language"],
];

const rowOf = new Map(ROWS.flatMap((folders, row) => folders.map((folder) => [folder, row] as const)));

/** The first folder of a path. `.` for a file beside the folders. */
const firstOf = (path: string): string => (path.includes("/") ? path.slice(0, path.indexOf("/")) : ".");

describe("layers", () => {
  test("each folder has a row", () => {
    expect([...new Set([...imports.keys()].map(firstOf))].toSorted()).toEqual([...rowOf.keys()].toSorted());
  });

  test("no import runs up", () => {
    const up = ([from, to]: readonly [string, string]) =>
      (rowOf.get(firstOf(to)) ?? -1) <= (rowOf.get(firstOf(from)) ?? -1);
    const others = pairs().filter(([from, to]) => firstOf(from) !== firstOf(to));
    expect(others.length).toBeGreaterThan(100);
    expect(others.filter(up).map(arrow)).toEqual([]);
  });

  test("src/ imports nothing from outside", () => {
    expect(
      pairs()
        .filter(([, to]) => to.startsWith(".."))
        .map(arrow),
    ).toEqual([]);
  });

  test("folders do not import from each other in a circle, at any level", () => {
    expect(arrowsInCircles()).toEqual([]);
  });

  test("a circle is found", () => {
    const circle = [
      ["a/x/one.ts", "a/y/two.ts"],
      ["a/y/three.ts", "a/x/four.ts"],
      ["a/x/one.ts", "b/five.ts"],
    ] as const;
    expect(arrowsInCircles(circle)).toEqual(["a/x/one.ts -> a/y/two.ts", "a/y/three.ts -> a/x/four.ts"]);
  });
});

const arrow = ([from, to]: readonly [string, string]): string => `${from} -> ${to}`;

/** Each import: the importer and the imported file. */
function pairs(): readonly (readonly [string, string])[] {
  return [...imports].flatMap(([file, imported]) => imported.map((other) => [file, other] as const));
}

/** The imports that close a circle of folders. In each folder its subfolders are compared, and its own files count as one. */
function arrowsInCircles(all = pairs()): readonly string[] {
  const levels = new Map<string, Map<string, Map<string, string[]>>>();
  for (const [from, to] of all) {
    const [inside, a, b] = partingOf(from.split("/"), to.split("/"));
    if (a === b) continue;
    const level = levels.get(inside) ?? new Map<string, Map<string, string[]>>();
    const ofA = level.get(a) ?? new Map<string, string[]>();
    levels.set(inside, level.set(a, ofA.set(b, [...(ofA.get(b) ?? []), arrow([from, to])])));
  }
  return [...levels.values()].flatMap((level) =>
    [...level].flatMap(([a, targets]) => [...targets].flatMap(([b, arrows]) => (reaches(level, b, a) ? arrows : []))),
  );
}

/** The last common folder of two files, and the folder of each in it. */
function partingOf(from: readonly string[], to: readonly string[]): readonly [string, string, string] {
  let depth = 0;
  while (depth < from.length - 1 && depth < to.length - 1 && from[depth] === to[depth]) depth += 1;
  const next = (path: readonly string[]) => (depth < path.length - 1 ? (path[depth] ?? "") : ".");
  return [from.slice(0, depth).join("/"), next(from), next(to)];
}

function reaches(level: ReadonlyMap<string, ReadonlyMap<string, unknown>>, from: string, goal: string): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (folder === goal) return true;
    if (seen.has(folder)) continue;
    seen.add(folder);
    open.push(...(level.get(folder)?.keys() ?? []));
  }
  return false;
}

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

  test("tools/ imports of engines/ only the check of parameters, and of conversation/ only the interface of tools", () => {
    const allowed = ["conversation/tool-calls/tool.ts", "engines/llm/tool-call-format/check-tool.ts"];
    const isOther = (file: string) => /^(?:doors|engines|server|conversation)\//u.test(file) && !allowed.includes(file);
    expect(between("tools/", isOther)).toEqual([]);
  });
});

describe("doors", () => {
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
