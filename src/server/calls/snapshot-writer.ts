import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Cluster } from "../../cluster/cluster.ts";
import { NOW } from "../../cluster/place-scripts.ts";
import { sealOf, type Seal } from "../../cluster/sealed.ts";
import { defineScript } from "../../cluster/valkey.ts";
import type { SessionEvent } from "../../conversation/events.ts";
import type { Clock } from "../../shared/clock.ts";
import { errorCode } from "../../shared/errors.ts";
import type { Log } from "../../shared/log.ts";
import { Tasks } from "../../shared/tasks.ts";
import { ownerOf, type CallSession } from "./call-session.ts";
import { sealCall, unsealCall, type SharedCall } from "./sealed-snapshot.ts";

/** A change is written after this time, together with those that follow. */
const DEBOUNCE_MS = 500;
/** A snapshot is written again after this time, and its box learns whether another one has taken the call. */
const RENEW_MS = 5_000;
/** Beyond `resume_seconds`, for clients that notice late that a box is dead. */
const GRACE_MS = 60_000;

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

/** Events that change nothing that a snapshot holds. */
const UNCHANGING: ReadonlySet<SessionEvent["type"]> = new Set(["level", "emotion", "overlap-transcript"]);
/** Written at once: without them, another box would do something twice or not at all. */
const URGENT: ReadonlySet<SessionEvent["type"]> = new Set([
  "ready",
  "turn-ended",
  "reply-ended",
  "tool-started",
  "tool-ended",
  "tool-state",
]);

interface Watched {
  readonly call: CallSession;
  /** Its token. */
  seal: Seal | undefined;
  /** The token that resumed it, until the client is known to have the next one. It has a snapshot while `isOpen`. */
  former: { readonly seal: Seal; isOpen: boolean } | undefined;
  /** Tokens that are used up, and whose snapshots are still in the store. */
  readonly stale: Seal[];
  cancelSave: (() => void) | undefined;
  /** Clock time of the next save. */
  dueMs: number;
  isSaving: boolean;
  /** Changed while it was being saved. */
  isDirty: boolean;
  /** Clock time until which a session without a connection waits. */
  untilMs: number;
}

export interface TakenCall {
  readonly call: SharedCall;
  /** Since it was written. */
  readonly ageMs: number;
  putBack(): void;
}

export type Taken = TakenCall | "taken" | undefined;

export interface SharedCallsOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly resumeSeconds: number;
  readonly log: Log;
}

/** Snapshots of this box's calls in the boxes' shared store, encrypted. Without the store nothing is written and nothing fails. */
export class SharedCalls {
  readonly #options: SharedCallsOptions;
  readonly #box = randomUUID();
  readonly #secret: Buffer;
  readonly #keptMs: number;
  readonly #watched = new Map<CallSession, Watched>();
  readonly #tasks: Tasks;

  constructor(options: SharedCallsOptions) {
    const { cluster, resumeSeconds, log } = options;
    this.#options = options;
    this.#secret = cluster.deriveKey("resume");
    this.#keptMs = resumeSeconds * 1000;
    // The cluster has reported a lost store.
    this.#tasks = new Tasks((error) => log.debug({ code: errorCode(error) }, "a snapshot was not written"));
  }

  /** This token is the next one that resumes the call on any box. Written at once, before the client can use it. */
  watch(call: CallSession, token: string): void {
    const watched = this.#watchedOf(call);
    this.#drop(watched);
    watched.seal = this.#sealOf(token, ownerOf(call.identity) ?? "", call.voice);
    watched.untilMs = Infinity;
    this.#save(watched);
  }

  /** This token has resumed the call. No other one does, until `watch`. */
  redeem(call: CallSession, token: string): void {
    const watched = this.#watchedOf(call);
    const own = this.#sealOf(token, ownerOf(call.identity) ?? "", call.voice);
    if (watched.seal?.name !== own.name) this.#drop(watched);
    watched.seal = undefined;
    watched.former = { seal: own, isOpen: false };
  }

  /** The client may not have got the next token: the one that resumed the call does so again, on any box. */
  reopen(call: CallSession): void {
    const watched = this.#watched.get(call);
    if (watched?.former === undefined) return;
    watched.former.isOpen = true;
    this.#save(watched);
  }

  /** The client has the next token. */
  confirm(call: CallSession): void {
    const watched = this.#watched.get(call);
    if (watched?.former === undefined) return;
    const { seal: own, isOpen } = watched.former;
    watched.former = undefined;
    if (!isOpen) return;
    watched.stale.push(own);
    this.#save(watched);
  }

  /** The call has lost its connection. */
  park(call: CallSession): void {
    const watched = this.#watched.get(call);
    if (watched === undefined) return;
    watched.untilMs = this.#options.clock.nowMs() + this.#keptMs;
    this.#save(watched);
  }

  /** Writes the present state before the call closes, because its box stops. Resolves also when the store is lost. */
  async flush(call: CallSession): Promise<void> {
    const watched = this.#watched.get(call);
    if (watched === undefined || !this.#options.cluster.isConnected) return;
    const written = this.#write(watched);
    this.#tasks.own(written);
    await written.catch(() => {});
  }

  /**
   * Takes a call out of the store: only one box gets it. "taken": one has it already. Undefined: none, or the store is lost.
   * @param mayWait False: one attempt is enough, or the client has gone.
   */
  async take(token: string, owner: string, voice: CallSession["voice"], mayWait: () => boolean): Promise<Taken> {
    const { cluster } = this.#options;
    const own = this.#sealOf(token, owner, voice);
    const keys = keysOf(own);
    const lifeMs = this.#keptMs + GRACE_MS;
    let mayHaveMissed = 0;
    for (let attempt = 0; ; attempt += 1) {
      const answer = await cluster.run(TAKE, keys, [this.#box, lifeMs, mayHaveMissed]).catch(() => LOST);
      if (Array.isArray(answer)) {
        const [now, entry] = answer as [number, string];
        const putBack = () => this.#tasks.own(cluster.run(PUT_BACK, keys, [entry, lifeMs]));
        const [written = "", sealed = ""] = entry.split(" ");
        const call = unsealCall(sealed, own);
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

  /** Resolves when all writing has ended. */
  async close(): Promise<void> {
    for (const { cancelSave } of this.#watched.values()) cancelSave?.();
    this.#watched.clear();
    await this.#tasks.settled();
  }

  #sealOf(token: string, owner: string, { config_id, project_id }: CallSession["voice"]): Seal {
    return sealOf(this.#secret, token, [owner, config_id, project_id]);
  }

  #watchedOf(call: CallSession): Watched {
    const known = this.#watched.get(call);
    if (known !== undefined) return known;
    const watched: Watched = {
      call,
      seal: undefined,
      former: undefined,
      stale: [],
      cancelSave: undefined,
      dueMs: Infinity,
      isSaving: false,
      isDirty: false,
      untilMs: Infinity,
    };
    this.#watched.set(call, watched);
    call.onEvent = ({ type }) => {
      if (!UNCHANGING.has(type)) this.#schedule(watched, URGENT.has(type) ? 0 : DEBOUNCE_MS);
    };
    void call.closed.then(() => {
      watched.cancelSave?.();
      this.#watched.delete(call);
      const { seal: own, former, stale } = watched;
      if (call.isOver) for (const each of [own, former?.seal, ...stale]) if (each !== undefined) this.#delete(each);
    });
    return watched;
  }

  /** Its token is used up. */
  #drop(watched: Watched): void {
    if (watched.seal !== undefined) watched.stale.push(watched.seal);
    watched.seal = undefined;
  }

  #schedule(watched: Watched, delayMs: number): void {
    const { clock } = this.#options;
    const dueMs = clock.nowMs() + delayMs;
    if (dueMs >= watched.dueMs || !this.#watched.has(watched.call)) return;
    watched.cancelSave?.();
    watched.dueMs = dueMs;
    watched.cancelSave = clock.after(delayMs, () => this.#save(watched));
  }

  #save(watched: Watched): void {
    watched.cancelSave?.();
    watched.dueMs = Infinity;
    if (watched.isSaving) {
      watched.isDirty = true;
      return;
    }
    this.#schedule(watched, RENEW_MS);
    if (this.#options.cluster.isConnected) this.#tasks.own(this.#saveOnce(watched));
  }

  async #saveOnce(watched: Watched): Promise<void> {
    watched.isSaving = true;
    try {
      await this.#write(watched);
    } finally {
      watched.isSaving = false;
      const { isDirty } = watched;
      watched.isDirty = false;
      if (isDirty && this.#watched.has(watched.call)) this.#save(watched);
    }
  }

  async #write(watched: Watched): Promise<void> {
    const { cluster, clock } = this.#options;
    const { call, seal: own, former } = watched;
    const session = call.snapshot();
    const leftMs = Math.ceil(Math.min(this.#keptMs + GRACE_MS, watched.untilMs - clock.nowMs()));
    if (session === undefined || leftMs < 1) return;
    const { connectionId } = call.place;
    const save = async (to: Seal, shared: SharedCall) => {
      const answer = await cluster.run(SAVE, keysOf(to).slice(0, 2), [this.#box, sealCall(shared, to), leftMs]);
      return answer === "taken" ? to : undefined;
    };
    const writes: Promise<Seal | undefined>[] = [];
    if (own !== undefined) writes.push(save(own, { connectionId, session }));
    if (former?.isOpen === true) writes.push(save(former.seal, { connectionId, session, nothingArrived: true }));
    const taken = (await Promise.all(writes)).find((each) => each !== undefined);
    // The tokens may be others by now.
    if (taken !== undefined && (taken === watched.seal || taken === watched.former?.seal)) {
      call.giveUp();
      for (const other of [watched.seal, watched.former?.seal])
        if (other !== undefined && other !== taken) this.#delete(other);
    }
    for (let used = watched.stale[0]; used !== undefined; used = watched.stale[0]) {
      await cluster.delete(keysOf(used)[0]);
      // The last write, when the box stops, may do the same at the same time.
      if (watched.stale[0] === used) watched.stale.shift();
    }
  }

  #delete(used: Seal): void {
    if (this.#options.cluster.isConnected) this.#tasks.own(this.#options.cluster.delete(keysOf(used)[0]));
  }
}

const LOST = Symbol("the store did not answer");

/** Snapshot, mark and copy. The braces keep them in one slot of a clustered store. */
const keysOf = ({ name }: Seal): [string, string, string] => [
  `resume:{${name}}`,
  `resume:{${name}}:taken`,
  `resume:{${name}}:copy`,
];
