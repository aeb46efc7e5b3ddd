import type { Overheard } from "./overheard.ts";

/** How a sound over the reply is weighed: docs/decisions/0040-barge-in.md. Times in ms. */
export interface InterruptionPolicy {
  /** Quieter sounds over the reply are the room, not the caller. */
  readonly interruptAboveNoiseDb: number;
  /** Voiced time after which sending pauses. */
  readonly holdMs: number;
  /** Voiced time that stops the reply, by what was understood so far; a sound without words never does. */
  readonly interruptMs: Readonly<Record<Exclude<Overheard, "nothing">, number>>;
  /** Voiced time without a word after which the reply goes on beside the sound. */
  readonly wordlessMs: number;
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
  interruptMs: { command: 0, words: 480, word: 640, unclear: 704, backchannel: 1200 },
  wordlessMs: 1000,
  overlapPauseMs: 96,
  overlapEndMs: 224,
  holdLimitMs: 2000,
  listenMs: 224,
  listenStepMs: 160,
};

export interface Sound {
  readonly startMs: number;
  readonly voicedMs: number;
  readonly lastVoicedMs: number;
}

/** A decode of the sound up to `untilMs`; `ended`: the voice has stopped, so this decode decides. */
export interface Listening {
  readonly untilMs: number;
  readonly ended: boolean;
}

/** Voice over the audible reply: an interruption, or a cough, a back-channel? Its evidence is gathered. */
export interface Overlap extends Sound {
  /** When sending was paused for it. */
  readonly heldMs: number | undefined;
  /** It goes on, and so does the reply: from now on only words make it an interruption. */
  readonly letGo: boolean;
  /** The decode that is under way. */
  readonly listening: Listening | undefined;
  /** What the last decode made of the sound, how far it reached, and whether it had all of it. */
  readonly heard: Overheard;
  readonly heardToMs: number;
  readonly understood: boolean;
}

export type Verdict =
  | { readonly type: "interruption" }
  /** The sound is over, or nobody will tell what it was. */
  | { readonly type: "none" }
  | {
      readonly type: "undecided";
      readonly overlap: Overlap;
      /** Sending pauses meanwhile. */
      readonly holds: boolean;
      /** A decode to start. */
      readonly listen: Listening | undefined;
    };

export const overlapOf = ({ startMs, voicedMs, lastVoicedMs }: Sound): Overlap => ({
  startMs,
  voicedMs,
  lastVoicedMs,
  heldMs: undefined,
  letGo: false,
  listening: undefined,
  heard: "unclear",
  heardToMs: startMs,
  understood: false,
});

/**
 * The evidence ladder of a barge-in. Voice that lasts a moment pauses sending; how much more of it stops the reply depends on
 * what was understood of it; when it is over and said nothing of its own, or nothing was decided in time, the reply goes on.
 */
export function weighOverlap(overlap: Overlap, atMs: number, policy: InterruptionPolicy): Verdict {
  if (stops(overlap, policy)) return { type: "interruption" };
  const silentMs = atMs - overlap.lastVoicedMs;
  const noted = overlap.voicedMs >= policy.holdMs;
  if (silentMs >= policy.overlapEndMs && (overlap.understood || !noted))
    return { type: isWords(overlap.heard) ? "interruption" : "none" };
  const undecidedMs = overlap.heldMs === undefined ? 0 : atMs - overlap.heldMs;
  if (undecidedMs >= policy.holdLimitMs && silentMs >= policy.overlapEndMs) return { type: "none" };

  const wordless = overlap.heard === "nothing" && overlap.voicedMs >= policy.wordlessMs;
  const letGo = overlap.letGo || wordless || undecidedMs >= policy.holdLimitMs;
  const heldMs = overlap.heldMs ?? (noted ? atMs : undefined);
  const listen = worthListening(overlap, atMs, policy);
  return {
    type: "undecided",
    overlap: { ...overlap, heldMs, letGo, listening: listen ?? overlap.listening },
    holds: noted && !letGo,
    listen,
  };
}

/** The overlap with what a decode of it up to `untilMs` said; undefined when that is not the decode it waits for. */
export function overhear(overlap: Overlap, startMs: number, untilMs: number, heard: Overheard): Overlap | undefined {
  if (overlap.startMs !== startMs || overlap.listening?.untilMs !== untilMs) return undefined;
  const understood = overlap.listening.ended && untilMs === overlap.lastVoicedMs;
  return { ...overlap, listening: undefined, heard, heardToMs: untilMs, understood };
}

/** True when so much of such a sound stops the reply. */
export function stops({ heard, voicedMs, letGo }: Overlap, { interruptMs }: InterruptionPolicy): boolean {
  return heard !== "nothing" && (!letGo || isWords(heard)) && voicedMs >= interruptMs[heard];
}

function worthListening(overlap: Overlap, atMs: number, policy: InterruptionPolicy): Listening | undefined {
  const { listening, voicedMs, lastVoicedMs, heardToMs, understood } = overlap;
  if (listening !== undefined) return undefined;
  if (atMs - lastVoicedMs >= policy.overlapPauseMs)
    return voicedMs >= policy.holdMs && !understood ? { untilMs: lastVoicedMs, ended: true } : undefined;
  return voicedMs >= policy.listenMs && atMs - heardToMs >= policy.listenStepMs
    ? { untilMs: atMs, ended: false }
    : undefined;
}

/** Words of its own make a sound an interruption, however short. */
const isWords = (heard: Overheard): boolean => heard === "command" || heard === "words" || heard === "word";
