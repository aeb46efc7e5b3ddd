import { CALL_SAMPLES_PER_MS } from "../../../audio/format.ts";
import { CHUNK_MS } from "./player.ts";

/** Four minutes of speech. Older pieces have arrived. */
const MOST_PIECES = (4 * 60_000) / CHUNK_MS;

/** Pieces of one length in a row: the key of their reply, their length in ms, and their number. */
export type PieceRun = readonly [reply: string, ms: number, count: number];

export interface SentSnapshot {
  /** Pieces before the first run. */
  readonly before: number;
  readonly runs: readonly PieceRun[];
}

interface Piece {
  readonly reply: string;
  /** Its place in the speech of its reply. */
  readonly startMs: number;
  readonly endMs: number;
  readonly sentMs: number;
  readonly playsAtMs: number;
}

/** The speech that reached the client before its connection broke: a number of pieces by its own count, or all until a time. */
export type Arrived = { readonly pieces: number } | { readonly untilMs: number };

/** The speech that was sent over one connection. After a loss it says how much of each reply the caller has heard. */
export class SentSpeech {
  readonly #pieces: Piece[] = [];
  #forgotten = 0;

  add(reply: string, samples: number, sentMs: number, playsAtMs: number): void {
    const last = this.#pieces.at(-1);
    const startMs = last?.reply === reply ? last.endMs : 0;
    this.#pieces.push({ reply, startMs, endMs: startMs + samples / CALL_SAMPLES_PER_MS, sentMs, playsAtMs });
    if (this.#pieces.length <= MOST_PIECES) return;
    this.#pieces.shift();
    this.#forgotten += 1;
  }

  /** A new connection begins. */
  clear(): void {
    this.#pieces.length = 0;
    this.#forgotten = 0;
  }

  /** From the first piece of one of these replies on. */
  snapshot(replies: ReadonlySet<string>): SentSnapshot {
    const first = this.#pieces.findIndex(({ reply }) => replies.has(reply));
    const skipped = first < 0 ? this.#pieces.length : first;
    const runs: [string, number, number][] = [];
    for (const { reply, startMs, endMs } of this.#pieces.slice(skipped)) {
      const last = runs.at(-1);
      if (last?.[0] === reply && last[1] === endMs - startMs) last[2] += 1;
      else runs.push([reply, endMs - startMs, 1]);
    }
    return { before: this.#forgotten + skipped, runs };
  }

  /** All of it counts as heard, unless the client counts. */
  load({ before, runs }: SentSnapshot): void {
    this.clear();
    this.#forgotten = before;
    for (const [reply, ms, count] of runs)
      for (let piece = 0; piece < count; piece += 1) this.add(reply, ms * CALL_SAMPLES_PER_MS, -Infinity, -Infinity);
  }

  /** How much of each reply was heard by `nowMs`, in ms of its speech. A client that counts its pieces has played them all. */
  heardMs(arrived: Arrived, nowMs: number): ReadonlyMap<string, number> {
    const heard = new Map<string, number>();
    for (const [index, { reply, startMs, endMs, sentMs, playsAtMs }] of this.#pieces.entries()) {
      const before = heard.get(reply) ?? startMs;
      const untilMs =
        "pieces" in arrived
          ? this.#forgotten + index < arrived.pieces
            ? endMs
            : 0
          : sentMs <= arrived.untilMs
            ? Math.min(endMs, startMs + nowMs - playsAtMs)
            : 0;
      heard.set(reply, Math.max(before, untilMs));
    }
    const last = this.#pieces.at(-1);
    // Pieces that were sent after a snapshot.
    const more = "pieces" in arrived ? arrived.pieces - this.#forgotten - this.#pieces.length : 0;
    if (last !== undefined && more > 0) heard.set(last.reply, last.endMs + more * CHUNK_MS);
    return heard;
  }
}
