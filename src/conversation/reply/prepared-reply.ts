import type { ChatMessage } from "../../engines/llm/language-model.ts";
import { GREETING_TURN } from "../turn/machine/turn-state.ts";
import type { LiveReply } from "./live-reply.ts";
import type { SpeculationCounts } from "./speculation-counts.ts";
import { sameConversation } from "./reply-prompt.ts";

/** Limits for replies that are prepared before a turn is over: their number per turn, and the length of the turn. */
const MAX_PREPARED = 3;
const MAX_PREPARED_MS = 10_000;

/** At most one reply that is made before its turn is over. Nothing of it is sent before it is taken. */
export class PreparedReply {
  readonly #counts: SpeculationCounts | undefined;
  readonly #make: (messages: readonly ChatMessage[]) => LiveReply;
  #prepared: { readonly live: LiveReply; readonly messages: readonly ChatMessage[] } | undefined;
  #tries = { turn: GREETING_TURN, count: 0 };

  /** `counts` undefined: no reply is prepared. */
  constructor(counts: SpeculationCounts | undefined, make: (messages: readonly ChatMessage[]) => LiveReply) {
    this.#counts = counts;
    this.#make = make;
  }

  /** False: a turn of this length so far gets no prepared reply. */
  mayPrepare(spokenMs: number): boolean {
    return this.#counts !== undefined && spokenMs <= MAX_PREPARED_MS;
  }

  /**
   * Prepares the reply to this prompt, in the place of one to another prompt. Undefined when it is prepared already, or after a few
   * tries in this turn.
   */
  prepare(turn: number, messages: readonly ChatMessage[]): LiveReply | undefined {
    const counts = this.#counts;
    if (counts === undefined) return undefined;
    if (this.#prepared !== undefined && sameConversation(this.#prepared.messages, messages)) return undefined;
    this.#tries = { turn, count: this.#tries.turn === turn ? this.#tries.count + 1 : 1 };
    if (this.#tries.count > MAX_PREPARED) return undefined;
    this.drop();
    counts.started += 1;
    const live = this.#make(messages);
    this.#prepared = { live, messages };
    return live;
  }

  /** The prepared reply when it has not failed and answers this prompt. It is the caller's from now on. */
  take(messages: readonly ChatMessage[]): LiveReply | undefined {
    const prepared = this.#prepared;
    if (prepared === undefined || prepared.live.reply.failure !== undefined) return undefined;
    if (!sameConversation(prepared.messages, messages)) return undefined;
    this.#prepared = undefined;
    if (this.#counts !== undefined) this.#counts.kept += 1;
    return prepared.live;
  }

  drop(): void {
    const dropped = this.#prepared?.live;
    if (dropped === undefined) return;
    this.#prepared = undefined;
    dropped.scope.abort();
    dropped.scope[Symbol.dispose]();
    const counts = this.#counts;
    if (counts === undefined) return;
    counts.dropped += 1;
    const count = () => (counts.wastedMs += dropped.reply.workMs);
    void dropped.work.then(count, count);
  }
}
