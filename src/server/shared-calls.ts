import { randomUUID } from "node:crypto";
import type { Cluster } from "../cluster/cluster.ts";
import { sealOf, type Seal } from "../cluster/sealed.ts";
import { defineScript } from "../cluster/valkey.ts";
import type { SessionEvent } from "../conversation/events.ts";
import type { Clock } from "../shared/clock.ts";
import { errorCode } from "../shared/errors.ts";
import type { Log } from "../shared/log.ts";
import { Tasks } from "../shared/tasks.ts";
import { ownerOf, type CallSession } from "./call-session.ts";
import { sealCall, unsealCall, type SharedCall } from "./sealed-snapshot.ts";

/** A change is written after this time, together with those that follow. */
const DEBOUNCE_MS = 500;
/** How often each snapshot is renewed, and its box learns whether another one has taken the call. */
const RENEW_MS = 5_000;
/** Beyond `resume_seconds`, for clients that notice late that a box is dead. */
const GRACE_MS = 60_000;

/** KEYS: snapshot, mark. ARGV: box, value, ms. Answers "taken" when another box has the call. */
export const SAVE = defineScript(`
local taker = redis.call('GET', KEYS[2])
if taker and taker ~= ARGV[1] then return 'taken' end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 'saved'`);

/** KEYS: snapshot, mark. ARGV: box, ms. Answers the value once, then "taken" to other boxes, or false when there is none. */
const TAKE = defineScript(`
local value = redis.call('GET', KEYS[1])
if value then
  redis.call('DEL', KEYS[1])
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
  return value
end
local taker = redis.call('GET', KEYS[2])
return taker and taker ~= ARGV[1] and 'taken'`);

/** KEYS: snapshot, mark. ARGV: value, ms. */
const PUT_BACK = defineScript(`
redis.call('DEL', KEYS[2])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])`);

/** Events that change nothing that a snapshot holds. */
const UNCHANGING: ReadonlySet<SessionEvent["type"]> = new Set(["level", "emotion", "overlap-transcript", "tool-state"]);

interface Watched {
  readonly call: CallSession;
  seal: Seal;
  cancelSave: (() => void) | undefined;
  isSaving: boolean;
  /** Changed while it was being saved. */
  isDirty: boolean;
  /** Clock time until which a session without a connection waits. */
  untilMs: number;
}

export type Taken = { readonly call: SharedCall; putBack(): void } | "taken" | undefined;

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
  #cancelRenewal: () => void;

  constructor(options: SharedCallsOptions) {
    const { cluster, resumeSeconds, log } = options;
    this.#options = options;
    this.#secret = cluster.deriveKey("resume");
    this.#keptMs = resumeSeconds * 1000;
    // The cluster has reported a lost store.
    this.#tasks = new Tasks((error) => log.debug({ code: errorCode(error) }, "a snapshot was not written"));
    this.#cancelRenewal = this.#scheduleRenewal();
  }

  /** The token resumes this call on any box. It replaces an earlier one. */
  watch(call: CallSession, token: string): void {
    const before = this.#watched.get(call);
    const own = this.#sealOf(token, ownerOf(call.identity) ?? "", call.voice);
    if (before !== undefined) {
      this.#delete(before);
      before.seal = own;
      before.untilMs = Infinity;
      return this.#change(before);
    }
    const watched: Watched = {
      call,
      seal: own,
      cancelSave: undefined,
      isSaving: false,
      isDirty: false,
      untilMs: Infinity,
    };
    this.#watched.set(call, watched);
    call.onEvent = ({ type }) => {
      if (!UNCHANGING.has(type)) this.#change(watched);
    };
    void call.closed.then(() => {
      watched.cancelSave?.();
      this.#watched.delete(call);
      if (call.isOver) this.#delete(watched);
    });
  }

  /** The call has lost its connection. */
  park(call: CallSession): void {
    const watched = this.#watched.get(call);
    if (watched === undefined) return;
    watched.untilMs = this.#options.clock.nowMs() + this.#keptMs;
    this.#save(watched);
  }

  /** Writes the present state before the call closes, because its box stops. */
  flush(call: CallSession): void {
    const watched = this.#watched.get(call);
    if (watched !== undefined) this.#save(watched);
  }

  /** Takes a call out of the store: only one box gets it. "taken": one has it already. Undefined: none, or the store is lost. */
  async take(token: string, owner: string, voice: CallSession["voice"]): Promise<Taken> {
    const { cluster } = this.#options;
    if (!cluster.isConnected) return undefined;
    const own = this.#sealOf(token, owner, voice);
    const keys = keysOf(own);
    const lifeMs = this.#keptMs + GRACE_MS;
    const answer = await cluster.run(TAKE, keys, [this.#box, lifeMs]).catch(() => undefined);
    if (answer === "taken") return "taken";
    if (typeof answer !== "string") return undefined;
    const putBack = () => this.#tasks.own(cluster.run(PUT_BACK, keys, [answer, lifeMs]));
    const call = unsealCall(answer, own);
    if (call !== undefined) return { call, putBack };
    // A box of another version may read it.
    putBack();
    return undefined;
  }

  /** Resolves when all writing has ended. */
  async close(): Promise<void> {
    this.#cancelRenewal();
    for (const { cancelSave } of this.#watched.values()) cancelSave?.();
    this.#watched.clear();
    await this.#tasks.settled();
  }

  #sealOf(token: string, owner: string, { config_id, project_id }: CallSession["voice"]): Seal {
    return sealOf(this.#secret, token, [owner, config_id, project_id]);
  }

  #scheduleRenewal(): () => void {
    return this.#options.clock.after(RENEW_MS, () => {
      this.#cancelRenewal = this.#scheduleRenewal();
      for (const watched of this.#watched.values()) this.#save(watched);
    });
  }

  #change(watched: Watched): void {
    watched.cancelSave ??= this.#options.clock.after(DEBOUNCE_MS, () => this.#save(watched));
  }

  #save(watched: Watched): void {
    watched.cancelSave?.();
    watched.cancelSave = undefined;
    if (!this.#options.cluster.isConnected) return;
    if (watched.isSaving) watched.isDirty = true;
    else this.#tasks.own(this.#write(watched));
  }

  async #write(watched: Watched): Promise<void> {
    const { cluster, clock } = this.#options;
    const { call, seal: own } = watched;
    const session = call.snapshot();
    const leftMs = Math.min(this.#keptMs + GRACE_MS, watched.untilMs - clock.nowMs());
    if (session === undefined || leftMs < 1) return;
    watched.isSaving = true;
    try {
      const value = sealCall({ connectionId: call.place.connectionId, session }, own);
      const answer = await cluster.run(SAVE, keysOf(own), [this.#box, value, Math.ceil(leftMs)]);
      // The token may be another one by now.
      if (answer === "taken" && watched.seal === own) call.giveUp();
      // A later token has its own snapshot.
      else if (watched.seal !== own) this.#tasks.own(cluster.delete(keysOf(own)[0] ?? ""));
    } finally {
      watched.isSaving = false;
      if (watched.isDirty) this.#change(watched);
      watched.isDirty = false;
    }
  }

  #delete({ seal: own }: Watched): void {
    if (this.#options.cluster.isConnected) this.#tasks.own(this.#options.cluster.delete(keysOf(own)[0] ?? ""));
  }
}

/** The braces keep both in one slot of a clustered store. */
const keysOf = ({ name }: Seal): [string, string] => [`resume:{${name}}`, `resume:{${name}}:taken`];
