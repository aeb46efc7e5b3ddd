import { CALL_HZ, CALL_SAMPLES_PER_MS } from "../audio/format.ts";
import type { RecordFile } from "./store/record-writer.ts";

/** The channels of a record. */
export const CALLER_SIDE = 0;
export const REPLY_SIDE = 1;
export type Side = typeof CALLER_SIDE | typeof REPLY_SIDE;

/** Side (1 byte) and place in the call in samples at `CALL_HZ` (4 bytes), before the samples of a block. */
export const BLOCK_HEAD_BYTES = 5;
const MOST_BLOCK_SAMPLES = CALL_HZ;
/** Audio that the network held back comes at once, and its place is known when the last of it has come. */
const HELD_MS = 500;
/** Audio of one side that waits for its words. Older audio is not kept. */
const MOST_HELD_SAMPLES = 180 * CALL_HZ;

/** A part of a session's audio that is not kept, in ms of the session or of a reply. */
export type Silence = readonly [fromMs: number, toMs: number];

interface Piece {
  /** ms of the session for the caller's side, of the reply for the other one. */
  readonly ownMs: number;
  /** Samples since the start of the record. */
  at: number;
  readonly cameMs: number;
  readonly pcm: Int16Array;
}

/**
 * The audio of a call on its way to the record. Audio is held until its words are known, and only what a decoded turn or a reply
 * explains is kept: a sound without known words could hold anything.
 */
export class CallAudio {
  readonly #file: RecordFile;
  readonly #keepsAll: boolean;
  #caller: Piece[] = [];
  #callerSamples = 0;
  /** Where the caller's pieces end that are no longer held. */
  #callerEnd = 0;
  readonly #replies = new Map<number, { pieces: Piece[]; samples: number; end: number }>();
  #lost = 0;

  /** @param keepsAll Nothing is redacted: the caller's audio is kept at once, also between turns. */
  constructor(file: RecordFile, keepsAll: boolean) {
    this.#file = file;
    this.#keepsAll = keepsAll;
  }

  /** Blocks that the disk did not take. */
  get lost(): number {
    return this.#lost;
  }

  /**
   * The caller's audio. The array is not kept.
   * @param sessionMs The time in the session at which it begins. @param atMs That time since the start of the record.
   */
  heard(pcm: Int16Array, sessionMs: number, atMs: number, nowMs: number): void {
    const at = Math.round(atMs * CALL_SAMPLES_PER_MS);
    this.#caller.push({ ownMs: sessionMs, at, cameMs: nowMs, pcm: pcm.slice() });
    this.#spread();
    this.#callerSamples += pcm.length;
    if (this.#keepsAll) {
      const firstHeld = this.#caller.find(({ cameMs }) => cameMs > nowMs - HELD_MS);
      if (this.#callerSamples >= CALL_HZ) this.keepCaller(0, firstHeld?.ownMs ?? Infinity, []);
      return;
    }
    while (this.#callerSamples > MOST_HELD_SAMPLES) this.#callerSamples -= this.#caller.shift()?.pcm.length ?? 0;
  }

  /** Audio that comes early moves the held pieces before it back, up to those that have left. */
  #spread(): void {
    let end = Infinity;
    for (let index = this.#caller.length - 1; index >= 0; index -= 1) {
      const piece = this.#caller[index]!;
      const at = Math.min(piece.at, end - piece.pcm.length);
      if (at === piece.at && end !== Infinity) break;
      piece.at = end = at;
    }
    let from = this.#callerEnd;
    for (const piece of this.#caller) {
      if (piece.at >= from) break;
      piece.at = from;
      from += piece.pcm.length;
    }
  }

  /** Keeps the caller's audio of these session times, and drops what is before. */
  keepCaller(fromMs: number, toMs: number, silences: readonly Silence[]): void {
    for (const piece of this.#caller) {
      const endMs = piece.ownMs + piece.pcm.length / CALL_SAMPLES_PER_MS;
      if (endMs <= fromMs || piece.ownMs >= toMs) continue;
      const first = Math.max(0, Math.round((fromMs - piece.ownMs) * CALL_SAMPLES_PER_MS));
      const last = toMs === Infinity ? piece.pcm.length : Math.round((toMs - piece.ownMs) * CALL_SAMPLES_PER_MS);
      const kept = piece.pcm.subarray(first, last);
      silence(kept, piece.ownMs + first / CALL_SAMPLES_PER_MS, silences);
      this.#collect(CALLER_SIDE, piece.at + first, kept);
    }
    this.#writeCollected();
    this.dropCaller(toMs);
  }

  /** Drops the caller's audio before this session time. */
  dropCaller(beforeMs: number): void {
    const held = this.#caller.filter(({ ownMs, pcm }) => ownMs + pcm.length / CALL_SAMPLES_PER_MS > beforeMs);
    const left = this.#caller[this.#caller.length - held.length - 1];
    if (left !== undefined) this.#callerEnd = left.at + left.pcm.length;
    this.#caller = held;
    this.#callerSamples = this.#caller.reduce((sum, { pcm }) => sum + pcm.length, 0);
  }

  /** A piece of a reply, which plays from `atMs` since the start of the record on. */
  sent(reply: number, pcm: Int16Array, atMs: number): void {
    const held = this.#replies.get(reply) ?? { pieces: [], samples: 0, end: 0 };
    this.#replies.set(reply, held);
    if (held.samples + pcm.length > MOST_HELD_SAMPLES) return;
    const at = Math.max(held.end, Math.round(atMs * CALL_SAMPLES_PER_MS));
    held.pieces.push({ ownMs: held.samples / CALL_SAMPLES_PER_MS, at, cameMs: atMs, pcm });
    held.samples += pcm.length;
    held.end = at + pcm.length;
  }

  /** The reply is over: keeps what the caller heard of it. */
  keepReply(reply: number, heardMs: number, silences: readonly Silence[]): void {
    const held = this.#replies.get(reply);
    this.#replies.delete(reply);
    for (const { ownMs, at, pcm } of held?.pieces ?? []) {
      const left = Math.round((heardMs - ownMs) * CALL_SAMPLES_PER_MS);
      if (left <= 0) break;
      const kept = pcm.slice(0, left);
      silence(kept, ownMs, silences);
      this.#collect(REPLY_SIDE, at, kept);
    }
    this.#writeCollected();
  }

  #collected: { readonly side: Side; readonly at: number; readonly parts: Int16Array[]; samples: number } | undefined;

  /** Pieces that follow one another become one block. */
  #collect(side: Side, at: number, pcm: Int16Array): void {
    const open = this.#collected;
    const fits =
      open !== undefined &&
      open.side === side &&
      open.at + open.samples === at &&
      open.samples + pcm.length <= MOST_BLOCK_SAMPLES;
    if (fits) {
      open.parts.push(pcm);
      open.samples += pcm.length;
      return;
    }
    this.#writeCollected();
    this.#collected = { side, at, parts: [pcm], samples: pcm.length };
  }

  #writeCollected(): void {
    const open = this.#collected;
    this.#collected = undefined;
    if (open === undefined || open.samples === 0) return;
    const block = Buffer.alloc(BLOCK_HEAD_BYTES + 2 * open.samples);
    block.writeUInt8(open.side, 0);
    block.writeUInt32BE(open.at, 1);
    let at = BLOCK_HEAD_BYTES;
    for (const { buffer, byteOffset, byteLength } of open.parts) {
      block.set(new Uint8Array(buffer, byteOffset, byteLength), at);
      at += byteLength;
    }
    if (!this.#file.add(block)) this.#lost += 1;
  }
}

function silence(pcm: Int16Array, fromMs: number, silences: readonly Silence[]): void {
  for (const [from, to] of silences) {
    const first = Math.max(0, Math.floor((from - fromMs) * CALL_SAMPLES_PER_MS));
    const last = Math.min(pcm.length, to === Infinity ? pcm.length : Math.ceil((to - fromMs) * CALL_SAMPLES_PER_MS));
    if (first < last) pcm.fill(0, first, last);
  }
}
