import { cutBack, type CutReply, type LostPart } from "./cut-back.ts";
import type { LiveReply } from "./live-reply.ts";
import type { ReplyRequest } from "./reply-requests.ts";
import type { Arrived, SentSpeech } from "./speech/sent-speech.ts";
import { replyKey, type History } from "./text/history.ts";

export interface Recovery {
  readonly cut: CutReply | undefined;
  readonly owesReply: boolean;
  /** The reply that is owed. Undefined: the conversation's own answer. */
  readonly request: ReplyRequest | undefined;
  /** An answer is owed after it. */
  readonly delaysAnswer: boolean;
}

/** The reply that was cut by the loss of the connection. */
export class LostReply {
  #part: LostPart | undefined;
  #request: ReplyRequest | undefined;

  /** The connection is lost while the caller hears the reply. */
  lose(reply: LiveReply | undefined): void {
    this.#part = reply === undefined || reply.isSide ? undefined : partOf(reply);
    this.#request = reply?.request;
  }

  /** For a snapshot, in which an audible reply counts as lost. */
  snapshot(audible: LiveReply | undefined): LostPart | undefined {
    return audible === undefined ? this.#part : partOf(audible);
  }

  restore(part: LostPart | undefined): void {
    this.#part = part;
    this.#request = undefined;
  }

  /**
   * Corrects the history to the speech that the caller heard over the lost connection. The next reply is the rest, or the lost
   * reply again.
   */
  recover(
    history: History,
    sent: SentSpeech,
    arrived: Arrived,
    nowMs: number,
    keepsDot: (before: string) => boolean,
  ): Recovery {
    const lost = this.#part;
    this.#part = undefined;
    const heardMs = sent.heardMs(arrived, nowMs);
    sent.clear();
    const { cut, rest, again } = cutBack({ history, heardMs, lost, keepsDot });
    const request = rest !== "" ? { text: rest } : again ? this.#request : undefined;
    return { cut, owesReply: rest !== "" || again, request, delaysAnswer: rest !== "" && again };
  }
}

const partOf = ({ number, reply }: LiveReply): LostPart => ({
  key: replyKey(number),
  isWritten: reply.isWritten,
  hasCalls: reply.calls.length > 0,
});
