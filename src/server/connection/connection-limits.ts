import type { Limits } from "../../config/server-config-schema.ts";
import type { FatalErrorCode } from "../../doors/fatal-errors.ts";
import { TokenBucket } from "../../shared/token-bucket.ts";
import { AudioIntake, messageBytes } from "./audio-intake.ts";

/** A ping or pong counts as this many messages. Six bytes of it take a turn of the event loop, and clients send few. */
const CONTROL_FRAME_COST = 10;

/** Why a connection ends: the code and a sentence for the client. */
export type Breach = readonly [code: FatalErrorCode, message: string];

/** The rates of one connection. */
export class ConnectionLimits {
  readonly #limits: Limits;
  readonly #messages: TokenBucket;
  readonly #bytes: TokenBucket;
  readonly #audio: AudioIntake;

  constructor(limits: Limits, nowMs: number) {
    this.#limits = limits;
    this.#messages = new TokenBucket(2 * limits.max_messages_per_second, limits.max_messages_per_second, nowMs);
    this.#bytes = messageBytes(limits, nowMs);
    this.#audio = new AudioIntake(limits, nowMs);
  }

  /** Seconds of audio that were accepted. */
  get acceptedSeconds(): number {
    return this.#audio.acceptedSeconds;
  }

  /** Counts a message of this many bytes. */
  takeMessage(bytes: number, nowMs: number): Breach | undefined {
    if (this.#bytes.take(bytes, nowMs)) return this.#count(1, nowMs);
    const message =
      "The messages have more than twice the bytes of base64 audio in real time. Send audio in real time.";
    return ["MESSAGE_RATE_EXCEEDED", message];
  }

  /** Counts a ping or a pong. */
  takeControlFrame(nowMs: number): Breach | undefined {
    return this.#count(CONTROL_FRAME_COST, nowMs);
  }

  #count(cost: number, nowMs: number): Breach | undefined {
    if (this.#messages.take(cost, nowMs)) return undefined;
    const limit = this.#limits.max_messages_per_second;
    const advice = "send audio in chunks of 100 to 200 ms";
    return ["MESSAGE_RATE_EXCEEDED", `More than ${limit} messages, pings and pongs a second; ${advice}.`];
  }

  /** `tooFast` is the sentence for a verdict other than "accept". */
  offerAudio(
    samples: number,
    nowMs: number,
  ): { readonly verdict: "accept" | "drop" | "close"; readonly tooFast: string } {
    const tooFast = `Audio came faster than real time by more than ${this.#limits.audio_burst_seconds} s.`;
    return { verdict: this.#audio.offer(samples, nowMs), tooFast };
  }

  /** A frame breaks the protocol. `closeCode`: the one that RFC 6455 has for it. */
  breachOf(closeCode: number): Breach {
    const most = this.#limits.max_message_bytes;
    if (closeCode === 1009) return ["MESSAGE_TOO_LARGE", `A message may have at most ${most} bytes.`];
    if (closeCode === 1007) return ["INVALID_TEXT", "A text message must be UTF-8."];
    if (closeCode === 1008) return ["TOO_MANY_FRAGMENTS", "A message has too many fragments; send it whole."];
    return ["PROTOCOL_ERROR", "A frame breaks the WebSocket protocol (RFC 6455)."];
  }
}
