import type { Cluster } from "../../cluster/cluster.ts";
import { sealOf, type Seal } from "../../cluster/sealed.ts";
import type { SessionEvent } from "../../conversation/events.ts";
import type { Clock } from "../../shared/clock.ts";
import { errorCode } from "../../shared/errors.ts";
import type { Log } from "../../shared/log.ts";
import { Tasks } from "../../shared/tasks.ts";
import { ownerOf, type CallSession } from "./call-session.ts";
import type { SharedCall } from "./sealed-snapshot.ts";
import { SnapshotStore, type Taken } from "./snapshot-store.ts";

/** A change is written after this time, together with those that follow. */
const DEBOUNCE_MS = 500;
/** A snapshot is written again after this time, and its box learns whether another one has taken the call. */
const RENEW_MS = 5_000;
/** Beyond `resume_seconds`, for clients that notice late that a box is dead. */
const GRACE_MS = 60_000;

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

export interface SharedCallsOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly resumeSeconds: number;
  readonly log: Log;
}

/** Snapshots of this box's calls in the boxes' shared store, encrypted. Without the store nothing is written and nothing fails. */
export class SharedCalls {
  readonly #options: SharedCallsOptions;
  readonly #store: SnapshotStore;
  readonly #secret: Buffer;
  readonly #keptMs: number;
  readonly #watched = new Map<CallSession, Watched>();
  readonly #tasks: Tasks;

  constructor(options: SharedCallsOptions) {
    const { cluster, resumeSeconds, log } = options;
    this.#options = options;
    this.#secret = cluster.deriveKey("resume");
    this.#keptMs = resumeSeconds * 1000;
    this.#store = new SnapshotStore(cluster, this.#keptMs + GRACE_MS, (work) => this.#tasks.own(work));
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

  /** See `SnapshotStore.take`. */
  take(token: string, owner: string, voice: CallSession["voice"], mayWait: () => boolean): Promise<Taken> {
    return this.#store.take(this.#sealOf(token, owner, voice), mayWait);
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
    const { clock } = this.#options;
    const { call, seal: own, former } = watched;
    const session = call.snapshot();
    const leftMs = Math.ceil(Math.min(this.#keptMs + GRACE_MS, watched.untilMs - clock.nowMs()));
    if (session === undefined || leftMs < 1) return;
    const { connectionId } = call.place;
    const save = async (to: Seal, shared: SharedCall) =>
      (await this.#store.save(shared, to, leftMs)) === "taken" ? to : undefined;
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
      await this.#store.delete(used);
      // The last write, when the box stops, may do the same at the same time.
      if (watched.stale[0] === used) watched.stale.shift();
    }
  }

  #delete(used: Seal): void {
    if (this.#options.cluster.isConnected) this.#tasks.own(this.#store.delete(used));
  }
}
