import { bytesPerMs, WireEncoder, type WireFormat } from "../../audio/wire-audio.ts";
import type { CallCommand } from "./call-protocol.ts";

/** Marks that the telephone system has not answered. It plays less than half a second ahead: a few chunks. */
const MOST_MARKS = 64;

interface Heard {
  readonly reply: number;
  readonly playedMs: number;
}

/** Sends replies in the format of the call, with a mark after each chunk, and knows what each mark means. */
export class OutgoingSpeech {
  readonly #format: WireFormat;
  readonly #frameBytes: number;
  readonly #send: (command: CallCommand) => void;
  readonly #marks = new Map<string, Heard>();
  #encoder: WireEncoder;
  /** The start of a frame whose end is not known yet. */
  #rest: Uint8Array = new Uint8Array(0);
  #reply: number | undefined;
  #sentBytes = 0;
  #markCount = 0;

  constructor(format: WireFormat, frameBytes: number, send: (command: CallCommand) => void) {
    this.#format = format;
    this.#frameBytes = frameBytes;
    this.#send = send;
    this.#encoder = new WireEncoder(format);
  }

  /** Sends whole frames. The rest waits for the next chunk; a reply ends with silence, so its last rest may be lost. */
  say(reply: number, pcm: Int16Array): void {
    if (reply !== this.#reply) this.#begin(reply);
    const bytes = Buffer.concat([this.#rest, this.#encoder.encode(pcm)]);
    const whole = bytes.length - (bytes.length % this.#frameBytes);
    this.#rest = bytes.subarray(whole);
    if (whole === 0) return;
    this.#send({ type: "audio", bytes: bytes.subarray(0, whole) });
    this.#sentBytes += whole;
    this.#mark(reply);
  }

  /** The heard position that this mark stands for. Undefined for marks of flushed speech and unknown marks. */
  played(name: string): Heard | undefined {
    const heard = this.#marks.get(name);
    this.#marks.delete(name);
    return heard;
  }

  /** Drops the speech that is not played. */
  flush(): void {
    this.#marks.clear();
    this.#reply = undefined;
    this.#send({ type: "flush" });
  }

  #begin(reply: number): void {
    this.#reply = reply;
    this.#encoder = new WireEncoder(this.#format);
    this.#rest = new Uint8Array(0);
    this.#sentBytes = 0;
  }

  #mark(reply: number): void {
    const name = String((this.#markCount += 1));
    this.#marks.set(name, { reply, playedMs: this.#sentBytes / bytesPerMs(this.#format) });
    const [oldest] = this.#marks.keys();
    if (this.#marks.size > MOST_MARKS && oldest !== undefined) this.#marks.delete(oldest);
    this.#send({ type: "mark", name });
  }
}
