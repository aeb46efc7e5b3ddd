import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { errorCode, errorMessage, OakError } from "../shared/errors.ts";
import { FailureReporter } from "../shared/failure-reporter.ts";
import type { Log } from "../shared/log.ts";
import { printable } from "../shared/printable.ts";
import {
  keyFileStamp,
  readKeyFile,
  updateKeyFile,
  type KeyLimits,
  type KeyRecord,
  type Permission,
} from "./key-file.ts";

export const KEY_PREFIX = "oak_";
/** Begins in another way than a caller's key, so that neither is taken for the other. */
const OPERATOR_PREFIX = "oakop_";
const API_KEY = /^oak_[A-Za-z0-9_-]{43}$/;
const OPERATOR_KEY = /^oakop_[A-Za-z0-9_-]{43}$/;

export interface NewKey {
  readonly id: string;
  /** Shown once; only its hash is kept. */
  readonly key: string;
}

/** @param nowMs Unix time in milliseconds. */
export function createApiKey(
  file: string,
  name: string,
  projectId: string | undefined,
  nowMs: number,
  limits: KeyLimits = {},
  permissions?: readonly Permission[],
): NewKey {
  const { key, record } = newApiKey(name, projectId, nowMs, limits, permissions);
  updateKeyFile(file, (keys) => [...keys, record]);
  return { id: record.id, key };
}

/** A key that reads and erases the call records of a project, or of all. @param nowMs Unix time in milliseconds. */
export function createOperatorKey(file: string, name: string, projectId: string | undefined, nowMs: number): NewKey {
  const { key, record } = newApiKey(name, projectId, nowMs, {}, undefined, OPERATOR_PREFIX);
  updateKeyFile(file, (keys) => [...keys, { ...record, role: "operator" }]);
  return { id: record.id, key };
}

/** A new key and its record. Writes nothing. */
export function newApiKey(
  name: string,
  projectId: string | undefined,
  nowMs: number,
  limits: KeyLimits = {},
  permissions?: readonly Permission[],
  prefix = KEY_PREFIX,
) {
  const key = `${prefix}${randomBytes(32).toString("base64url")}`;
  const record: KeyRecord = {
    id: `key_${randomBytes(6).toString("hex")}`,
    name,
    sha256: hash(key).toString("hex"),
    project_id: projectId ?? null,
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(permissions === undefined ? {} : { permissions: [...permissions] }),
    created_at: new Date(nowMs).toISOString(),
    revoked_at: null,
  };
  return { key, record };
}

/** Revoking twice keeps the first time. @throws OakError `KEY_NOT_FOUND`. */
export function revokeApiKey(file: string, id: string, nowMs: number): void {
  updateKeyFile(file, (keys) => {
    if (!keys.some((key) => key.id === id)) {
      throw new OakError(`No key has the id ${printable(id)}; see "oakvoice keys list".`, { code: "KEY_NOT_FOUND" });
    }
    return revoked(keys, (key) => key.id === id, nowMs);
  });
}

/** Removes a key whose text could not be shown. */
export function forgetApiKey(file: string, id: string): void {
  updateKeyFile(file, (keys) => keys.filter((key) => key.id !== id));
}

/** The records, with the chosen ones revoked. A record that is already revoked keeps its time. */
export function revoked(keys: readonly KeyRecord[], isChosen: (key: KeyRecord) => boolean, nowMs: number): KeyRecord[] {
  const revoked_at = new Date(nowMs).toISOString();
  return keys.map((key) => (isChosen(key) && key.revoked_at === null ? { ...key, revoked_at } : key));
}

export interface ApiKeys {
  /** Undefined when the key is unknown or revoked. */
  find(key: string): KeyRecord | undefined;
  /** An operator's key. `find` does not know it. */
  findOperator(key: string): KeyRecord | undefined;
  /** The same by its id. */
  withId(id: string): KeyRecord | undefined;
  /** Keys that are not revoked. */
  count(): number;
}

/**
 * Reads the keys of a file, and reads them again when the file changes. While the file cannot be read, the keys of the last
 * good read stay in force and one line is logged.
 * @throws OakError when the first read fails.
 */
export function openApiKeys(file: string, log: Log): ApiKeys {
  let stamp = keyFileStamp(file);
  let active = readActive(file);
  const failures = new FailureReporter((error) => log.error({ code: errorCode(error) }, errorMessage(error)));

  const current = () => {
    let now: string | undefined;
    try {
      now = keyFileStamp(file);
      if (now !== stamp) {
        active = readActive(file);
        stamp = now;
      }
      failures.succeeded();
    } catch (error) {
      failures.failed(error, `${now ?? ""} ${errorMessage(error)}`);
    }
    return active;
  };

  // Compares every record in constant time, so that timing reveals nothing about the keys.
  const findOf = (role: KeyRecord["role"], key: string) => {
    const wanted = hash(key);
    return current().reduce<KeyRecord | undefined>(
      (found, record) =>
        timingSafeEqual(Buffer.from(record.sha256, "hex"), wanted) && record.role === role ? record : found,
      undefined,
    );
  };
  return {
    find: (key) => (API_KEY.test(key) ? findOf(undefined, key) : undefined),
    findOperator: (key) => (OPERATOR_KEY.test(key) ? findOf("operator", key) : undefined),
    withId: (id) => current().find((record) => record.id === id && record.role === undefined),
    count: () => current().length,
  };
}

const readActive = (file: string) => readKeyFile(file).filter((key) => key.revoked_at === null);

/** Plain SHA-256 is enough: a key has 256 random bits, so a slow, salted hash would not make guessing harder. */
const hash = (key: string) => createHash("sha256").update(key).digest();
