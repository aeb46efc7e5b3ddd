import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../src/shared/package-root.ts";

// CI has no container engine and no base image. deploy/README.md says how the image was tried.
const text = readFileSync(join(packageRoot, "deploy/container/Containerfile"), "utf8").replaceAll("\\\n", " ");
const lines = text.split("\n");

test("every file that the image takes from the repository exists", () => {
  const sources = lines
    .filter((line) => line.startsWith("COPY ") && !line.includes("--from="))
    .flatMap((line) => line.split(" ").slice(1, -1));
  expect(sources.length).toBeGreaterThan(10);
  expect(sources.filter((source) => !existsSync(join(packageRoot, source)))).toEqual([]);
});

test("the installer's step that the image uses exists", () => {
  const { stdout } = spawnSync("bash", ["-c", ". scripts/install/program.sh; declare -F slim"], {
    cwd: packageRoot,
    encoding: "utf8",
  });
  expect(text).toContain('slim "$PWD"');
  expect(stdout.trim()).toBe("slim");
});

test("the service runs as a user with a number, and stops on the signal that drains it", () => {
  const service = lines.slice(lines.findIndex((line) => line.endsWith("AS service")));
  expect(service).toContain("USER 10001:10001");
  expect(service).toContain("STOPSIGNAL SIGTERM");
});
