import type { Overheard } from "./overheard.ts";

/** How a sound over the reply is weighed: see `weigh` in machine.ts and docs/decisions/0040-barge-in.md. Times in ms. */
export interface InterruptionPolicy {
  /** Quieter sounds over the reply are the room, not the caller. */
  readonly interruptAboveNoiseDb: number;
  /** Voiced time after which sending pauses. */
  readonly holdMs: number;
  /** Voiced time that stops the reply, by what was understood so far. */
  readonly interruptMs: Readonly<Record<Overheard, number>>;
  /** Silence after which the decode that decides is started ... */
  readonly overlapPauseMs: number;
  /** ... and after which the sound is over. */
  readonly overlapEndMs: number;
  /** Sending pauses no longer than this for a sound that is not decided. */
  readonly holdLimitMs: number;
  /** Voiced time before a first decode, and new sound worth another. */
  readonly listenMs: number;
  readonly listenStepMs: number;
}

export const INTERRUPTION: InterruptionPolicy = {
  interruptAboveNoiseDb: 6,
  holdMs: 64,
  interruptMs: { command: 0, words: 480, word: 640, unclear: 704, nothing: 1000, backchannel: 1200 },
  overlapPauseMs: 96,
  overlapEndMs: 224,
  holdLimitMs: 2000,
  listenMs: 224,
  listenStepMs: 160,
};
