import { hostname } from "node:os";
import { basename } from "node:path";
import type { ServerConfig } from "../config/server-config.ts";

/** Sentences that the starter model answers with the built-in configuration. */
const STARTER = `The starter model knows a small English domain. Ask: "What time is it?", "Set a timer for ten minutes.", "Turn on the kitchen lights."`;

type Printed = Pick<ServerConfig, "host" | "tls" | "playground" | "auth" | "models">;

/**
 * The lines that `serve` prints when it is ready. Programs read the address for programs from the first line, so labels are for terminals only.
 * @param key The temporary key, or undefined when the server has keys of the operator.
 */
export function startMessage(config: Printed, port: number, key: string | undefined, isTerminal: boolean): string {
  const { programs, page } = addresses(config, port, key);
  const hints = [keyHint(config, key), ...(usesStarter(config) ? [STARTER] : [])];
  if (!isTerminal) return [programs, ...(page === undefined ? [] : [page]), ...hints].join("\n");
  return [
    "Oakvoice is ready.",
    ...(page === undefined ? [] : [`  Page      ${page}`]),
    `  Programs  ${programs}`,
    ...hints,
  ].join("\n");
}

const usesStarter = ({ models: { llm } }: Printed): boolean =>
  llm.remote === undefined && basename(llm.path) === "starter.gguf";

function addresses({ host: configured, tls, playground }: Printed, port: number, key: string | undefined) {
  const secure = tls === undefined ? "" : "s";
  // Clients cannot connect to 0.0.0.0 or ::. Print the host name, which the certificate names.
  const name = /^(?:0\.0\.0\.0|::)$/u.test(configured) ? hostname() : configured;
  const host = `${name.includes(":") ? `[${name}]` : name}:${String(port)}`;
  // Browsers do not send the part after the # to a server.
  const page = `http${secure}://${host}/${key === undefined ? "" : `#api_key=${key}`}`;
  const query = `api_key=${key ?? "<API_KEY>"}&config_id=default`;
  return {
    programs: `ws${secure}://${host}/ws/voice/<connection_id>?${query}`,
    page: playground ? page : undefined,
  };
}

function keyHint({ playground, auth }: Printed, key: string | undefined): string {
  const what = playground
    ? "Open the page in a browser; programs use the ws address, with any text for <connection_id>."
    : "Any text may take the place of <connection_id>.";
  if (key !== undefined) return `${what} The key ends with this server.`;
  const source = auth.jwt === undefined ? '"oakvoice keys create" printed' : "your server signs, or a key";
  const where = playground ? "Type it on the page." : "It takes the place of <API_KEY>.";
  return `${what} Use the key that ${source}. ${where} A lost key is replaced with "oakvoice keys rotate".`;
}
