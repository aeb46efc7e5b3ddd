import { createHash, randomBytes } from "node:crypto";
import type { Cluster } from "../cluster/cluster.ts";
import { passOverLoss } from "../cluster/pass-over-loss.ts";
import { seal, sealOf, unseal, type Seal } from "../cluster/sealed.ts";
import { OakError } from "../shared/errors.ts";
import { CLIENT_SECRET_PREFIX, type Identity } from "./authenticate.ts";

/** Limit for one key or token subject. A newer secret replaces the oldest. */
const MOST_PER_OWNER = 1_000;

interface Secret {
  readonly identity: Identity;
  readonly expiresAtMs: number;
}

interface OwnSecret extends Secret {
  /** Its name in the store. */
  readonly entry: string | undefined;
}

export interface ClientSecretsOptions {
  /** Unix time in milliseconds. */
  readonly now?: () => number;
  /** Where boxes share their secrets, encrypted. */
  readonly cluster?: Cluster | undefined;
}

/**
 * Short-lived keys for browsers and apps, made by a server that has a lasting key. They live in memory: a restart of the service
 * ends them. With a cluster each box knows the secrets of all, also after a restart.
 */
export class ClientSecrets {
  readonly #now: () => number;
  readonly #cluster: Cluster | undefined;
  readonly #key: Buffer | undefined;
  /** By the hash of their text, so that no lookup depends on how much of a guess is right. */
  readonly #secrets = new Map<string, OwnSecret>();

  constructor({ now = Date.now, cluster }: ClientSecretsOptions = {}) {
    this.#now = now;
    this.#cluster = cluster;
    this.#key = cluster?.deriveKey("client secrets");
  }

  /** `identity`: the owner's, with what the secret may open. */
  async mint(
    identity: Identity,
    lifetimeMs: number,
  ): Promise<{ readonly value: string; readonly expiresAtMs: number }> {
    const forgotten = this.#forget(identity);
    const value = `${CLIENT_SECRET_PREFIX}${randomBytes(24).toString("hex")}`;
    const expiresAtMs = Math.min(this.#now() + lifetimeMs, identity.expiresAtMs ?? Infinity);
    const own = this.#sealOf(value);
    this.#secrets.set(hash(value), { identity, expiresAtMs, entry: own && entryOf(own) });
    await Promise.all([this.#share({ identity, expiresAtMs }, own), ...forgotten.map((entry) => this.#unshare(entry))]);
    return { value, expiresAtMs };
  }

  /** @throws OakError `INVALID_API_KEY` or `TOKEN_EXPIRED`. */
  async find(value: string): Promise<Identity> {
    const secret = this.#secrets.get(hash(value)) ?? (await this.#shared(value));
    if (secret === undefined)
      throw new OakError("The client secret is not known; get a new one.", { code: "INVALID_API_KEY" });
    if (secret.expiresAtMs <= this.#now())
      throw new OakError("The client secret has expired; get a new one.", { code: "TOKEN_EXPIRED" });
    return secret.identity;
  }

  /** Drops the expired ones, and the owner's oldest when there are too many. Returns its name in the store. */
  #forget({ method, id }: Identity): string[] {
    const own: string[] = [];
    for (const [name, { identity, expiresAtMs }] of this.#secrets) {
      if (expiresAtMs <= this.#now()) this.#secrets.delete(name);
      else if (identity.method === method && identity.id === id) own.push(name);
    }
    const [oldest] = own;
    if (own.length < MOST_PER_OWNER || oldest === undefined) return [];
    const entry = this.#secrets.get(oldest)?.entry;
    this.#secrets.delete(oldest);
    return entry === undefined ? [] : [entry];
  }

  /** The cluster reports a lost store. Only this box knows the secret then. */
  async #share(secret: Secret, own: Seal | undefined): Promise<void> {
    const ttlMs = Math.ceil(secret.expiresAtMs - this.#now());
    if (own === undefined || ttlMs <= 0) return;
    const sealed = seal(Buffer.from(JSON.stringify(secret)), own);
    await this.#cluster?.set(entryOf(own), sealed, { ttlMs }).catch(passOverLoss);
  }

  async #unshare(entry: string): Promise<void> {
    await this.#cluster?.delete(entry).catch(passOverLoss);
  }

  async #shared(value: string): Promise<Secret | undefined> {
    const own = this.#sealOf(value);
    const sealed = own && (await this.#cluster?.get(entryOf(own)).catch(passOverLoss));
    const plain = own && sealed && unseal(sealed.toString(), own);
    return plain && (JSON.parse(plain.toString()) as Secret);
  }

  #sealOf(value: string): Seal | undefined {
    return this.#key && sealOf(this.#key, value);
  }
}

const entryOf = ({ name }: Seal): string => `secret:${name}`;
const hash = (value: string): string => createHash("sha256").update(value).digest("base64");
