import { pathToFileURL } from "node:url";
import { workerUrl as urlBeside } from "../../src/child-processes/worker-url.ts";
import { packageRoot } from "../../src/shared/package-root.ts";

export { workerExecArgv } from "../../src/child-processes/worker-url.ts";

const ROOT = `${pathToFileURL(packageRoot).href}/`;

/** The compiled worker of a source file. It starts in 0.5 s of a core, and needs 1.4 s from source. */
export const workerUrl = (name: string, moduleUrl: string): URL =>
  urlBeside(name, moduleUrl.replace(`${ROOT}src/`, `${ROOT}dist/src/`).replace(/\.ts$/u, ".js"));
