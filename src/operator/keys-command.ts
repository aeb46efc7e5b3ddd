import type { JwtConfig } from "../config/server-config-schema.ts";
import { fileExposure } from "../shared/files/file-exposure.ts";
import { identifier } from "../config/voice-configuration.ts";
import { OakError } from "../shared/errors.ts";
import { asFileError } from "../shared/files/file-error.ts";
import { parseOptions, usageError } from "../shared/options.ts";
import { isPrintable, printable } from "../shared/printable.ts";
import { textTable } from "../shared/text-table.ts";
import { createApiKey, createOperatorKey, revokeApiKey } from "../auth/api-keys.ts";
import { PERMISSIONS, readKeyFile, type KeyRecord, type Permission } from "../auth/key-file.ts";
import { keyFilePath } from "../config/data-folder.ts";
import { issueToken, MAX_SUBJECT_LENGTH } from "../auth/jwt.ts";
import { isLocalName } from "../auth/local-key.ts";

export const KEYS_USAGE = `oakvoice keys create --name NAME [--project PROJECT_ID] [--max-connections N] [--max-messages-per-second N]
                     [--max-audio-bytes-per-second N] [--allow say,inspect]
oakvoice keys create --operator --name NAME [--project PROJECT_ID]
oakvoice keys list
oakvoice keys rotate KEY_ID
oakvoice keys revoke KEY_ID`;

export const TOKEN_USAGE =
  "oakvoice token [--subject NAME] [--project PROJECT_ID] [--config-id CONFIG_ID] [--expires-in 15m] [--allow say,inspect]";

const TEXT = { type: "string" } as const;
const FLAG = { type: "boolean" } as const;
const MAX_NAME_LENGTH = 100;
const KEY_LIMITS = ["max_connections", "max_messages_per_second", "max_audio_bytes_per_second"] as const;
const optionOf = (limit: string) => limit.replaceAll("_", "-");

/**
 * `oakvoice keys ...`: changes the key file in `dataDir`. A running server reads the file again at the next connection.
 * @param args The arguments after `keys`.
 * @returns The text for standard output.
 * @throws OakError `USAGE`, `KEY_NOT_FOUND`, `KEYS_LOCKED`, `KEYS_UNREADABLE`, `KEYS_UNWRITABLE`.
 */
export function keysCommand(
  args: readonly string[],
  dataDir: string,
  nowMs: number,
  onCreate: (id: string) => void = () => undefined,
): string {
  try {
    return changeKeys(args, dataDir, nowMs, onCreate);
  } catch (error) {
    throw asFileError(error, "FILE_FAILED", dataDir);
  }
}

function changeKeys(args: readonly string[], dataDir: string, nowMs: number, onCreate: (id: string) => void): string {
  const file = keyFilePath(dataDir);
  const limitOptions = Object.fromEntries(KEY_LIMITS.map((limit) => [optionOf(limit), TEXT]));
  const options: Record<string, typeof TEXT | typeof FLAG> = {
    name: TEXT,
    project: TEXT,
    allow: TEXT,
    operator: FLAG,
    ...limitOptions,
  };
  const { values, positionals } = parseOptions("keys", args, options);
  const [action, id, ...rest] = positionals;
  const name = asString(values["name"]);
  if (action === "create" && id === undefined && name !== undefined) {
    checkName(name);
    const limits = Object.fromEntries(
      KEY_LIMITS.flatMap((limit) => {
        const value = asString(values[optionOf(limit)]);
        return value === undefined ? [] : [[limit, parseCount(optionOf(limit), value)]];
      }),
    );
    const projectId = parseIdentifier("keys", "project", values["project"]);
    const { permissions } = parsePermissions("keys", values["allow"]);
    const isOperators = values["operator"] === true;
    if (isOperators && (permissions !== undefined || Object.keys(limits).length > 0))
      throw usageError("keys", "--operator: such a key opens no calls, so it takes neither --allow nor limits");
    const created = isOperators
      ? createOperatorKey(file, name, projectId, nowMs)
      : createApiKey(file, name, projectId, nowMs, limits, permissions);
    onCreate(created.id);
    return `${created.key}\n\nThis is ${created.id}. The key is shown only now: keep it in a safe place.`;
  }
  if (action === "list" && id === undefined) return table(file);
  if (action === "revoke" && id !== undefined && id.trim() !== "" && rest.length === 0) {
    revokeApiKey(file, id, nowMs);
    return `${id} is revoked; its open connections are closed within seconds.`;
  }
  if (action === "rotate" && id !== undefined && rest.length === 0) return rotateKey(file, id, nowMs, onCreate);
  throw usageError("keys", "Say create --name NAME, list, rotate KEY_ID, or revoke KEY_ID");
}

/**
 * `oakvoice token ...`: a signed token.
 * @throws OakError `USAGE`, or `CONFIG_INVALID` when the configuration has no signing key.
 */
export async function tokenCommand(args: readonly string[], jwt: JwtConfig | undefined, now: Date): Promise<string> {
  const names = ["subject", "project", "config-id", "expires-in", "allow"];
  const options = Object.fromEntries(names.map((name) => [name, TEXT]));
  const { values, positionals } = parseOptions("token", args, options);
  if (positionals[0] !== undefined) throw usageError("token", `Unexpected argument '${positionals[0]}'`);
  if (jwt === undefined) {
    throw new OakError(
      "No token can be signed: set auth.jwt in the server's configuration, with algorithms and a secret_file, or with a public_key_file " +
        "and its private_key_file (docs/operations.md).",
      { code: "CONFIG_INVALID" },
    );
  }
  const projectId = parseIdentifier("token", "project", values["project"]);
  const configId = parseIdentifier("token", "config-id", values["config-id"]);
  const subject = asString(values["subject"]);
  if (subject !== undefined && !isName(subject, MAX_SUBJECT_LENGTH))
    throw nameRefused("token", "subject", MAX_SUBJECT_LENGTH);
  return issueToken(
    jwt,
    {
      lifetimeSeconds: parseDuration(asString(values["expires-in"]) ?? "15m"),
      ...parsePermissions("token", values["allow"]),
      ...(subject === undefined ? {} : { subject }),
      ...(projectId === undefined ? {} : { projectId }),
      ...(configId === undefined ? {} : { configId }),
    },
    now,
  );
}

/** Another key like this one. The old one works until it is revoked. */
function rotateKey(file: string, id: string, nowMs: number, onCreate: (id: string) => void): string {
  const old = readKeyFile(file).find((key) => key.id === id);
  if (old === undefined)
    throw new OakError(`No key has the id ${printable(id)}; see "oakvoice keys list".`, { code: "KEY_NOT_FOUND" });
  const { name, project_id, limits, permissions, role } = old;
  const project = project_id ?? undefined;
  const created =
    role === "operator"
      ? createOperatorKey(file, name, project, nowMs)
      : createApiKey(file, name, project, nowMs, limits, permissions);
  onCreate(created.id);
  return [
    `${created.key}\n`,
    `This is ${created.id}, like ${id}. The key is shown only now: keep it in a safe place, and give it to the clients.`,
    `Then revoke the old one: oakvoice keys revoke ${id}`,
  ].join("\n");
}

function table(file: string): string {
  const keys = readKeyFile(file);
  if (keys.length === 0) return 'No keys yet; make one with "oakvoice keys create --name NAME".';
  const rows = keys.map((key) => [
    printable(key.id),
    printable(key.name),
    printable(key.project_id ?? "all projects"),
    key.created_at,
    key.revoked_at ?? "active",
    ...limitsOf(key),
    key.role ?? key.permissions?.join(" ") ?? "-",
  ]);
  const head = ["ID", "NAME", "PROJECT", "CREATED", "REVOKED", "MOST AT ONCE", "MESSAGES/S", "AUDIO BYTES/S", "MAY"];
  return [textTable([head, ...rows]), ...fileExposure(file, true).map((line) => `Warning: ${line}`)].join("\n");
}

/** "-" stands for the limit of the server's configuration. */
const limitsOf = ({ limits }: KeyRecord) => KEY_LIMITS.map((limit) => String(limits?.[limit] ?? "-"));

function checkName(name: string): void {
  if (!isName(name, MAX_NAME_LENGTH)) throw nameRefused("keys", "name", MAX_NAME_LENGTH);
  if (isLocalName(name))
    throw usageError("keys", `--name ${name}: the program removes keys of such names; choose another name`);
}

const isName = (name: string, maxLength: number) => name.trim() !== "" && name.length <= maxLength && isPrintable(name);

const nameRefused = (command: string, option: string, maxLength: number): OakError =>
  usageError(command, `--${option}: write 1 to ${String(maxLength)} printable characters, not only spaces`);

/** Refuses an id that no voice configuration can have: its key would open nothing. */
function parseIdentifier(command: string, option: string, value: unknown): string | undefined {
  const id = asString(value);
  if (id === undefined) return undefined;
  const { error } = identifier.safeParse(id);
  if (error === undefined) return id;
  const why = error.issues.map(({ message }) => message).join("; ");
  throw usageError(command, `--${option} ${id.slice(0, MAX_NAME_LENGTH)}: ${why}`);
}

function parsePermissions(command: string, value: unknown): { readonly permissions?: readonly Permission[] } {
  const text = asString(value);
  if (text === undefined) return {};
  const names = text.split(",");
  const permissions = PERMISSIONS.filter((permission) => names.includes(permission));
  if (permissions.length < names.length)
    throw usageError(
      command,
      `--allow ${text.slice(0, MAX_NAME_LENGTH)}: write ${PERMISSIONS.join(" or ")}, or both with a comma`,
    );
  return { permissions };
}

function parseCount(option: string, count: string): number {
  if (!/^[1-9]\d{0,11}$/.test(count))
    throw usageError("keys", `--${option} ${count}: write a whole number of 1 or more`);
  return Number(count);
}

function parseDuration(duration: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(duration) ?? [];
  const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 }[unit ?? ""];
  if (amount === undefined || seconds === undefined || Number(amount) === 0)
    throw usageError("token", `--expires-in ${duration}: write a number and s, m, h or d, such as 15m`);
  return Number(amount) * seconds;
}

const asString = (value: unknown) => (typeof value === "string" ? value : undefined);
