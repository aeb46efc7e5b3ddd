import type { OverlapKind } from "./judge-overlap.ts";

/** How a sound over the reply is weighed: docs/decisions/0040-barge-in.md. Times in ms. */
export interface InterruptionPolicy {
  /** Quieter sounds over the reply are the room, not the caller. */
  readonly interruptAboveNoiseDb: number;
  /** Voiced time after which sending pauses. */
  readonly holdMs: number;
  /**
   * Voiced time that stops the reply, by what was understood so far; of back-channels and of what is not decoded, voice without
   * a pause. A sound without words never does; one that is not decoded does when it would whatever it says.
   */
  readonly interruptMs: Readonly<Record<Exclude<OverlapKind, "nothing">, number>>;
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
  interruptMs: { command: 0, words: 416, word: 640, unclear: 704, backchannel: 1200, undecoded: 1200 },
  wordlessMs: 1000,
  overlapPauseMs: 64,
  overlapEndMs: 224,
  holdLimitMs: 2000,
  listenMs: 224,
  listenStepMs: 160,
};

/** Of a step: a decode that was left out is asked for again after this much. */
const AGAIN_SHARE = 0.4;

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
  /** Voice since its last pause. */
  readonly runMs: number;
  /** When sending was paused for it. */
  readonly heldMs: number | undefined;
  /** The reply goes on beside it: from now on only words make it an interruption. */
  readonly letGo: boolean;
  /** The decode that is under way. */
  readonly listening: Listening | undefined;
  /** When another one is worth it. */
  readonly nextListenMs: number;
  /** What the last decode made of the sound, and whether it had all of it. */
  readonly heard: OverlapKind;
  readonly understood: boolean;
}

/** What a decode made of the sound that began at `startMs`; "undecoded" when it was left out. */
export interface OverlapDecode extends Listening {
  readonly startMs: number;
  readonly heard: OverlapKind;
}

export type Verdict =
  | { readonly type: "interruption" }
  /** The sound is over and was none. */
  | { readonly type: "none" }
  | {
      readonly type: "undecided";
      readonly overlap: Overlap;
      /** Sending pauses meanwhile. */
      readonly holds: boolean;
      /** A decode to start, instead of the one under way if there is one. */
      readonly listen: Listening | undefined;
    };

export const overlapOf = ({ startMs, voicedMs, lastVoicedMs }: Sound): Overlap => ({
  startMs,
  voicedMs,
  lastVoicedMs,
  runMs: voicedMs,
  heldMs: undefined,
  letGo: false,
  listening: undefined,
  nextListenMs: startMs,
  heard: "undecoded",
  understood: false,
});

/** The overlap with one more voiced frame. After a pause it holds the reply again, while its words are still waited for. */
export function prolong(
  overlap: Overlap,
  atMs: number,
  frameMs: number,
  { overlapEndMs }: InterruptionPolicy,
): Overlap {
  const grown = { ...overlap, voicedMs: overlap.voicedMs + frameMs, lastVoicedMs: atMs, understood: false };
  if (atMs - frameMs - overlap.lastVoicedMs < overlapEndMs) return { ...grown, runMs: overlap.runMs + frameMs };
  return { ...grown, runMs: frameMs, letGo: false, heldMs: overlap.letGo ? undefined : overlap.heldMs };
}

/**
 * The evidence ladder of a barge-in. Voice that lasts a moment pauses sending; how much more of it stops the reply depends on
 * what was understood of it; when it is over and said nothing of its own the reply goes on. When that is not known in time the
 * reply goes on too, but a decode that is under way still decides.
 */
export function weighOverlap(overlap: Overlap, atMs: number, policy: InterruptionPolicy): Verdict {
  if (stops(overlap, policy)) return { type: "interruption" };
  const { heard, runMs, voicedMs, lastVoicedMs, understood } = overlap;
  if (atMs - lastVoicedMs >= policy.overlapEndMs && (understood || voicedMs < policy.holdMs)) return { type: "none" };

  const heldMs = overlap.heldMs ?? (runMs >= policy.holdMs ? atMs : undefined);
  const late = heldMs !== undefined && atMs - heldMs >= policy.holdLimitMs;
  const wordless = heard === "nothing" && voicedMs >= policy.wordlessMs;
  const letGo = overlap.letGo || wordless || late;
  const listen = worthListening(overlap, atMs, policy);
  return {
    type: "undecided",
    overlap: { ...overlap, heldMs, letGo, listening: listen ?? overlap.listening },
    holds: heldMs !== undefined && !letGo,
    listen,
  };
}

/** The overlap with what a decode of it said; undefined when that is not the decode it waits for. */
export function overhear(
  overlap: Overlap,
  { startMs, untilMs, ended, heard }: OverlapDecode,
  { listenStepMs }: InterruptionPolicy,
): Overlap | undefined {
  const { listening, lastVoicedMs } = overlap;
  if (overlap.startMs !== startMs || listening?.untilMs !== untilMs || listening.ended !== ended) return undefined;
  return {
    ...overlap,
    listening: undefined,
    nextListenMs: untilMs + listenStepMs * (heard === "undecoded" ? AGAIN_SHARE : 1),
    heard: heard === "undecoded" ? overlap.heard : heard,
    understood: ended && untilMs === lastVoicedMs,
  };
}

/** True when so much of such a sound stops the reply. Of one that is over and understood any words do. */
export function stops(overlap: Overlap, { interruptMs }: InterruptionPolicy): boolean {
  const { heard, voicedMs, runMs, letGo, understood } = overlap;
  if (understood && isWords(heard)) return true;
  if (heard === "nothing" || (letGo && !isWords(heard))) return false;
  const lasts = heard === "undecoded" || heard === "backchannel" ? runMs : voicedMs;
  return lasts >= interruptMs[heard];
}

/** The decode at the sound's end does not wait for one of half of it; it is not started over for a sound that goes on after all. */
function worthListening(overlap: Overlap, atMs: number, policy: InterruptionPolicy): Listening | undefined {
  const { listening, nextListenMs, voicedMs, lastVoicedMs, understood } = overlap;
  if (listening?.ended === true) return undefined;
  if (atMs - lastVoicedMs >= policy.overlapPauseMs)
    return voicedMs >= policy.holdMs && !understood ? { untilMs: lastVoicedMs, ended: true } : undefined;
  return listening === undefined && voicedMs >= policy.listenMs && atMs >= nextListenMs
    ? { untilMs: atMs, ended: false }
    : undefined;
}

/** Words of its own make a sound an interruption, however short. */
const isWords = (heard: OverlapKind): boolean => heard === "command" || heard === "words" || heard === "word";
