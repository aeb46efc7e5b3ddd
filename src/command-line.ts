import { forgetApiKey } from "./auth/api-keys.ts";
import { KEYS_USAGE, keysCommand, TOKEN_USAGE, tokenCommand } from "./operator/keys-command.ts";
import { keyFilePath } from "./config/data-folder.ts";
import { packageVersion } from "./shared/package-root.ts";
import { loadServerConfig } from "./config/server-config.ts";
import { CALLS_USAGE } from "./operator/calls-usage.ts";
import { MODELS_USAGE, modelsCommand } from "./operator/models-command.ts";
import { errorMessage, OakError } from "./shared/errors.ts";
import { createLog } from "./shared/log.ts";
import { describeFailure } from "./shared/describe-failure.ts";
import { nearestWord } from "./shared/did-you-mean.ts";
import { parseOptions, takeCommonOptions, usageError } from "./shared/options.ts";
import { isOutputDiscarded, print, surviveOutputErrors } from "./shared/standard-output.ts";

const SERVE_USAGE = "oakvoice [serve] [--host HOST] [--port PORT] [--allow-insecure]";
const REHEARSE_USAGE =
  "oakvoice rehearse [--profile starter|cpu|cpu-large|gpu|gpu-large] [--callers 1,2,4] [--brief] [--json FILE]";
const DOCTOR_USAGE = "oakvoice doctor [--json | --choose-profile]";
const SAY_USAGE = "oakvoice say (TEXT | --file FILE) --out FOLDER [--voice VOICE] [--config-id ID]";
const INIT_USAGE = "oakvoice init (hotel|clinic|bank|law-firm) [--name NAME] [FOLDER]";
const TEST_USAGE =
  "oakvoice test FOLDER [--only NAME] [--url URL --key KEY] [--at-once N] [--report FOLDER] [--junit FILE]";
const CHECK_USAGE = "oakvoice check [FOLDER] [--listen]";
const COMMON_USAGE = `Every command takes --config FILE (or OAKVOICE_CONFIG), the server's configuration, -h, --help and --version.`;

interface Command {
  readonly usage: string;
  /** One sentence, and what the options mean, for `--help` of the command. */
  readonly about: string;
  /** @param args Arguments after the command, without the common options. */
  run(args: readonly string[], config: string | undefined): Promise<void>;
}

/** Commands that start engines are imported on demand: the others then start in half the time. */
const COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    usage: SERVE_USAGE,
    about: `Takes calls until a signal stops it. Flags replace the settings of the same name.
  --host, --port     Where it listens: 127.0.0.1 and 8787 unless set.
  --allow-insecure   Allows other hosts than loopback without TLS.
Example: oakvoice --config oakvoice.yaml --port 9000`,
    async run(args, file) {
      const text = { type: "string" } as const;
      const options = { host: text, port: text, "allow-insecure": { type: "boolean" } } as const;
      const { values, positionals } = parseOptions("", args, options);
      if (positionals[0] !== undefined) throw usageError("", `Unexpected argument '${positionals[0]}'`);
      const { host, port, "allow-insecure": insecure } = values;
      const flags = { "--host": host, "--port": port, "--allow-insecure": insecure?.toString() };
      const { serve } = await import("./service/serve.ts");
      await serve(loadServerConfig(file, process.env, flags));
    },
  },
  check: {
    usage: CHECK_USAGE,
    about: `Reads the configuration and all voice configurations, and says what is wrong. Starts nothing and loads no models.
  FOLDER      A folder of "oakvoice init": its oakvoice.yaml and its tests are read.
  --listen    Also listens for a moment where the server would.
Example: oakvoice check hotel`,
    async run(args, file) {
      const { checkCommand } = await import("./operator/check-command.ts");
      const { configurationIn } = await import("./operator/scenarios/find-scenarios.ts");
      await print(await checkCommand(args, loadServerConfig(file ?? configurationIn(args), process.env)));
    },
  },
  keys: {
    usage: KEYS_USAGE,
    about: `Makes, lists, replaces and revokes API keys. A running server sees the change with the next connection.
  --name      For the list. The key itself is shown once.
  --project   The only project that the key opens.
  --max-...   Limits for all connections of the key together.
  --allow     say: may make the assistant speak in open calls. inspect: sees arguments and results of tools, and names of models.
  --operator  Reads and erases call records, and opens no call.
Example: oakvoice keys create --name reception --project hotel`,
    run: runKeys,
  },
  token: {
    usage: TOKEN_USAGE,
    about: `Prints a signed token for one client. auth.jwt must have a secret or a private key.
  --subject      Whom it stands for: quotas count by it.
  --project, --config-id   The only project, or voice configuration, that it opens.
  --expires-in   A number and s, m, h or d. 15m unless set.
  --allow        say, inspect, or both with a comma: as for keys.
Example: oakvoice token --subject desk-1 --config-id hotel --expires-in 1h`,
    run: async (args, file) => print(await tokenCommand(args, configOf(file).auth.jwt, new Date())),
  },
  models: {
    usage: MODELS_USAGE,
    about: `Lists, checks and installs the models of the catalogue. Downloads begin only with "install".
  --profile           All models of a profile.
  --accept-licences   Does not ask.
  --mirror, --from    Takes the files from a server, a folder or a bundle of yours.
Example: oakvoice models install --profile cpu`,
    run: runModels,
  },
  rehearse: {
    usage: REHEARSE_USAGE,
    about: `Times the models of a profile on this machine, installed or not. When all are installed, callers talk to a server with them.
  --callers   How many calls at once, one run for each number.
  --brief     Less material, in a few minutes.
  --json      Writes the report to a file.
Example: oakvoice rehearse --profile cpu --callers 1,2 --brief`,
    async run(args, file) {
      const { rehearseCommand } = await import("./operator/rehearse/rehearse.ts");
      await print(await rehearseCommand(args, configOf(file)));
    },
  },
  init: {
    usage: INIT_USAGE,
    about: `Writes a folder with an assistant to begin with: its configuration, facts, two tools with their web server, and
three tests. It changes no existing file.
  --name      The name of the business.
Example: oakvoice init hotel --name "Hotel Lindenhof" lindenhof`,
    async run(args) {
      const { initCommand } = await import("./operator/init/init-command.ts");
      const program = process.env["npm_lifecycle_event"] === "oakvoice" ? "npm run oakvoice --" : "oakvoice";
      await print(initCommand(args, program));
    },
  },
  test: {
    usage: TEST_USAGE,
    about: `Calls your assistant as scripted callers do, and checks what it says and does. Without --url it starts a server of its own.
  --only      Scenarios with this text in their names.
  --url       A running server, whose tools then act. --key, or OAKVOICE_API_KEY, opens it.
  --at-once   Calls at the same time. Half the cores unless set.
  --report    Writes a page with all calls and the sound of those that failed.
  --junit     Writes the results for a CI server.
Example: oakvoice test hotel --report hotel-report`,
    async run(args, file) {
      const { testCommand } = await import("./operator/scenarios/test-command.ts");
      const { configurationIn } = await import("./operator/scenarios/find-scenarios.ts");
      await testCommand(args, configOf(file ?? configurationIn(args)), print, createLog("error"));
    },
  },
  say: {
    usage: SAY_USAGE,
    about: `Writes a text as WAV files, as callers would hear it. It starts the speech model, and no server.
  --file      Takes the text from a file.
  --voice     A speaker of the speech model.
  --config-id The voice configuration whose voice and speed are used.
Example: oakvoice say "Your table is booked." --out samples`,
    async run(args, file) {
      const { sayCommand } = await import("./operator/say/say-command.ts");
      await sayCommand(args, configOf(file), print, createLog("warn"));
    },
  },
  calls: {
    usage: CALLS_USAGE,
    about: `Lists, shows, exports and erases the records of calls (docs/call-record.md).
  --from, --to   The first and the last day of the calls, such as 2026-11-29.
  --caller       The caller_id that the client gave.
  --config-id    The voice configuration.
  --search       Words of the transcript.
  --json, --csv  Prints a list in this form.
  --out          The folder for the JSON and WAV files of an export.
Example: oakvoice calls list --from 2026-11-01 --search refund`,
    async run(args, file) {
      const { callsCommand } = await import("./operator/calls-command.ts");
      await print(await callsCommand(args, configOf(file)));
    },
  },
  doctor: {
    usage: DOCTOR_USAGE,
    about: `Checks configuration, models, memory and one exchange, and says what to repair. It changes nothing.
  --json             Prints the findings as JSON.
  --choose-profile   Measures which profile this machine can serve.
Example: oakvoice doctor --config oakvoice.yaml`,
    async run(args, file) {
      const { doctorCommand } = await import("./operator/doctor/doctor.ts");
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
  if (command === undefined && name !== "help") throw usageError("", unknownCommand(name));
  if (version) return print(packageVersion());
  if (command === undefined || (help && !isNamed)) return print(usageOf(Object.values(COMMANDS)));
  if (help) return print([command.about, "", usageOf([command])].join("\n"));
  if (name !== "serve") process.on("uncaughtException", fail);
  return command.run(rest, config);
}

function unknownCommand(name: string): string {
  const meant = nearestWord(name, Object.keys(COMMANDS));
  return `Unknown command '${name}'${meant === undefined ? "" : `, did you mean '${meant}'?`}`;
}

const usageOf = (commands: readonly Command[]) => [...commands.map(({ usage }) => usage), COMMON_USAGE].join("\n");

const configOf = (file: string | undefined) => loadServerConfig(file, process.env).config;

async function runKeys(args: readonly string[], file: string | undefined): Promise<void> {
  const { dataDir } = configOf(file);
  if ((args.includes("create") || args.includes("rotate")) && isOutputDiscarded()) {
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
