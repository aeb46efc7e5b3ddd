import { CALL_HZ } from "../../audio/format.ts";
import type { Limits } from "../../config/server-config-schema.ts";
import { TokenBucket } from "../../shared/token-bucket.ts";

/** Sound cards and servers have different clocks: without slack every long call would end in an overrun. */
const CLOCK_SLACK = 1.05;
/** How fast earlier overruns are forgiven, seconds of audio a second. */
const FORGIVENESS = 0.05;

/** Audio in base64. */
const TEXT_BYTES_PER_SECOND = (2 * CALL_HZ * 4) / 3;

/**
 * Limits the bytes of all messages: enough for the allowed audio as text and one more message. A limit of the number of messages
 * is not enough: half a megabyte of brackets takes longer to parse than any audio.
 */
export function messageBytes(
  limits: Pick<Limits, "audio_burst_seconds" | "max_dropped_audio_seconds" | "max_message_bytes">,
  nowMs: number,
): TokenBucket {
  const secondsAtOnce = limits.audio_burst_seconds + limits.max_dropped_audio_seconds;
  const atOnce = secondsAtOnce * TEXT_BYTES_PER_SECOND + limits.max_message_bytes;
  return new TokenBucket(atOnce, 2 * TEXT_BYTES_PER_SECOND, nowMs);
}

export type IntakeVerdict = "accept" | "drop" | "close";

/** Keeps a client's audio from running further ahead of real time than the limits allow. */
export class AudioIntake {
  readonly #ahead: TokenBucket;
  readonly #dropped: TokenBucket;
  #acceptedSamples = 0;

  constructor(limits: Pick<Limits, "audio_burst_seconds" | "max_dropped_audio_seconds">, nowMs: number) {
    this.#ahead = new TokenBucket(limits.audio_burst_seconds * CALL_HZ, CALL_HZ * CLOCK_SLACK, nowMs);
    this.#dropped = new TokenBucket(limits.max_dropped_audio_seconds * CALL_HZ, CALL_HZ * FORGIVENESS, nowMs);
  }

  get acceptedSeconds(): number {
    return this.#acceptedSamples / CALL_HZ;
  }

  offer(samples: number, nowMs: number): IntakeVerdict {
    if (this.#ahead.take(samples, nowMs)) {
      this.#acceptedSamples += samples;
      return "accept";
    }
    return this.#dropped.take(samples, nowMs) ? "drop" : "close";
  }
}
