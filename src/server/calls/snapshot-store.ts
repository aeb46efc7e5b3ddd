import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster } from "../../cluster/cluster.ts";
import { NOW } from "../../cluster/place-scripts.ts";
import type { Seal } from "../../cluster/sealed.ts";
import { defineScript } from "../../cluster/valkey.ts";
import { sealCall, unsealCall, type SharedCall } from "./sealed-snapshot.ts";

const RETRY_MS = 100;
/** Further attempts to take a call. `lost`: the store may be back soon. */
const RETRIES = {
  /** The box that has it may be writing it. */
  none: 2,
  /** The client got no answer of the box that took it, and that box is about to notice it. */
  taken: 15,
  lost: 50,
} as const;

/** KEYS: snapshot, mark. ARGV: box, value, ms. Answers "taken" when another box has the call. An entry is the time and the value. */
export const SAVE = defineScript(`${NOW}
local taker = redis.call('GET', KEYS[2])
if taker and taker ~= ARGV[1] then return 'taken' end
redis.call('SET', KEYS[1], now .. ' ' .. ARGV[2], 'PX', ARGV[3])
return 'saved'`);

/** How long an entry that was taken is kept for a box that did not get the answer. */
const COPY_MS = 10_000;

/**
 * KEYS: snapshot, mark, copy. ARGV: box, ms, 1 when this box may have missed an answer. Answers the time and the entry once, then
 * "taken" to other boxes, or false when there is none.
 */
const TAKE = defineScript(`${NOW}
local entry = redis.call('GET', KEYS[1])
if entry then
  redis.call('DEL', KEYS[1])
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
  redis.call('SET', KEYS[3], entry, 'PX', ${String(COPY_MS)})
  return { now, entry }
end
local taker = redis.call('GET', KEYS[2])
if taker and taker ~= ARGV[1] then return 'taken' end
local copy = taker and ARGV[3] == '1' and redis.call('GET', KEYS[3])
return copy and { now, copy }`);

/** KEYS: snapshot, mark, copy. ARGV: entry, ms. */
const PUT_BACK = defineScript(`
redis.call('DEL', KEYS[2], KEYS[3])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`);

export interface TakenCall {
  readonly call: SharedCall;
  /** Since it was written. */
  readonly ageMs: number;
  putBack(): void;
}

export type Taken = TakenCall | "taken" | undefined;

/** Snapshots of calls in the boxes' shared store. One box at most gets each of them. */
export class SnapshotStore {
  readonly #cluster: Cluster;
  readonly #box = randomUUID();
  readonly #lifeMs: number;
  readonly #own: (work: Promise<unknown>) => void;

  /** @param lifeMs How long a snapshot that was taken, or put back, is kept. @param own Runs work that nothing waits for. */
  constructor(cluster: Cluster, lifeMs: number, own: (work: Promise<unknown>) => void) {
    this.#cluster = cluster;
    this.#lifeMs = lifeMs;
    this.#own = own;
  }

  /** "taken": another box has the call, and nothing was written. */
  async save(call: SharedCall, seal: Seal, lifeMs: number): Promise<"saved" | "taken"> {
    const answer = await this.#cluster.run(SAVE, keysOf(seal).slice(0, 2), [this.#box, sealCall(call, seal), lifeMs]);
    return answer === "taken" ? "taken" : "saved";
  }

  delete(seal: Seal): Promise<unknown> {
    return this.#cluster.delete(keysOf(seal)[0]);
  }

  /**
   * Takes a call out of the store: only one box gets it. "taken": one has it already. Undefined: none, or the store is lost.
   * @param mayWait False: one attempt is enough, or the client has gone.
   */
  async take(seal: Seal, mayWait: () => boolean): Promise<Taken> {
    const cluster = this.#cluster;
    const lifeMs = this.#lifeMs;
    const keys = keysOf(seal);
    let mayHaveMissed = 0;
    for (let attempt = 0; ; attempt += 1) {
      const answer = await cluster.run(TAKE, keys, [this.#box, lifeMs, mayHaveMissed]).catch(() => LOST);
      if (Array.isArray(answer)) {
        const [now, entry] = answer as [number, string];
        const putBack = () => this.#own(cluster.run(PUT_BACK, keys, [entry, lifeMs]));
        const [written = "", sealed = ""] = entry.split(" ");
        const call = unsealCall(sealed, seal);
        if (call !== undefined) return { call, ageMs: now - Number(written), putBack };
        // A box of another version may read it.
        putBack();
        return undefined;
      }
      if (answer === LOST) mayHaveMissed = 1;
      const retries = answer === LOST ? RETRIES.lost : answer === "taken" ? RETRIES.taken : RETRIES.none;
      if (attempt >= retries || !mayWait()) return answer === "taken" ? "taken" : undefined;
      await sleep(RETRY_MS);
    }
  }
}

const LOST = Symbol("the store did not answer");

/** Snapshot, mark and copy. The braces keep them in one slot of a clustered store. */
const keysOf = ({ name }: Seal): [string, string, string] => [
  `resume:{${name}}`,
  `resume:{${name}}:taken`,
  `resume:{${name}}:copy`,
];
