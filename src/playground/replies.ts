import { CALL_HZ } from "../audio/format.ts";
import { Emitter } from "../client/emitter.ts";
import type { VoiceClient } from "../client/voice-client.ts";
import { type PlaybackReport } from "./playback-report.ts";
import { SpeakingRate, spokenLength } from "./spoken-text.ts";

/** The server pauses at most 2 s over a cough. A longer silence ends the reply. */
const OVER_AFTER_MS = 2_300;

export interface Reply {
  readonly id: string;
  text: string;
  /** Letters that have been heard. */
  spoken: number;
  isTextOver: boolean;
  /** The rest of the reply is not spoken. */
  isStopped: boolean;
}

/** The events of a call that are used here. */
interface Source {
  readonly client: VoiceClient;
  readonly speaker: { readonly report: PlaybackReport };
  on(name: "report" | "stopped", listener: () => void): void;
}

interface ReplyEvents {
  readonly reply: Reply;
}

/** The replies of a call and how much of each has been heard. */
export class Replies extends Emitter<ReplyEvents> {
  readonly #call: Source;
  readonly #rate = new SpeakingRate();
  #reply: Reply | undefined;
  /** Samples that the loudspeaker had received and played when this reply's speech began. */
  #fromSample: number | undefined;
  #over: ReturnType<typeof setTimeout> | undefined;

  constructor(call: Source) {
    super();
    this.#call = call;
    call.client.on("llm_response_chunk", ({ generation_id, content, is_final }) => {
      if (this.#reply?.id !== generation_id) this.#begin(generation_id);
      const reply = this.#reply;
      if (reply === undefined) return;
      reply.text += content;
      reply.isTextOver = is_final;
      this.#tell();
    });
    call.client.on("speech", () => {
      const { played, buffered } = call.speaker.report;
      this.#fromSample ??= played + buffered;
    });
    call.on("report", () => this.#tell());
    call.on("stopped", () => {
      if (this.#reply === undefined || this.#reply.spoken >= this.#reply.text.length) return;
      this.#reply.isStopped = true;
      this.#tell();
    });
  }

  #begin(id: string): void {
    this.#finish();
    this.#fromSample = undefined;
    this.#reply = { id, text: "", spoken: 0, isTextOver: false, isStopped: false };
  }

  #tell(): void {
    const reply = this.#reply;
    if (reply === undefined) return;
    clearTimeout(this.#over);
    if (!reply.isStopped) {
      reply.spoken = Math.max(
        reply.spoken,
        spokenLength(reply.text, this.#heardSeconds(), this.#rate.lettersPerSecond, false),
      );
      if (reply.isTextOver && !this.#call.speaker.report.isPlaying && this.#fromSample !== undefined)
        this.#over = setTimeout(() => this.#finish(), OVER_AFTER_MS);
    }
    this.emit("reply", reply);
  }

  #finish(): void {
    clearTimeout(this.#over);
    const reply = this.#reply;
    if (reply === undefined || reply.isStopped || !reply.isTextOver) return;
    // A reply without speech was dropped before it could be heard, or its synthesis failed.
    if (this.#fromSample === undefined) reply.isStopped = true;
    else {
      this.#rate.learn(reply.text.length, this.#heardSeconds());
      reply.spoken = reply.text.length;
    }
    this.emit("reply", reply);
  }

  #heardSeconds(): number {
    return this.#fromSample === undefined ? 0 : (this.#call.speaker.report.played - this.#fromSample) / CALL_HZ;
  }
}
