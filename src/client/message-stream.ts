import type { ServerMessage } from "../doors/voice/server-messages.ts";
import { AsyncQueue } from "../shared/async-queue.ts";
import { VoiceError } from "./errors.ts";

/** About a minute of a busy call. */
const MAX_UNREAD = 1_000;

/** Messages for one `for await`. Ends with an error when too many are unread. */
export class MessageStream<Message extends ServerMessage> implements AsyncIterableIterator<Message> {
  readonly #queue = new AsyncQueue<Message>();
  readonly #leave: () => void;
  #ended = false;

  /** @param leave Called once, when the stream ends. */
  constructor(leave: () => void) {
    this.#leave = leave;
  }

  push(message: Message): void {
    if (this.#queue.size < MAX_UNREAD) this.#queue.push(message);
    else this.end(new VoiceError("READER_TOO_SLOW", `${String(MAX_UNREAD)} messages were not read.`, false));
  }

  /** Unread messages can still be read. After them comes the end, or the error. */
  end(error: VoiceError | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#leave();
    this.#queue.end(error === undefined ? {} : { error });
  }

  next(): Promise<IteratorResult<Message, undefined>> {
    return this.#queue.next();
  }

  return(): Promise<IteratorResult<Message, undefined>> {
    this.end(undefined);
    return this.#queue.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
