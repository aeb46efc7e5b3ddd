import { createHash, randomBytes } from "node:crypto";
import { OakError } from "../shared/errors.ts";
import { CLIENT_SECRET_PREFIX, type Identity } from "./authenticate.ts";

/** Limit for one key or token subject. A newer secret replaces the oldest. */
const MOST_PER_OWNER = 1_000;

interface Secret {
  readonly identity: Identity;
  readonly expiresAtMs: number;
}

/**
 * Short-lived keys for browsers and apps, made by a server that has a lasting key. They live in memory: a restart of the service
 * ends them.
 */
export class ClientSecrets {
  readonly #now: () => number;
  /** By the hash of their text, so that no lookup depends on how much of a guess is right. */
  readonly #secrets = new Map<string, Secret>();

  /** @param now Unix time in milliseconds. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** `identity`: the owner's, with what the secret may open. */
  mint(identity: Identity, lifetimeMs: number): { readonly value: string; readonly expiresAtMs: number } {
    this.#forget(identity);
    const value = `${CLIENT_SECRET_PREFIX}${randomBytes(24).toString("hex")}`;
    const expiresAtMs = this.#now() + lifetimeMs;
    this.#secrets.set(hash(value), { identity, expiresAtMs });
    return { value, expiresAtMs };
  }

  /** @throws OakError `INVALID_API_KEY` or `TOKEN_EXPIRED`. */
  find(value: string): Identity {
    const secret = this.#secrets.get(hash(value));
    if (secret === undefined)
      throw new OakError("The client secret is not known; get a new one.", { code: "INVALID_API_KEY" });
    if (secret.expiresAtMs <= this.#now())
      throw new OakError("The client secret has expired; get a new one.", { code: "TOKEN_EXPIRED" });
    return secret.identity;
  }

  /** Drops the expired ones, and the owner's oldest when there are too many. */
  #forget({ method, id }: Identity): void {
    const own: string[] = [];
    for (const [name, { identity, expiresAtMs }] of this.#secrets) {
      if (expiresAtMs <= this.#now()) this.#secrets.delete(name);
      else if (identity.method === method && identity.id === id) own.push(name);
    }
    const [oldest] = own;
    if (own.length >= MOST_PER_OWNER && oldest !== undefined) this.#secrets.delete(oldest);
  }
}

const hash = (value: string): string => createHash("sha256").update(value).digest("base64");
