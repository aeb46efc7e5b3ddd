import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/**
 * The URL of a worker file beside the module that names it: `.ts` from source, `.js` once compiled
 * (the compiler rewrites import specifiers, but not strings).
 */
export function workerUrl(name: string, moduleUrl: string): URL {
  const extension = moduleUrl.endsWith(".ts") ? "ts" : "js";
  return new URL(`./${name}.${extension}`, moduleUrl);
}

/** Node flags for a worker: TypeScript needs the loader, compiled code needs nothing. */
export function workerExecArgv(worker: URL): string[] {
  if (!worker.pathname.endsWith(".ts")) return [];
  const loader = createRequire(import.meta.url).resolve("tsx");
  return ["--import", pathToFileURL(loader).href];
}
