import type { TurnEvent } from "../turn/machine/turn-state.ts";
import type { Emit, RequestEnd, RequestNumber } from "../events.ts";
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
  /** The reply is beside the conversation and does not become part of it. */
  readonly isSide?: boolean;
  /** Replaces settings for this reply. */
  readonly settings?: Partial<ReplySettings>;
  /** The caller hears its beginning. */
  readonly heard?: () => void;
}

/** A request that has entered a session. */
export interface OpenRequest extends ReplyRequest {
  readonly number: RequestNumber;
}

export interface ReplyRequestsOptions {
  /** Runs a step when the audio that was received before it has been heard. */
  readonly whenHeard: (step: () => void) => void;
  /** Tells the turn machine. */
  readonly ask: (event: TurnEvent & { type: "respond" }) => void;
  readonly emit: Emit;
}

/** The open requests of a session. Each enters once and leaves once. The turn machine decides when each is carried out. */
export class ReplyRequests {
  readonly #options: ReplyRequestsOptions;
  readonly #open = new Map<RequestNumber, OpenRequest>();
  #last: RequestNumber = 0;
  /** The client's request, until the audio before it is heard. The turn machine knows every other open one. */
  #unheard: RequestNumber | undefined;

  constructor(options: ReplyRequestsOptions) {
    this.#options = options;
  }

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

  /** A request that waits for nothing. */
  ask(request: ReplyRequest): void {
    this.#ask(this.add(request));
  }

  /** The client's request. A turn that the client has just ended comes first. @returns The number while it is open. */
  askWhenHeard(request: ReplyRequest): RequestNumber | undefined {
    this.endUnheard("superseded");
    const number = this.add(request);
    this.#unheard = number;
    this.#options.whenHeard(() => {
      if (this.#unheard !== number) return;
      this.#unheard = undefined;
      this.#ask(number);
    });
    return this.#open.has(number) ? number : undefined;
  }

  get isUnheard(): boolean {
    return this.#unheard !== undefined;
  }

  endUnheard(how: RequestEnd): void {
    const number = this.#unheard;
    this.#unheard = undefined;
    if (number !== undefined) this.end(number, how);
  }

  /** @throws When the request is not open. */
  end(request: RequestNumber, how: RequestEnd): void {
    this.get(request);
    this.#open.delete(request);
    this.#options.emit({ type: "request-ended", request, how });
  }

  #ask(request: RequestNumber): void {
    const isSide = this.get(request).isSide === true;
    this.#options.ask({ type: "respond", request, ...(isSide ? { isSide: true } : {}) });
  }
}

/** "next": when neither side speaks. "now": the reply under way stops first. */
export type SayWhen = "next" | "now";
