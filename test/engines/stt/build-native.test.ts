import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

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
});
