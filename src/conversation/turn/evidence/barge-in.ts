import type { OverlapKind } from "./judge-overlap.ts";

/** Limits for sounds over the reply, in ms. They were chosen in docs/decisions/0040-barge-in.md. */
export interface InterruptionPolicy {
  /** Quieter sounds over the reply come from the room. */
  readonly interruptAboveNoiseDb: number;
  /** Voiced time after which sending pauses. */
  readonly holdMs: number;
  /**
   * How much voice interrupts the reply, by what the recogniser heard so far. Back-channels and undecoded sound count only
   * uninterrupted voice. Wordless sound never interrupts, so it has no entry. `undecoded` uses the largest limit: that much voice
   * interrupts whatever it says.
   */
  readonly interruptMs: Readonly<Record<Exclude<OverlapKind, "nothing">, number>>;
  /** Voiced time without a word after which the reply continues during the sound. */
  readonly wordlessMs: number;
  /** Silence after which the decode starts that decides. */
  readonly overlapPauseMs: number;
  /** Silence after which the sound is over. */
  readonly overlapEndMs: number;
  /** Longest pause of sending for an undecided sound. */
  readonly holdLimitMs: number;
  /** Voiced time before the first decode, and new sound before the next one. */
  readonly decodeAfterMs: number;
  readonly decodeStepMs: number;
}

export const INTERRUPTION: InterruptionPolicy = {
  interruptAboveNoiseDb: 6,
  holdMs: 64,
  interruptMs: { command: 0, words: 320, word: 640, unclear: 704, backchannel: 1200, undecoded: 1200 },
  wordlessMs: 1000,
  overlapPauseMs: 64,
  overlapEndMs: 224,
  holdLimitMs: 2000,
  decodeAfterMs: 224,
  decodeStepMs: 160,
};

/** Share of `decodeStepMs` after which a skipped decode is requested again. */
const AGAIN_SHARE = 0.4;

export interface Sound {
  readonly startMs: number;
  readonly voicedMs: number;
  readonly lastVoicedMs: number;
}

/** The part of the sound that a decode covers. `ended`: the voice has stopped, so this decode decides. */
export interface OverlapSpan {
  readonly untilMs: number;
  readonly ended: boolean;
}

/** Voice over the audible reply, with the evidence whether it is an interruption, a back-channel or a noise. */
export interface Overlap extends Sound {
  /** Voice since its last pause. */
  readonly runMs: number;
  /** When sending paused for it. */
  readonly heldMs: number | undefined;
  /** The reply continues during the sound. From now on only words make it an interruption. */
  readonly released: boolean;
  /** The decode that is running. */
  readonly decoding: OverlapSpan | undefined;
  /** When the next decode may start. */
  readonly nextDecodeMs: number;
  /** Result of the last decode, and whether that covered the whole sound. */
  readonly heard: OverlapKind;
  readonly decodedWhole: boolean;
}

/** Result of a decode of the sound that began at `startMs`; "undecoded" when it was skipped. */
export interface OverlapDecode extends OverlapSpan {
  readonly startMs: number;
  readonly heard: OverlapKind;
}

export type Verdict =
  | { readonly type: "interruption" }
  /** The sound is over and was not an interruption. */
  | { readonly type: "none" }
  | {
      readonly type: "undecided";
      readonly overlap: Overlap;
      /** Sending pauses meanwhile. */
      readonly holds: boolean;
      /** A decode to start. It replaces a running one. */
      readonly decode: OverlapSpan | undefined;
    };

export const overlapOf = ({ startMs, voicedMs, lastVoicedMs }: Sound): Overlap => ({
  startMs,
  voicedMs,
  lastVoicedMs,
  runMs: voicedMs,
  heldMs: undefined,
  released: false,
  decoding: undefined,
  nextDecodeMs: startMs,
  heard: "undecoded",
  decodedWhole: false,
});

/** The overlap with one more voiced frame. After a pause it may hold the reply again, until its words are known. */
export function prolong(
  overlap: Overlap,
  atMs: number,
  frameMs: number,
  { overlapEndMs }: InterruptionPolicy,
): Overlap {
  const grown = { ...overlap, voicedMs: overlap.voicedMs + frameMs, lastVoicedMs: atMs, decodedWhole: false };
  if (atMs - frameMs - overlap.lastVoicedMs < overlapEndMs) return { ...grown, runMs: overlap.runMs + frameMs };
  return { ...grown, runMs: frameMs, released: false, heldMs: overlap.released ? undefined : overlap.heldMs };
}

/**
 * Decides about a barge-in. A short voice pauses sending. How much more voice stops the reply depends on the words in it. When
 * the sound ends without words of its own, the reply continues. When the words are not known in time, the reply continues too,
 * but a running decode still decides.
 */
export function decideOverlap(overlap: Overlap, atMs: number, policy: InterruptionPolicy): Verdict {
  if (stops(overlap, policy)) return { type: "interruption" };
  const { heard, runMs, voicedMs, lastVoicedMs, decodedWhole } = overlap;
  if (atMs - lastVoicedMs >= policy.overlapEndMs && (decodedWhole || voicedMs < policy.holdMs)) return { type: "none" };

  const heldMs = overlap.heldMs ?? (runMs >= policy.holdMs ? atMs : undefined);
  const late = heldMs !== undefined && atMs - heldMs >= policy.holdLimitMs;
  const wordless = heard === "nothing" && voicedMs >= policy.wordlessMs;
  const released = overlap.released || wordless || late;
  const decode = dueDecode(overlap, atMs, policy);
  return {
    type: "undecided",
    overlap: { ...overlap, heldMs, released, decoding: decode ?? overlap.decoding },
    holds: heldMs !== undefined && !released,
    decode,
  };
}

/** The overlap with the result of a decode; undefined for a decode that is not the running one. */
export function applyDecode(
  overlap: Overlap,
  { startMs, untilMs, ended, heard }: OverlapDecode,
  { decodeStepMs }: InterruptionPolicy,
): Overlap | undefined {
  const { decoding, lastVoicedMs } = overlap;
  if (overlap.startMs !== startMs || decoding?.untilMs !== untilMs || decoding.ended !== ended) return undefined;
  return {
    ...overlap,
    decoding: undefined,
    nextDecodeMs: untilMs + decodeStepMs * (heard === "undecoded" ? AGAIN_SHARE : 1),
    heard: heard === "undecoded" ? overlap.heard : heard,
    decodedWhole: ended && untilMs === lastVoicedMs,
  };
}

/** Whether this much of this sound stops the reply. In a sound that is over and decoded whole, any words do. */
export function stops(overlap: Overlap, { interruptMs }: InterruptionPolicy): boolean {
  const { heard, voicedMs, runMs, released, decodedWhole } = overlap;
  if (decodedWhole && isWords(heard)) return true;
  if (heard === "nothing" || (released && !isWords(heard))) return false;
  const lasts = heard === "undecoded" || heard === "backchannel" ? runMs : voicedMs;
  return lasts >= interruptMs[heard];
}

/** The decode at the end of the sound replaces a decode of its beginning. It keeps running when the sound continues after all. */
function dueDecode(overlap: Overlap, atMs: number, policy: InterruptionPolicy): OverlapSpan | undefined {
  const { decoding, nextDecodeMs, voicedMs, lastVoicedMs, decodedWhole } = overlap;
  if (decoding?.ended === true) return undefined;
  if (atMs - lastVoicedMs >= policy.overlapPauseMs)
    return voicedMs >= policy.holdMs && !decodedWhole ? { untilMs: lastVoicedMs, ended: true } : undefined;
  return decoding === undefined && voicedMs >= policy.decodeAfterMs && atMs >= nextDecodeMs
    ? { untilMs: atMs, ended: false }
    : undefined;
}

/** Its own words make a sound an interruption, however short it is. */
const isWords = (heard: OverlapKind): boolean => heard === "command" || heard === "words" || heard === "word";
