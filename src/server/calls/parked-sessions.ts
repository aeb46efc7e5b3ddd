import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../shared/clock.ts";
import { ownerOf, type CallSession } from "./call-session.ts";
import type { SharedCalls } from "./snapshot-writer.ts";

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/u;
/** Used and expired tokens that are still known as such. */
const MOST_ENDED = 1_000;

/** Why a token did not resume anything. Only the metrics name `other_owner`. The client gets `unknown` then. */
export const RESUME_REFUSALS = ["expired", "other_configuration", "other_owner", "unknown", "used"] as const;
export type ResumeRefusal = (typeof RESUME_REFUSALS)[number];

/** `nothingArrived`: the client got no answer when it used the token before. */
export type Found =
  { readonly call: CallSession; readonly nothingArrived: boolean } | { readonly refusal: ResumeRefusal };

/** A client that got no answer over its new connection may use its token again after this time, or when that connection is lost. */
const UNANSWERED_MS = 1_000;

/** A token that has resumed a session, whose client has not sent a message since: it may not have the next token. */
interface Redeemed {
  readonly hash: string;
  /** The token works again. */
  isOpen: boolean;
  /** Resolves when it is known whether the token works again. Undefined: it is known. */
  decided: Promise<void> | undefined;
  decide(): void;
}

interface Ticket {
  readonly call: CallSession;
  /** The tokens that resume it, by their hashes. */
  readonly hashes: Set<string>;
  redeemed: Redeemed | undefined;
  /** Undefined while it has a connection. */
  cancelEnd: (() => void) | undefined;
}

/** A one-time token, 256 random bits. */
export const createResumeToken = (): string => randomBytes(TOKEN_BYTES).toString("base64url");

export const isResumeToken = (text: string): boolean => TOKEN.test(text);

const hashOf = (token: string): string => createHash("sha256").update(token).digest("base64");

/** Sessions that can be resumed: those with a connection, and those that lost it. Only hashes of their tokens are kept, in memory. */
export class ParkedSessions {
  readonly #keptMs: number;
  readonly #clock: Clock;
  readonly #byHash = new Map<string, Ticket>();
  readonly #byCall = new Map<CallSession, Ticket>();
  /** Sessions without a connection, the oldest first. */
  readonly #parked = new Set<Ticket>();
  readonly #ended = new Map<string, "expired" | "used">();
  #isClosed = false;

  readonly #shared: SharedCalls | undefined;

  /** @param shared Absent: this box alone. */
  constructor(seconds: number, clock: Clock, shared?: SharedCalls) {
    this.#shared = shared;
    this.#keptMs = seconds * 1000;
    this.#clock = clock;
  }

  get size(): number {
    return this.#parked.size;
  }

  get calls(): readonly CallSession[] {
    return Array.from(this.#parked, ({ call }) => call);
  }

  /** The session may be resumed with this token. */
  register(call: CallSession, token: string): void {
    const ticket = this.#byCall.get(call) ?? this.#newTicket(call);
    ticket.hashes.add(hashOf(token));
    this.#byHash.set(hashOf(token), ticket);
    this.#shared?.watch(call, token);
  }

  /** The token is one of a session, also while its connection seems to be open. */
  knows(token: string): boolean {
    return isResumeToken(token) && this.#byHash.has(hashOf(token));
  }

  /** The session of a token, without using it up. */
  find(token: string, owner: string | undefined, configId: string): Found {
    const hash = isResumeToken(token) ? hashOf(token) : "";
    const ticket = this.#byHash.get(hash);
    if (ticket === undefined) return { refusal: this.#ended.get(hash) ?? "unknown" };
    const { call } = ticket;
    if (owner === undefined || ownerOf(call.identity) !== owner) return { refusal: "other_owner" };
    if (call.voice.config_id !== configId) return { refusal: "other_configuration" };
    if (!call.canResume) return { refusal: "expired" };
    if (ticket.redeemed?.hash !== hash) return { call, nothingArrived: false };
    return ticket.redeemed.isOpen ? { call, nothingArrived: true } : { refusal: "used" };
  }

  /** Resolves when it is known whether a token that was just used works again. Undefined: it is known. */
  decided(token: string): Promise<void> | undefined {
    const hash = hashOf(token);
    const redeemed = this.#byHash.get(hash)?.redeemed;
    return redeemed?.hash === hash ? redeemed.decided : undefined;
  }

  /** Uses up the session's tokens. It has a connection again. The token works again when that connection brings nothing. */
  redeem(call: CallSession, token: string): void {
    const ticket = this.#byCall.get(call) ?? this.#newTicket(call);
    ticket.redeemed?.decide();
    this.#endTokens(ticket, "used");
    this.#leavePark(ticket);
    const hash = hashOf(token);
    let resolve!: () => void;
    const decided = new Promise<void>((settle) => (resolve = settle));
    const cancel = this.#clock.after(UNANSWERED_MS, () => this.#reopen(ticket));
    const redeemed: Redeemed = {
      hash,
      isOpen: false,
      decided,
      decide() {
        cancel();
        redeemed.decided = undefined;
        resolve();
      },
    };
    ticket.redeemed = redeemed;
    ticket.hashes.add(hash);
    this.#ended.delete(hash);
    this.#byHash.set(hash, ticket);
    this.#shared?.redeem(call, token);
  }

  /** The new connection reached the client. The client may still lose it before it has stored the new token. */
  answered(call: CallSession): void {
    this.#byCall.get(call)?.redeemed?.decide();
  }

  /** The client uses its new connection, so it knows the new token. */
  confirm(call: CallSession): void {
    const ticket = this.#byCall.get(call);
    if (ticket?.redeemed === undefined) return;
    const { redeemed } = ticket;
    ticket.redeemed = undefined;
    ticket.hashes.delete(redeemed.hash);
    this.#end(redeemed.hash, "used");
    redeemed.decide();
    this.#shared?.confirm(call);
  }

  #reopen({ call, redeemed }: Ticket): void {
    if (redeemed === undefined) return;
    redeemed.isOpen = true;
    redeemed.decide();
    this.#shared?.reopen(call);
  }

  /** The session has lost its connection. False: it cannot be resumed. */
  park(call: CallSession): boolean {
    const ticket = this.#byCall.get(call);
    if (ticket === undefined || !call.canResume || this.#isClosed) return false;
    this.#reopen(ticket);
    this.#parked.add(ticket);
    ticket.cancelEnd = this.#clock.after(this.#keptMs, () => void call.close({ isOver: false }));
    return true;
  }

  /** Call it when a parked session is detached. */
  share(call: CallSession): void {
    this.#shared?.park(call);
  }

  /** This box stops. Another box can go on with the call. */
  async handOver(call: CallSession): Promise<void> {
    await this.#shared?.flush(call);
  }

  /** Closes the session that has waited longest, of one owner or of all. False when none waits. */
  async evict(owner?: string): Promise<boolean> {
    const oldest = this.calls.find(({ identity }) => owner === undefined || ownerOf(identity) === owner);
    await oldest?.close({ isOver: false });
    return oldest !== undefined;
  }

  /** Closes all sessions without a connection, and takes no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(
      this.calls.map(async (call) => {
        await this.handOver(call);
        await call.close({ isOver: false });
      }),
    );
  }

  #newTicket(call: CallSession): Ticket {
    const ticket: Ticket = { call, hashes: new Set(), redeemed: undefined, cancelEnd: undefined };
    this.#byCall.set(call, ticket);
    void call.closed.then(() => {
      this.#leavePark(ticket);
      ticket.redeemed?.decide();
      this.#endTokens(ticket, "expired");
      this.#byCall.delete(call);
    });
    return ticket;
  }

  #leavePark(ticket: Ticket): void {
    ticket.cancelEnd?.();
    ticket.cancelEnd = undefined;
    this.#parked.delete(ticket);
  }

  #endTokens({ hashes }: Ticket, how: "expired" | "used"): void {
    for (const hash of hashes) this.#end(hash, how);
    hashes.clear();
  }

  #end(hash: string, how: "expired" | "used"): void {
    this.#byHash.delete(hash);
    this.#ended.set(hash, how);
    const [oldest] = this.#ended;
    if (this.#ended.size > MOST_ENDED && oldest !== undefined) this.#ended.delete(oldest[0]);
  }
}
