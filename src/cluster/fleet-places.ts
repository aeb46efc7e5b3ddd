import { createHmac, randomUUID } from "node:crypto";
import type { Clock } from "../shared/clock.ts";
import { OakError } from "../shared/errors.ts";
import { Tasks } from "../shared/tasks.ts";
import type { Cluster } from "./cluster.ts";
import { passOverLoss } from "./pass-over-loss.ts";
import { CLAIM, RELEASE, RENEW } from "./place-scripts.ts";

/** A box that was killed keeps its ids and places for this long. */
const LEASE_MS = 15_000;
/** A lease survives two renewals that fail. */
const RENEWALS = 3;
/** Leases of one script, so that other commands of the store do not wait. */
const LEASES_AT_ONCE = 100;

export interface PlaceRequest {
  readonly connectionId: string;
  /** The API key or token subject. */
  readonly key: string;
  /** Connections of the key over all boxes; undefined: no limit. */
  readonly mostOfKey: number | undefined;
  /** An earlier connection that this one continues: its id and place are given up. */
  readonly replaces?: string;
}

export interface PlaceLease {
  release(): void;
}

interface Lease {
  readonly idKey: string;
  readonly member: string;
  /** Undefined for a key without a limit. */
  readonly quotaKey: string | undefined;
}

export interface FleetPlacesOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly leaseMs?: number;
}

/**
 * Connection ids and connections per key, over all boxes: leases in the shared store, renewed while this box lives. While the
 * store is lost, a box applies its own rules alone; its calls get their leases when the store is back.
 */
export class FleetPlaces {
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #box = randomUUID();
  readonly #hashKey: Buffer;
  readonly #leases = new Set<Lease>();
  /** A failed command was reported by the cluster. Leases of a failed release expire. */
  readonly #tasks = new Tasks(passOverLoss);
  #cancelRenewal: () => void;
  #isClosed = false;

  constructor({ cluster, clock, leaseMs = LEASE_MS }: FleetPlacesOptions) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#hashKey = cluster.deriveKey("connection ids and keys");
    this.#cancelRenewal = this.#scheduleRenewal();
  }

  /** @throws OakError `CONNECTION_ID_IN_USE` or `KEY_CONNECTIONS_EXCEEDED`. Not while the store is lost. */
  async claim({ connectionId, key, mostOfKey, replaces }: PlaceRequest): Promise<PlaceLease> {
    const member = this.#hash(connectionId);
    const lease = {
      idKey: `id:${member}`,
      member,
      quotaKey: mostOfKey === undefined ? undefined : `key:${this.#hash(key)}`,
    };
    const replaced = replaces === undefined ? "" : this.#hash(replaces);
    const keys = [...keysOf(lease), `id:${replaced}`];
    const args = [this.#box, this.#leaseMs, member, mostOfKey ?? 0, replaced];
    const answer = await this.#cluster.run(CLAIM, keys, args).catch(passOverLoss);
    if (answer === "id") {
      throw new OakError("A connection with this connection_id is open on another server; use a fresh UUID.", {
        code: "CONNECTION_ID_IN_USE",
      });
    }
    if (answer === "key") {
      const message = `This key has reached its limit of ${String(mostOfKey)} open connections. Close one first.`;
      throw new OakError(message, { code: "KEY_CONNECTIONS_EXCEEDED" });
    }
    this.#leases.add(lease);
    return { release: () => this.#release(lease) };
  }

  /** Resolves when the released leases are gone, or the store did not answer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRenewal();
    await this.#tasks.settled();
  }

  #release(lease: Lease): void {
    if (!this.#leases.delete(lease)) return;
    this.#tasks.own(this.#cluster.run(RELEASE, keysOf(lease), [this.#box, quotaMember(lease)]));
  }

  #scheduleRenewal(): () => void {
    return this.#clock.after(this.#leaseMs / RENEWALS, () => {
      this.#tasks.own(
        this.#renew().finally(() => {
          if (!this.#isClosed) this.#cancelRenewal = this.#scheduleRenewal();
        }),
      );
    });
  }

  async #renew(): Promise<void> {
    const leases = [...this.#leases];
    for (let start = 0; start < leases.length; start += LEASES_AT_ONCE) {
      // Those that ended meanwhile must not come back.
      const batch = leases.slice(start, start + LEASES_AT_ONCE).filter((lease) => this.#leases.has(lease));
      const args = [this.#box, this.#leaseMs, ...batch.map(quotaMember)];
      // One batch after the other: a long queue would delay the commands of new calls.
      await this.#cluster.run(RENEW, batch.flatMap(keysOf), args);
    }
  }

  /** The store sees no id of a caller or a key. */
  #hash(text: string): string {
    return createHmac("sha256", this.#hashKey).update(text).digest("base64url").slice(0, 22);
  }
}

/** A lease without a quota has its id's key twice, and no member. */
const keysOf = ({ idKey, quotaKey = idKey }: Lease): string[] => [idKey, quotaKey];
const quotaMember = ({ member, quotaKey }: Lease): string => (quotaKey === undefined ? "" : member);
