#!/usr/bin/env node
import { hostname } from "node:os";
import { parseArgs } from "node:util";
import { KEYS_USAGE, keysCommand, TOKEN_USAGE, tokenCommand } from "./auth/commands.ts";
import { createLocalKey, needsLocalKey, removeLeftOvers, removeLocalKey } from "./auth/local-key.ts";
import { startBox, type Box } from "./compose.ts";
import { loadServerConfig } from "./config/server-config.ts";
import { DOCTOR_USAGE, doctorCommand } from "./doctor/doctor.ts";
import { MODELS_USAGE, modelsCommand } from "./models/commands.ts";
import { errorCode, errorMessage, OakError } from "./shared/errors.ts";
import { createLog, type Log } from "./shared/log.ts";

const USAGE = `oakvoice [serve] [--host HOST] [--port PORT] [--config FILE] [--allow-insecure]
${KEYS_USAGE}
${TOKEN_USAGE}
${MODELS_USAGE}
${DOCTOR_USAGE}
keys, token, models and doctor take --config FILE too, or OAKVOICE_CONFIG: they work on that server's data directory.`;

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

async function main(args: readonly string[]): Promise<void> {
  const { command, rest, config: file, flags } = readCommandLine(args);
  if (command === "help") return print(USAGE);
  const { config, warnings } = loadServerConfig(file, process.env, flags);
  switch (command) {
    case "keys":
      return print(keysCommand(rest, config.dataDir, Date.now()));
    case "token":
      return print(await tokenCommand(rest, config.auth.jwt, new Date()));
    case "models": {
      const stop = new AbortController();
      process.once("SIGINT", () => stop.abort(new OakError("stopped; what was fetched is kept", { code: "STOPPED" })));
      return modelsCommand(rest, { dataDir: config.dataDir, profile: config.profile, signal: stop.signal, print });
    }
    case "doctor":
      return print(await doctorCommand(rest, config));
    case "serve": {
      let box: Box | undefined;
      // First of all: unheard it would end the process, and what is not read yet needs no reading again.
      process.on("SIGHUP", () => box?.reload());
      const log = createLog(config.logLevel);
      for (const warning of warnings) log.warn(warning);
      const isLocal = needsLocalKey(config);
      box = await startBox(config, log);
      // Only now: a start that fails must not touch the keys of a server that runs.
      clearLeftOvers(config.dataDir, log);
      const key = isLocal ? createLocalKey(config.dataDir, "start", Date.now()) : "<API_KEY>";
      const secure = config.tls === undefined ? "" : "s";
      // What stands for all of a machine's addresses is none that others could use, nor one that its certificate names.
      const name = /^(?:0\.0\.0\.0|::)$/u.test(config.host) ? hostname() : config.host;
      const host = name.includes(":") ? `[${name}]` : name;
      print(`ws${secure}://${host}:${String(box.port)}/ws/voice/<connection_id>?api_key=${key}&config_id=default`);
      // After the #, where a browser keeps it to itself.
      if (config.playground) print(`http${secure}://${host}:${String(box.port)}/${isLocal ? `#api_key=${key}` : ""}`);
      await untilStopped();
      await box.close();
      if (isLocal) removeLocalKey(config.dataDir, "start");
    }
  }
}

/** What the disk does not take is no reason not to answer calls. */
function clearLeftOvers(dataDir: string, log: Log): void {
  try {
    removeLeftOvers(dataDir);
  } catch (error) {
    log.warn({ code: errorCode(error) }, errorMessage(error));
  }
}

type Command = "serve" | "keys" | "token" | "models" | "doctor" | "help";

function readCommandLine(args: readonly string[]) {
  const named = ["serve", "keys", "token", "models", "doctor", "help"].includes(args[0] ?? "");
  const command = (named ? args[0] : "serve") as Command;
  const rest = named ? args.slice(1) : args;
  const nothing = { command, rest, config: undefined, flags: {} };
  if (command === "help" || rest.includes("--help")) return { ...nothing, command: "help" as const };
  if (command !== "serve") {
    const at = rest.indexOf("--config");
    return at < 0 ? nothing : { ...nothing, config: rest[at + 1], rest: rest.toSpliced(at, 2) };
  }
  try {
    const { values } = parseArgs({
      args: [...rest],
      options: {
        host: { type: "string" },
        port: { type: "string" },
        config: { type: "string" },
        "allow-insecure": { type: "boolean" },
      },
    });
    const { config, host, port, "allow-insecure": insecure } = values;
    const flags = { "--host": host, "--port": port, "--allow-insecure": insecure?.toString() };
    return { ...nothing, config, flags };
  } catch (cause) {
    throw new OakError(`${errorMessage(cause)}\n${USAGE}`, { code: "USAGE", cause });
  }
}

/** Resolves on the first SIGTERM or SIGINT; a second one, of either kind, ends the process at once. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(EXIT_FAILED);
        isStopping = true;
        resolve();
      });
    }
  });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    const isOurs = error instanceof OakError;
    process.stderr.write(
      `oakvoice: ${isOurs ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
    );
    process.exit(isOurs && error.code === "USAGE" ? EXIT_USAGE : EXIT_FAILED);
  },
);
