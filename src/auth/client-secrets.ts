import { createHash, randomBytes } from "node:crypto";
import type { Cluster } from "../cluster/cluster.ts";
import { passOverLoss } from "../cluster/pass-over-loss.ts";
import { seal, sealOf, unseal, type Seal } from "../cluster/sealed.ts";
import { OakError } from "../shared/errors.ts";
import { TokenBucket } from "../shared/token-bucket.ts";
import { CLIENT_SECRET_PREFIX, type Identity } from "./authenticate.ts";

/** Limits for one key or token subject. A newer secret replaces the oldest. */
const MOST_PER_OWNER = 1_000;
const MOST_CHARACTERS_PER_OWNER = 4_000_000;
/** Limit for all owners. A further secret is refused. */
const MOST_CHARACTERS = 64_000_000;
/** Requests of one owner. */
const AT_ONCE = 100;
const PER_SECOND = 5;
/** The rates of so many owners are known. */
const MOST_RATES = 10_000;

interface Secret {
  readonly identity: Identity;
  readonly expiresAtMs: number;
}

interface OwnSecret {
  readonly owner: string;
  /** The identity as JSON, whose size is known. Objects take twenty times as much. */
  readonly text: string;
  readonly expiresAtMs: number;
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
  #characters = 0;
  /** The owner that asked last comes last. */
  readonly #rates = new Map<string, TokenBucket>();

  constructor({ now = Date.now, cluster }: ClientSecretsOptions = {}) {
    this.#now = now;
    this.#cluster = cluster;
    this.#key = cluster?.deriveKey("client secrets");
  }

  /** Counts a request before its body is read. @throws OakError `TOO_MANY_SECRETS`. */
  admit(owner: Identity): void {
    const name = nameOf(owner);
    const rate = this.#rates.get(name) ?? new TokenBucket(AT_ONCE, PER_SECOND, this.#now());
    this.#rates.delete(name);
    this.#rates.set(name, rate);
    const [oldest = ""] = this.#rates.keys();
    if (this.#rates.size > MOST_RATES) this.#rates.delete(oldest);
    if (!rate.take(1, this.#now())) throw tooMany("Too many client secrets are asked for; wait a second.");
  }

  /**
   * @param identity The owner's, with the rights of the secret.
   * @throws OakError `TOO_MANY_SECRETS`.
   */
  async mint(
    identity: Identity,
    lifetimeMs: number,
  ): Promise<{ readonly value: string; readonly expiresAtMs: number }> {
    const text = JSON.stringify(identity);
    const owner = nameOf(identity);
    const forgotten = this.#makeRoom(owner, text.length);
    const value = `${CLIENT_SECRET_PREFIX}${randomBytes(24).toString("hex")}`;
    const expiresAtMs = Math.min(this.#now() + lifetimeMs, identity.expiresAtMs ?? Infinity);
    const own = this.#sealOf(value);
    this.#secrets.set(hash(value), { owner, text, expiresAtMs, entry: own && entryOf(own) });
    this.#characters += text.length;
    await Promise.all([this.#share({ identity, expiresAtMs }, own), ...forgotten.map((entry) => this.#unshare(entry))]);
    return { value, expiresAtMs };
  }

  /** @throws OakError `INVALID_API_KEY` or `TOKEN_EXPIRED`. */
  async find(value: string): Promise<Identity> {
    const known = this.#secrets.get(hash(value));
    const secret = known ?? (await this.#shared(value));
    if (secret === undefined)
      throw new OakError("The client secret is not known; get a new one.", { code: "INVALID_API_KEY" });
    if (secret.expiresAtMs <= this.#now())
      throw new OakError("The client secret has expired; get a new one.", { code: "TOKEN_EXPIRED" });
    return "identity" in secret ? secret.identity : (JSON.parse(secret.text) as Identity);
  }

  /** Drops the expired ones, and the owner's oldest for `characters` more. Returns their names in the store. */
  #makeRoom(owner: string, characters: number): string[] {
    const own: [name: string, secret: OwnSecret][] = [];
    for (const entry of this.#secrets) {
      if (entry[1].expiresAtMs <= this.#now()) this.#drop(...entry);
      else if (entry[1].owner === owner) own.push(entry);
    }
    let kept = own.reduce((sum, [, { text }]) => sum + text.length, 0);
    const entries: string[] = [];
    while (own.length >= MOST_PER_OWNER || (own.length > 0 && kept + characters > MOST_CHARACTERS_PER_OWNER)) {
      const [oldest] = own.splice(0, 1);
      if (oldest === undefined) break;
      kept -= oldest[1].text.length;
      this.#drop(...oldest);
      if (oldest[1].entry !== undefined) entries.push(oldest[1].entry);
    }
    if (this.#characters + characters > MOST_CHARACTERS)
      throw tooMany("The client secrets of all keys take too much memory; use shorter sessions or lifetimes.");
    return entries;
  }

  #drop(name: string, { text }: OwnSecret): void {
    if (this.#secrets.delete(name)) this.#characters -= text.length;
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

const nameOf = ({ method, id }: Identity): string => JSON.stringify([method, id]);
const tooMany = (message: string): OakError => new OakError(message, { code: "TOO_MANY_SECRETS" });
const entryOf = ({ name }: Seal): string => `secret:${name}`;
const hash = (value: string): string => createHash("sha256").update(value).digest("base64");
