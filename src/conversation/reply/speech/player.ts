import { CALL_SAMPLES_PER_MS } from "../../../audio/format.ts";
import type { Clock } from "../../../shared/clock.ts";
import type { SpokenSpan } from "../../events.ts";
import { heardChars } from "../text/heard-chars.ts";

/** Speech is sent in pieces of this length. */
export const CHUNK_MS = 60;
const CHUNK_SAMPLES = CHUNK_MS * CALL_SAMPLES_PER_MS;
/** How far sending runs ahead of playback. An interrupted caller hears this much more. */
const SHORTEST_LEAD_MS = 120;
const LONGEST_LEAD_MS = 360;
/** The longest wait for the next clause. When that is too short, a pause between two clauses follows. */
const MAX_WAIT_MS = 1500;
/** Interval at which the player checks whether ready speech may start. */
const RECHECK_MS = 40;
/** Limit of unsent speech. Synthesis waits beyond it. */
const MAX_QUEUED_MS = 8_000;

/** A piece of speech and the characters of the reply that it speaks. */
export interface Utterance {
  /** At `CALL_HZ`. */
  readonly pcm: Int16Array;
  readonly fromChar: number;
  readonly toChar: number;
}

export interface PlayerEvents {
  /** One chunk, which the client plays from `playsAtMs` of the clock on. */
  send(pcm: Int16Array, playsAtMs: number): void;
  /** The first chunk was sent. */
  audible(): void;
  /** After `finish`: the last sample has been played at the client. */
  finished(): void;
}

export interface PlayerOptions {
  readonly clock: Clock;
  readonly events: PlayerEvents;
  /** How long to wait before an utterance starts, when `readyMs` of speech is ready and not played. */
  readonly waitMs?: (readyMs: number) => number;
  /** How late the network delivers. Sending runs ahead of playback by this much more. */
  readonly jitterMs?: () => number;
  /** False while the client's buffer is full. */
  readonly hasRoom?: () => boolean;
}

/**
 * Sends one reply's speech at the pace of playback and knows the playback position. Assumes that the client plays chunks as they
 * arrive, without gaps, unless the client reports its position.
 */
export class Player {
  readonly #clock: Clock;
  readonly #events: PlayerEvents;
  readonly #waitMs: (readyMs: number) => number;
  readonly #jitterMs: () => number;
  readonly #hasRoom: () => boolean;
  readonly #utterances: Utterance[] = [];
  /** Index of the utterance being sent and the next sample in it. */
  #sending = 0;
  #offset = 0;
  /** Whole samples: the sum of many clips in ms would be a little too small. */
  #sentSamples = 0;
  /** Clock time at which all sent speech will have been played. */
  #playedOutAtMs = -Infinity;
  /** Played samples by the client's own report. */
  #reportedSamples: number | undefined;
  #held = false;
  /** Since when the next utterance is ready and waits. */
  #waitsSinceMs: number | undefined;
  #ended = false;
  #done = false;
  #cancelTimer: (() => void) | undefined;
  readonly #waiting: (() => void)[] = [];

  constructor({ clock, events, waitMs = () => 0, jitterMs = () => 0, hasRoom = () => true }: PlayerOptions) {
    this.#clock = clock;
    this.#events = events;
    this.#waitMs = waitMs;
    this.#jitterMs = jitterMs;
    this.#hasRoom = hasRoom;
  }

  enqueue(utterance: Utterance): void {
    if (this.#done) return;
    this.#utterances.push(utterance);
    this.#pump();
  }

  /** Resolves when there is room for more speech, or the player is done. */
  async room(): Promise<void> {
    while (!this.#done && this.#queuedMs() >= MAX_QUEUED_MS) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** No more speech will come. */
  finish(): void {
    this.#ended = true;
    this.#pump();
  }

  hold(): void {
    this.#held = true;
  }

  resume(): void {
    this.#held = false;
    this.#pump();
  }

  /** The client has room again. */
  sendMore(): void {
    this.#pump();
  }

  /** The client has played this much of the reply. Each chunk should be reported once it is played. */
  reportPlayed(playedMs: number): void {
    const samples = Math.min(playedMs * CALL_SAMPLES_PER_MS, this.#sentSamples);
    if (this.#done || samples < (this.#reportedSamples ?? 0)) return;
    this.#reportedSamples = samples;
    this.#playedOutAtMs = this.#clock.nowMs() + samplesToMs(this.#sentSamples - samples);
    this.#pump();
  }

  /** Stops at once: nothing more is sent, no event follows. */
  cancel(): void {
    this.#done = true;
    this.#cancelTimer?.();
    this.#wakeWaiting();
  }

  /** Number of the reply's characters that the caller has heard, cut back to whole words. */
  heardChars(text: string): number {
    return heardChars(text, this.spans, this.heardMs);
  }

  /** The speech that was enqueued. */
  get spans(): SpokenSpan[] {
    return this.#utterances.map(({ pcm, fromChar, toChar }) => ({ samples: pcm.length, fromChar, toChar }));
  }

  get heardMs(): number {
    return samplesToMs(this.#playedSamples());
  }

  /** Speech that is ready and has not been played. */
  get remainingMs(): number {
    return this.#queuedMs() + this.#aheadMs();
  }

  #pump(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#done) return;
    const leadMs = Math.min(LONGEST_LEAD_MS, SHORTEST_LEAD_MS + this.#jitterMs());
    while (!this.#held && this.#hasRoom() && this.#aheadMs() < leadMs && !this.#waits() && this.#sendChunk());
    this.#wakeWaiting();
    if (this.#sending < this.#utterances.length) {
      if (!this.#held && this.#hasRoom())
        this.#schedule(this.#waitsSinceMs === undefined ? this.#aheadMs() - leadMs + 1 : RECHECK_MS);
    } else if (this.#ended) {
      const aheadMs = this.#aheadMs();
      if (aheadMs > 0) this.#schedule(aheadMs);
      else {
        this.#done = true;
        this.#events.finished();
      }
    }
  }

  /** True while the next utterance waits for the one after it. */
  #waits(): boolean {
    const waits =
      this.#offset === 0 &&
      this.#sending < this.#utterances.length &&
      this.#waitMs(this.remainingMs) > 0 &&
      this.#clock.nowMs() < Math.max(this.#waitsSinceMs ?? Infinity, this.#playedOutAtMs) + MAX_WAIT_MS;
    this.#waitsSinceMs = waits ? (this.#waitsSinceMs ?? this.#clock.nowMs()) : undefined;
    return waits;
  }

  /** False when nothing is left to send. */
  #sendChunk(): boolean {
    const utterance = this.#utterances[this.#sending];
    if (utterance === undefined) return false;
    const chunk = utterance.pcm.subarray(this.#offset, this.#offset + CHUNK_SAMPLES);
    this.#offset += chunk.length;
    if (this.#offset >= utterance.pcm.length) {
      this.#sending += 1;
      this.#offset = 0;
    }
    if (chunk.length === 0) return true;
    const first = this.#sentSamples === 0;
    const playsAtMs = Math.max(this.#playedOutAtMs, this.#clock.nowMs());
    this.#playedOutAtMs = playsAtMs + samplesToMs(chunk.length);
    this.#sentSamples += chunk.length;
    this.#events.send(chunk, playsAtMs);
    if (first) this.#events.audible();
    return true;
  }

  #schedule(delayMs: number): void {
    this.#cancelTimer = this.#clock.after(Math.max(1, delayMs), () => this.#pump());
  }

  /** The chunk after the reported ones was not played to its end, or it would have been reported. */
  #playedSamples(): number {
    const played = this.#sentSamples - this.#aheadMs() * CALL_SAMPLES_PER_MS;
    return Math.min(played, (this.#reportedSamples ?? Infinity) + CHUNK_SAMPLES);
  }

  #aheadMs(): number {
    return Math.max(0, this.#playedOutAtMs - this.#clock.nowMs());
  }

  #queuedMs(): number {
    const queued = this.#utterances.slice(this.#sending).reduce((sum, { pcm }) => sum + pcm.length, 0);
    return samplesToMs(queued - this.#offset);
  }

  #wakeWaiting(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

const samplesToMs = (samples: number): number => samples / CALL_SAMPLES_PER_MS;
