import { parseArgs } from "node:util";
import type { JwtConfig } from "../config/server-config-schema.ts";
import { errorMessage, OakError } from "../shared/errors.ts";
import { textTable } from "../shared/text-table.ts";
import { createApiKey, revokeApiKey } from "./api-keys.ts";
import { keyFilePath, readKeyFile, type KeyRecord } from "./key-file.ts";
import { issueToken } from "./jwt.ts";
import { isLocalName } from "./local-key.ts";

export const KEYS_USAGE = `oakvoice keys create --name NAME [--project PROJECT_ID] [--max-connections N] [--max-messages-per-second N]
                     [--max-audio-bytes-per-second N]
oakvoice keys list
oakvoice keys revoke KEY_ID`;

export const TOKEN_USAGE =
  "oakvoice token [--subject NAME] [--project PROJECT_ID] [--config-id CONFIG_ID] [--expires-in 15m]";

const KEY_LIMITS = ["max_connections", "max_messages_per_second", "max_audio_bytes_per_second"] as const;
const optionOf = (limit: string) => limit.replaceAll("_", "-");

/**
 * `oakvoice keys ...`: changes the key file in `dataDir`; a running server sees it with its next connection.
 * @param args What follows `keys`.
 * @returns What to print on standard output.
 * @throws OakError `USAGE`, `KEY_NOT_FOUND`, `KEYS_LOCKED`, `KEYS_UNREADABLE`, `KEYS_UNWRITABLE`.
 */
export function keysCommand(args: readonly string[], dataDir: string, nowMs: number): string {
  const file = keyFilePath(dataDir);
  const text = { type: "string" } as const;
  const limitOptions = Object.fromEntries(KEY_LIMITS.map((limit) => [optionOf(limit), text]));
  const { values, positionals } = parse(args, { name: text, project: text, ...limitOptions }, KEYS_USAGE);
  const [action, id, ...rest] = positionals;
  if (action === "create" && id === undefined && typeof values["name"] === "string" && values["name"] !== "") {
    if (isLocalName(values["name"])) {
      const message = `--name ${values["name"]}: names like this are of keys that the program makes for itself and takes away again; choose another.`;
      throw new OakError(message, { code: "USAGE" });
    }
    const limits = Object.fromEntries(
      KEY_LIMITS.flatMap((limit) => {
        const value = asString(values[optionOf(limit)]);
        return value === undefined ? [] : [[limit, parseCount(optionOf(limit), value)]];
      }),
    );
    const created = createApiKey(file, values["name"], asString(values["project"]), nowMs, limits);
    return `${created.key}\n\nThis is ${created.id}. The key is shown only now: keep it in a safe place.`;
  }
  if (action === "list" && id === undefined) return table(file);
  if (action === "revoke" && id !== undefined && rest.length === 0) {
    revokeApiKey(file, id, nowMs);
    return `${id} is revoked; its open connections are closed within seconds.`;
  }
  throw new OakError(KEYS_USAGE, { code: "USAGE" });
}

/**
 * `oakvoice token ...`: a signed token.
 * @throws OakError `USAGE`, or `CONFIG_INVALID` when nothing is configured to sign with.
 */
export async function tokenCommand(args: readonly string[], jwt: JwtConfig | undefined, now: Date): Promise<string> {
  const text = { type: "string" } as const;
  const { values, positionals } = parse(
    args,
    { subject: text, project: text, "config-id": text, "expires-in": text },
    TOKEN_USAGE,
  );
  if (positionals.length > 0) throw new OakError(TOKEN_USAGE, { code: "USAGE" });
  if (jwt === undefined) {
    throw new OakError(
      "No token can be signed: set auth.jwt in the server's configuration, with algorithms and a secret_file, or with a public_key_file " +
        "and its private_key_file (docs/operations.md).",
      { code: "CONFIG_INVALID" },
    );
  }
  const [subject, projectId, configId] = ["subject", "project", "config-id"].map((name) => asString(values[name]));
  return issueToken(
    jwt,
    {
      lifetimeSeconds: parseDuration(asString(values["expires-in"]) ?? "15m"),
      ...(subject === undefined ? {} : { subject }),
      ...(projectId === undefined ? {} : { projectId }),
      ...(configId === undefined ? {} : { configId }),
    },
    now,
  );
}

function table(file: string): string {
  const keys = readKeyFile(file);
  if (keys.length === 0) return 'No keys yet; make one with "oakvoice keys create --name NAME".';
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.project_id ?? "all projects",
    key.created_at,
    key.revoked_at ?? "active",
    ...limitsOf(key),
  ]);
  return textTable([
    ["ID", "NAME", "PROJECT", "CREATED", "REVOKED", "MOST AT ONCE", "MESSAGES/S", "AUDIO BYTES/S"],
    ...rows,
  ]);
}

/** "-": as the server's configuration has it. */
const limitsOf = ({ limits }: KeyRecord) => KEY_LIMITS.map((limit) => String(limits?.[limit] ?? "-"));

function parse(args: readonly string[], options: Record<string, { type: "string" }>, usage: string) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (cause) {
    throw new OakError(`${errorMessage(cause)}\n${usage}`, { code: "USAGE", cause });
  }
}

function parseCount(option: string, text: string): number {
  if (!/^[1-9]\d{0,11}$/.test(text)) {
    throw new OakError(`--${option} ${text}: write a whole number of 1 or more.\n${KEYS_USAGE}`, { code: "USAGE" });
  }
  return Number(text);
}

function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 }[unit ?? ""];
  if (amount === undefined || seconds === undefined || Number(amount) === 0) {
    throw new OakError(`--expires-in ${text}: write a number and s, m, h or d, such as 15m.\n${TOKEN_USAGE}`, {
      code: "USAGE",
    });
  }
  return Number(amount) * seconds;
}

const asString = (value: unknown) => (typeof value === "string" ? value : undefined);
