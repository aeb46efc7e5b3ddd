import type { JwtConfig } from "../config/server-config-schema.ts";
import { OakError } from "../shared/errors.ts";
import { parseOptions, usageError } from "../shared/options.ts";
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
 * @param onCreate Called with the id of a new key, for a caller that may have to remove it again.
 * @returns What to print on standard output.
 * @throws OakError `USAGE`, `KEY_NOT_FOUND`, `KEYS_LOCKED`, `KEYS_UNREADABLE`, `KEYS_UNWRITABLE`.
 */
export function keysCommand(
  args: readonly string[],
  dataDir: string,
  nowMs: number,
  onCreate: (id: string) => void = () => undefined,
): string {
  const file = keyFilePath(dataDir);
  const text = { type: "string" } as const;
  const limitOptions = Object.fromEntries(KEY_LIMITS.map((limit) => [optionOf(limit), text]));
  const options: Record<string, typeof text> = { name: text, project: text, ...limitOptions };
  const { values, positionals } = parseOptions("keys", args, options);
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
    onCreate(created.id);
    return `${created.key}\n\nThis is ${created.id}. The key is shown only now: keep it in a safe place.`;
  }
  if (action === "list" && id === undefined) return table(file);
  if (action === "revoke" && id !== undefined && rest.length === 0) {
    revokeApiKey(file, id, nowMs);
    return `${id} is revoked; its open connections are closed within seconds.`;
  }
  throw usageError("keys", "Say create --name NAME, list, or revoke KEY_ID");
}

/**
 * `oakvoice token ...`: a signed token.
 * @throws OakError `USAGE`, or `CONFIG_INVALID` when nothing is configured to sign with.
 */
export async function tokenCommand(args: readonly string[], jwt: JwtConfig | undefined, now: Date): Promise<string> {
  const text = { type: "string" } as const;
  const options: Record<string, typeof text> = { subject: text, project: text, "config-id": text, "expires-in": text };
  const { values, positionals } = parseOptions("token", args, options);
  if (positionals[0] !== undefined) throw usageError("token", `Unexpected argument '${positionals[0]}'`);
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

function parseCount(option: string, text: string): number {
  if (!/^[1-9]\d{0,11}$/.test(text)) {
    throw usageError("keys", `--${option} ${text}: write a whole number of 1 or more`);
  }
  return Number(text);
}

function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 }[unit ?? ""];
  if (amount === undefined || seconds === undefined || Number(amount) === 0) {
    throw usageError("token", `--expires-in ${text}: write a number and s, m, h or d, such as 15m`);
  }
  return Number(amount) * seconds;
}

const asString = (value: unknown) => (typeof value === "string" ? value : undefined);
