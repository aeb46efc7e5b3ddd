import { statSync } from "node:fs";
import type { LoadedServerConfig } from "../config/server-config.ts";
import { rehearseServer } from "../server/voice-server.ts";
import { parseOptions, usageError } from "../shared/options.ts";
import { readVoices } from "../service/read-voices.ts";
import { scenariosIn } from "./scenarios/find-scenarios.ts";

/**
 * `oakvoice check`: reads the configuration, the voice configurations with their tools, and a folder's scenarios. Loads no models.
 * @returns What was read.
 * @throws OakError `USAGE`, `CONFIG_INVALID`, `CONFIG_UNREADABLE`, `SCENARIO_INVALID`, and with `--listen` `LISTEN_FAILED`, `TLS_INVALID`.
 */
export async function checkCommand(args: readonly string[], { config, warnings }: LoadedServerConfig): Promise<string> {
  const { values, positionals } = parseOptions("check", args, { listen: { type: "boolean" } });
  const [folder, ...rest] = positionals;
  if (rest.length > 0) throw usageError("check", `Unexpected argument '${rest[0] ?? ""}'`);
  if (folder !== undefined && statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw usageError("check", `There is no folder ${folder}`);
  const voices = await readVoices(config);
  const scenarios = folder === undefined ? [] : scenariosIn(folder);
  if (values.listen === true) await rehearseServer(config);
  const names = voices.map(({ config_id }) => config_id).join(", ");
  return [
    ...warnings.map((warning) => `Warning: ${warning}`),
    `Voice configurations in ${config.voicesDir} and the built-in one: ${names}.`,
    ...(folder === undefined ? [] : [`Scenarios in ${folder}: ${String(scenarios.length)}.`]),
    "All files can be used.",
  ].join("\n");
}
