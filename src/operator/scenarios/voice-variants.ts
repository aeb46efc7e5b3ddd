import { readdirSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import type { ServerConfig } from "../../config/server-config.ts";
import { voiceConfigurationSchema, type VoiceConfiguration } from "../../config/voice-configuration.ts";
import { OakError } from "../../shared/errors.ts";
import { readStructuredFile } from "../../shared/files/read-structured-file.ts";
import { readVoices } from "../../service/read-voices.ts";
import type { ScenarioFile } from "./scenario-file.ts";

const EXTENSIONS = new Set([".yaml", ".yml", ".json"]);

/** A voice configuration as it is written, with absolute paths of secrets. */
export interface VoiceFile {
  readonly voice: VoiceConfiguration;
  readonly written: Written;
}

type Json = Readonly<Record<string, unknown>>;
type Written = Json & { readonly tools?: readonly Json[] };

/** The operator's voice configurations. @throws OakError `CONFIG_INVALID`, `CONFIG_UNREADABLE`. */
export async function readVoiceFiles(
  config: Pick<ServerConfig, "voicesDir" | "egress">,
): Promise<readonly VoiceFile[]> {
  // Checks all of them, also their tools.
  const voices = await readVoices(config);
  return namesIn(config.voicesDir).flatMap((name) => {
    const file = join(config.voicesDir, name);
    const written = readStructuredFile(file) as Written;
    const { config_id: id } = voiceConfigurationSchema.parse(written);
    const voice = voices.find(({ config_id }) => config_id === id);
    const tools = written.tools?.map((tool) => absolute(tool, dirname(resolve(file))));
    return voice === undefined ? [] : [{ voice, written: tools === undefined ? written : { ...written, tools } }];
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => EXTENSIONS.has(extname(name)));
  } catch {
    return []; // The folder may be missing, as for the server.
  }
}

/** Secrets are found from the folder of the voice configuration. */
function absolute(tool: Json, folder: string): Json {
  const fields = Object.entries(tool).map(([key, value]): [string, unknown] => {
    if (/^(?:secret|token)_file$/u.test(key) && typeof value === "string") return [key, resolve(folder, value)];
    return [key, key === "webhook" || key === "mcp" ? absolute(value as Json, folder) : value];
  });
  return Object.fromEntries(fields);
}

/**
 * The configurations that the test's own server has: the operator's, and one more for each set of tools that scenarios answer. Those tools
 * become tools of the client, which is the test.
 */
export function variantsFor(
  named: readonly { readonly scenario: ScenarioFile; readonly voice: VoiceConfiguration }[],
  files: readonly VoiceFile[],
): { readonly voices: Readonly<Record<string, object>>; readonly configIds: readonly string[] } {
  const voices: Record<string, object> = Object.fromEntries(
    files.map(({ voice, written }) => [voice.config_id, written]),
  );
  const configIds = named.map(({ scenario, voice }) => {
    const names = Object.keys(scenario.answers).toSorted();
    if (names.length === 0) return voice.config_id;
    const written: Written = files.find((file) => file.voice === voice)?.written ?? {};
    const tools = (written.tools ?? []).map((tool) => (names.includes(String(tool["name"])) ? clientTool(tool) : tool));
    const known = tools.flatMap((tool) => (typeof tool["name"] === "string" ? [tool["name"]] : []));
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined) {
      const list = known.length === 0 ? "it has no such tools" : `they are ${known.join(", ")}`;
      const message = `${scenario.file}: answers: ${unknown} is not a webhook or client tool of ${voice.config_id}: ${list}.`;
      throw new OakError(message, { code: "SCENARIO_INVALID" });
    }
    const id = `${voice.config_id.slice(0, 60)}.${names.join("-").slice(0, 60)}`;
    voices[id] = { ...written, tools };
    return id;
  });
  return { voices, configIds };
}

const CLIENT_FIELDS = ["name", "description", "parameters", "cancel_on_interrupt", "confirm"];

const clientTool = (tool: Json): Json => ({
  ...Object.fromEntries(Object.entries(tool).filter(([key]) => CLIENT_FIELDS.includes(key))),
  client: true,
});
