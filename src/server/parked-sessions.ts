import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../shared/clock.ts";
import { ownerOf, type CallSession } from "./call-session.ts";
import type { SharedCalls } from "./shared-calls.ts";

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/u;
/** Used and expired tokens that are still known as such. */
const MOST_ENDED = 1_000;

/** Why a token did not resume anything. Only the metrics name `other_owner`. The client gets `unknown` then. */
export const RESUME_REFUSALS = ["expired", "other_configuration", "other_owner", "unknown", "used"] as const;
export type ResumeRefusal = (typeof RESUME_REFUSALS)[number];

export type Found = { readonly call: CallSession } | { readonly refusal: ResumeRefusal };

interface Ticket {
  readonly call: CallSession;
  /** The tokens that resume it, by their hashes. */
  readonly hashes: Set<string>;
  /** The token that resumed it, until its client has sent a message: before that, the new token may not have arrived. */
  redeemed: string | undefined;
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

  /** The session of a token, without using it up. */
  find(token: string, owner: string | undefined, configId: string): Found {
    const hash = isResumeToken(token) ? hashOf(token) : "";
    const ticket = this.#byHash.get(hash);
    if (ticket === undefined) return { refusal: this.#ended.get(hash) ?? "unknown" };
    const { call } = ticket;
    if (owner === undefined || ownerOf(call.identity) !== owner) return { refusal: "other_owner" };
    if (call.voice.config_id !== configId) return { refusal: "other_configuration" };
    return call.canResume ? { call } : { refusal: "expired" };
  }

  /** Uses up the session's tokens. It has a connection again. */
  redeem(call: CallSession, token: string): void {
    const ticket = this.#byCall.get(call) ?? this.#newTicket(call);
    ticket.redeemed = hashOf(token);
    // That of another box was not registered here.
    ticket.hashes.add(ticket.redeemed);
    this.#endTokens(ticket, "used");
    this.#leavePark(ticket);
  }

  /** The client uses its new connection, so it knows the new token. */
  confirm(call: CallSession): void {
    const ticket = this.#byCall.get(call);
    if (ticket !== undefined) ticket.redeemed = undefined;
  }

  /** The session has lost its connection. False: it cannot be resumed. */
  park(call: CallSession): boolean {
    const ticket = this.#byCall.get(call);
    if (ticket === undefined || !call.canResume || this.#isClosed) return false;
    if (ticket.redeemed !== undefined) {
      ticket.hashes.add(ticket.redeemed);
      this.#byHash.set(ticket.redeemed, ticket);
      this.#ended.delete(ticket.redeemed);
    }
    this.#parked.add(ticket);
    ticket.cancelEnd = this.#clock.after(this.#keptMs, () => void call.close({ isOver: false }));
    return true;
  }

  /** Call it when a parked session is detached. */
  share(call: CallSession): void {
    this.#shared?.park(call);
  }

  /** This box stops. Another box can go on with the call. */
  handOver(call: CallSession): void {
    this.#shared?.flush(call);
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
    await Promise.all(this.calls.map((call) => call.close({ isOver: false })));
  }

  #newTicket(call: CallSession): Ticket {
    const ticket: Ticket = { call, hashes: new Set(), redeemed: undefined, cancelEnd: undefined };
    this.#byCall.set(call, ticket);
    void call.closed.then(() => {
      this.#leavePark(ticket);
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
    for (const hash of hashes) {
      this.#byHash.delete(hash);
      this.#ended.set(hash, how);
    }
    hashes.clear();
    for (const [hash] of this.#ended) {
      if (this.#ended.size <= MOST_ENDED) return;
      this.#ended.delete(hash);
    }
  }
}
