import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const script = fileURLToPath(new URL("../../../scripts/build-native.mjs", import.meta.url));
const run = (environment: NodeJS.ProcessEnv = {}) =>
  spawnSync(process.execPath, [script], { encoding: "utf8", env: { ...process.env, ...environment } });

describe("scripts/build-native.mjs", () => {
  it("builds nothing when nothing changed", () => {
    const { status, stdout } = run();
    expect(stdout).toContain("up to date");
    expect(status).toBe(0);
  });

  it("prints one line with the packages to install when there is no compiler", () => {
    const { status, stderr } = run({ CXX: "no-such-compiler" });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^oakvoice: .*"no-such-compiler" was not found.*apt-get install g\+\+|xcode-select/u);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it("prints the compiler's output when compiling fails", () => {
    const { status, stderr } = run({ OAKVOICE_CFLAGS: "-fno-such-flag" });
    expect(status).toBe(1);
    expect(stderr).toMatch(/compiling .* failed with .*-fno-such-flag/u);
  });

  // The package for Apple's processors has libggml.metal.v0.4.0.dylib.
  it.runIf(process.platform === "linux")("finds the libraries of a package for a graphics system", () => {
    const root = temporaryFolder();
    const platform = `linux-${process.arch}`;
    const libraries = join(root, "node_modules/@node-llama-cpp", platform, "bins", platform);
    for (const folder of [libraries, join(root, "node_modules/whisper.rn/cpp"), join(root, "src/engines/stt/native")])
      mkdirSync(folder, { recursive: true });
    for (const name of ["libggml-base.so", "libggml.metal.v0.4.0.so"]) writeFileSync(join(libraries, name), "");
    cpSync(dirname(script), join(root, "scripts"), { recursive: true });
    const { stderr } = spawnSync(process.execPath, [join(root, "scripts/build-native.mjs")], { encoding: "utf8" });
    expect(stderr).not.toContain("is not installed");
  });
});
