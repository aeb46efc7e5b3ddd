import type { RequestNumber } from "../events.ts";
import type { ChatMessage } from "../../engines/llm/language-model.ts";
import type { ReplySettings } from "../../config/settings/session-settings.ts";

/** A reply that the client asks for. */
export interface ReplyRequest {
  /** Spoken as it is. The language model is not asked. */
  readonly text?: string | undefined;
  /** Stands beside the newest words, in this prompt only. */
  readonly instructions?: string | undefined;
  /** Takes the place of the conversation in this prompt. */
  readonly messages?: readonly ChatMessage[] | undefined;
  /** A reply without words is not a failure: the goodbye may have come before the call that ends the conversation. */
  readonly mayBeEmpty?: boolean;
  /** False: the reply does not become part of the conversation. */
  readonly isKept?: boolean;
  /** Replaces settings for this reply. */
  readonly settings?: Partial<ReplySettings>;
  /** The caller hears its beginning. */
  readonly heard?: () => void;
}

/** A request that has entered a session. */
export interface OpenRequest extends ReplyRequest {
  readonly number: RequestNumber;
}

/** The open requests of a session. Each enters once and leaves once. */
export class ReplyRequests {
  readonly #open = new Map<RequestNumber, OpenRequest>();
  #last: RequestNumber = 0;

  add(request: ReplyRequest): RequestNumber {
    this.#last += 1;
    this.#open.set(this.#last, { ...request, number: this.#last });
    return this.#last;
  }

  /** @throws When the request is not open. */
  get(number: RequestNumber): OpenRequest {
    const request = this.#open.get(number);
    if (request === undefined) throw new Error(`reply request ${number} is not open`);
    return request;
  }

  has(number: RequestNumber): boolean {
    return this.#open.has(number);
  }

  /** @throws When the request is not open. */
  end(number: RequestNumber): void {
    if (!this.#open.delete(number)) throw new Error(`reply request ${number} is not open`);
  }
}

/** "next": when neither side speaks. "now": the reply under way stops first. */
export type SayWhen = "next" | "now";
