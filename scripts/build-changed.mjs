/** Compiles the program, unless no source file has changed since the last time. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const STAMP = "dist/sources.sha256";
const SOURCES = ["src", "scripts", "bench"];
const SETTINGS = ["package-lock.json", "tsconfig.json", "tsconfig.build.json"];

const hash = createHash("sha256");
const found = SOURCES.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
);
for (const file of [...SETTINGS, ...found.toSorted((one, other) => (one < other ? -1 : 1))]) {
  const { mtimeMs, size } = statSync(file);
  if (/\.(?:ts|json)$/u.test(file)) hash.update(`${file} ${mtimeMs} ${size}\n`);
}
const now = hash.digest("hex");
const isBuilt = existsSync("dist/src/main.js") && existsSync("dist/page") && existsSync(STAMP);
if (!isBuilt || readFileSync(STAMP, "utf8") !== now) {
  console.error("oakvoice: compiling ...");
  execFileSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
  writeFileSync(STAMP, now);
}
