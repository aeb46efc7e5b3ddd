import type { ServerMessage } from "../doors/voice/server-messages.ts";
import { VoiceError } from "./errors.ts";

/** About a minute of a busy call. */
const MOST_UNREAD = 1_000;

/** Messages for one `for await`. Up to a thousand unread messages wait. */
export class MessageStream<Message extends ServerMessage> implements AsyncIterableIterator<Message> {
  readonly #unread: Message[] = [];
  readonly #leave: () => void;
  #end: { readonly error: VoiceError | undefined } | undefined;
  /** Pending calls of `next()`, in order. */
  readonly #asking: {
    // Methods instead of properties, so that a stream of some message types is assignable to a stream of all.
    resolve(result: IteratorResult<Message, undefined>): void;
    reject(error: VoiceError): void;
  }[] = [];

  /** @param leave Called once when the reader stops. */
  constructor(leave: () => void) {
    this.#leave = leave;
  }

  push(message: Message): void {
    if (this.#end !== undefined) return;
    const first = this.#asking.shift();
    if (first !== undefined) first.resolve({ done: false, value: message });
    else if (this.#unread.length < MOST_UNREAD) this.#unread.push(message);
    else this.end(new VoiceError("READER_TOO_SLOW", `${String(MOST_UNREAD)} messages were not read.`, false));
  }

  /** Unread messages are still delivered, then the end or the error. */
  end(error: VoiceError | undefined): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    this.#leave();
    for (const asker of this.#asking.splice(0))
      if (error === undefined) asker.resolve({ done: true, value: undefined });
      else asker.reject(error);
  }

  async next(): Promise<IteratorResult<Message, undefined>> {
    const value = this.#unread.shift();
    if (value !== undefined) return { done: false, value };
    if (this.#end?.error !== undefined) throw this.#end.error;
    if (this.#end !== undefined) return { done: true, value: undefined };
    return new Promise((resolve, reject) => this.#asking.push({ resolve, reject }));
  }

  return(): Promise<IteratorResult<Message, undefined>> {
    this.#unread.length = 0;
    this.end(undefined);
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
