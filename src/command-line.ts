import { forgetApiKey } from "./auth/api-keys.ts";
import { KEYS_USAGE, keysCommand, TOKEN_USAGE, tokenCommand } from "./auth/commands.ts";
import { keyFilePath } from "./auth/key-file.ts";
import { packageVersion } from "./config/package-root.ts";
import { loadServerConfig } from "./config/server-config.ts";
import { MODELS_USAGE, modelsCommand } from "./model-install/commands.ts";
import { errorMessage, OakError } from "./shared/errors.ts";
import { createLog } from "./shared/log.ts";
import { describeFailure } from "./describe-failure.ts";
import { parseOptions, takeCommonOptions, usageError } from "./shared/options.ts";
import { isOutputDiscarded, print, surviveOutputErrors } from "./shared/standard-output.ts";

const SERVE_USAGE = "oakvoice [serve] [--host HOST] [--port PORT] [--allow-insecure]";
const REHEARSE_USAGE =
  "oakvoice rehearse [--profile starter|cpu|cpu-large|gpu|gpu-large] [--callers 1,2,4] [--brief] [--json FILE] [--keep DIR]";
const DOCTOR_USAGE = "oakvoice doctor [--json | --choose-profile]";
const SAY_USAGE = "oakvoice say (TEXT | --file FILE) --out FOLDER [--voice VOICE] [--config-id ID]";
const COMMON_USAGE = `Every command takes --config FILE (or OAKVOICE_CONFIG), the server's configuration, -h, --help and --version.`;

interface Command {
  readonly usage: string;
  /** @param args Arguments after the command, without the common options. */
  run(args: readonly string[], config: string | undefined): Promise<void>;
}

/** Commands that start engines are imported on demand: the others then start in half the time. */
const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    usage: SERVE_USAGE,
    async run(args, file) {
      const text = { type: "string" } as const;
      const options = { host: text, port: text, "allow-insecure": { type: "boolean" } } as const;
      const { values, positionals } = parseOptions("", args, options);
      if (positionals[0] !== undefined) throw usageError("", `Unexpected argument '${positionals[0]}'`);
      const { host, port, "allow-insecure": insecure } = values;
      const flags = { "--host": host, "--port": port, "--allow-insecure": insecure?.toString() };
      const { serve } = await import("./serve.ts");
      await serve(loadServerConfig(file, process.env, flags));
    },
  },
  keys: { usage: KEYS_USAGE, run: runKeys },
  token: {
    usage: TOKEN_USAGE,
    run: async (args, file) => print(await tokenCommand(args, configOf(file).auth.jwt, new Date())),
  },
  models: { usage: MODELS_USAGE, run: runModels },
  rehearse: {
    usage: REHEARSE_USAGE,
    async run(args, file) {
      const { rehearseCommand } = await import("./rehearsal/rehearse.ts");
      await print(await rehearseCommand(args, configOf(file)));
    },
  },
  say: {
    usage: SAY_USAGE,
    async run(args, file) {
      const { sayCommand } = await import("./say/say-command.ts");
      await sayCommand(args, configOf(file), print, createLog("warn"));
    },
  },
  doctor: {
    usage: DOCTOR_USAGE,
    async run(args, file) {
      const { doctorCommand } = await import("./doctor/doctor.ts");
      await print(await doctorCommand(args, configOf(file)));
    },
  },
};

/** Runs one command and ends the process: 0 done, 1 failed, 2 wrong command line. */
export function runCommandLine(args: readonly string[]): void {
  surviveOutputErrors();
  run(args).then(() => process.exit(0), fail);
}

function fail(error: unknown): never {
  process.stderr.write(`oakvoice: ${describeFailure(error)}\n`);
  process.exit(error instanceof OakError && error.code === "USAGE" ? 2 : 1);
}

async function run(args: readonly string[]): Promise<void> {
  const [first = ""] = args;
  const isNamed = first !== "" && !first.startsWith("-");
  const name = isNamed ? first : "serve";
  const { config, help, version, rest } = takeCommonOptions(isNamed ? name : "", isNamed ? args.slice(1) : args);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined && name !== "help") throw usageError("", `Unknown command '${name}'`);
  if (version) return print(packageVersion());
  if (command === undefined || (help && !isNamed)) return print(usageOf(Object.values(COMMANDS)));
  if (help) return print(usageOf([command]));
  if (name !== "serve") process.on("uncaughtException", fail);
  return command.run(rest, config);
}

const usageOf = (commands: readonly Command[]) => [...commands.map(({ usage }) => usage), COMMON_USAGE].join("\n");

const configOf = (file: string | undefined) => loadServerConfig(file, process.env).config;

async function runKeys(args: readonly string[], file: string | undefined): Promise<void> {
  const { dataDir } = configOf(file);
  if (args.includes("create") && isOutputDiscarded()) {
    const message = "Standard output is closed or /dev/null, so the key could not be shown: no key was created.";
    throw new OakError(message, { code: "OUTPUT_FAILED" });
  }
  let created: string | undefined;
  const text = keysCommand(args, dataDir, Date.now(), (id) => (created = id));
  try {
    await print(text);
  } catch (error) {
    if (created === undefined) throw error;
    const message = `${errorMessage(error)} ${takeBack(keyFilePath(dataDir), created)}`;
    throw new OakError(message, { code: "OUTPUT_FAILED", cause: error });
  }
}

/** Removes a key that could not be printed, and reports it. */
function takeBack(file: string, id: string): string {
  try {
    forgetApiKey(file, id);
    return "The new key could not be shown and was removed again.";
  } catch (error) {
    return `The new key ${id} could not be shown or removed: revoke it. ${errorMessage(error)}`;
  }
}

async function runModels(args: readonly string[], file: string | undefined): Promise<void> {
  const { dataDir, profile } = configOf(file);
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort(new OakError("stopped; finished downloads are kept", { code: "STOPPED" })));
  let printed: Promise<void> = Promise.resolve();
  let failure: unknown;
  const printLine = (line: string) => {
    printed = print(line).catch((error: unknown) => {
      failure ??= error;
    });
  };
  await modelsCommand(args, { dataDir, profile, signal: stop.signal, print: printLine });
  await printed;
  if (failure !== undefined) throw failure;
}
