import { CALL_HZ, MODEL_HZ } from "../../audio/format.ts";
import { int16ToFloat } from "../../audio/pcm16.ts";
import { Resampler } from "../../audio/resampler.ts";
import { EchoGuard } from "./echo-guard.ts";

/** Samples of reply speech that wait for the caller's first audio: 5 s, as much as the echo guard holds. */
const MAX_WAITING = 5 * CALL_HZ;
/** Waiting chunks for each chunk of the caller's audio. All at once would hold up the other callers. */
const WAITING_AT_ONCE = 8;
/** The echo guard tolerates an error of this size. */
const MAX_EPOCH_ERROR_MS = 250;

/** Gives the echo guard the speech of replies at the session times at which the client plays it. */
export class ReplyEcho {
  readonly guard = new EchoGuard();
  readonly #resampler = new Resampler(CALL_HZ, MODEL_HZ);
  /** Clock time of session time 0 as the guard has it. It is kept stable because learnt echo delays are relative to it. */
  #epochMs: number | undefined;
  /** Speech that was sent before the first audio of the caller: the first chunks of a greeting. */
  readonly #waiting: [Int16Array, number][] = [];
  #waitingSamples = 0;

  /**
   * Reply speech at `CALL_HZ`, which the client plays from `playsAtMs` of the clock on.
   * @param epochMs Clock time of session time 0; undefined before the first audio of the caller.
   */
  sent(pcm: Int16Array, playsAtMs: number, epochMs: number | undefined): void {
    if (epochMs === undefined || this.#waiting.length > 0) this.#keep(pcm, playsAtMs);
    else this.#played(pcm, playsAtMs, epochMs);
  }

  /** Audio of the caller has come. */
  heard(epochMs: number): void {
    for (const [pcm, playsAtMs] of this.#waiting.splice(0, WAITING_AT_ONCE)) {
      this.#waitingSamples -= pcm.length;
      this.#played(pcm, playsAtMs, epochMs);
    }
  }

  #played(pcm: Int16Array, playsAtMs: number, epochMs: number): void {
    if (Math.abs(epochMs - (this.#epochMs ?? Infinity)) > MAX_EPOCH_ERROR_MS) this.#epochMs = epochMs;
    const speech = new Float32Array(pcm.length);
    int16ToFloat(pcm, speech);
    this.guard.played(this.#resampler.process(speech), playsAtMs - (this.#epochMs ?? epochMs));
  }

  /** A client that sends no audio, only text, may never need it. */
  #keep(pcm: Int16Array, playsAtMs: number): void {
    this.#waiting.push([pcm, playsAtMs]);
    this.#waitingSamples += pcm.length;
    for (;;) {
      const [oldest] = this.#waiting[0] ?? [];
      if (oldest === undefined || this.#waitingSamples - oldest.length < MAX_WAITING) return;
      this.#waiting.shift();
      this.#waitingSamples -= oldest.length;
    }
  }
}
