import { cosine, normalise } from "../../../engines/speaker/speaker-encoder.ts";

/** A part of a call with one voice. */
export interface HeardVoice {
  readonly vector: Float32Array;
  readonly voicedMs: number;
  readonly levelDbfs: number;
}

/** The voices that are likest to a sound. */
export interface Likeness {
  /** Cosine, -1 to 1. */
  readonly score: number;
  /** How far the sound is below the usual level of that voice. */
  readonly belowDb: number;
}

interface Voice {
  /** Sum of vectors, each times its voiced time. */
  readonly sum: Float32Array;
  readonly centre: Float32Array;
  voicedMs: number;
  levelDbfs: number;
}

/** A voice is reliable after six parts of it in turns that had words (docs/decisions/0106-only-my-caller.md). */
export const RELIABLE_MS = 4900;
/** Parts of one voice before that, and after it: another voice may have opened a turn. */
const SAME_VOICE = 0.5;
const SURELY_SAME_VOICE = 0.72;
/** Later speech counts more: this much of the past counts beside it, so that the centre follows the voice. */
const LONGEST_MEMORY_MS = 40_000;
/** The caller, and callers to whom the handset was given. */
const MOST_VOICES = 4;

/** The voices of the callers, as far as the call knows them. Only in memory: `forget` erases it. */
export class KnownVoices {
  #voices: Voice[] = [];

  /** A caller's voice is known well enough to be recognised among others. */
  get areReliable(): boolean {
    return this.#voices.some(isReliable);
  }

  /** Speech of a turn that had words. */
  learn(heard: HeardVoice): void {
    if (this.areReliable) {
      const known = this.#best(heard.vector, this.#voices.filter(isReliable));
      if (known !== undefined && known.score >= SURELY_SAME_VOICE) follow(known.voice, heard);
      return;
    }
    const best = this.#best(heard.vector, this.#voices);
    if (best !== undefined && best.score >= SAME_VOICE) return follow(best.voice, heard);
    if (this.#voices.length === MOST_VOICES) erase(this.#voices.splice(0, 1));
    this.#voices.push(newVoice(heard, heard.voicedMs));
  }

  /** A new caller whose voice is known at once. The first caller stays; the oldest of the others makes room. */
  welcome(heard: HeardVoice): void {
    const unsure = this.#voices.filter((voice) => !isReliable(voice));
    erase(unsure);
    this.#voices = this.#voices.filter(isReliable);
    if (this.#voices.length === MOST_VOICES) erase(this.#voices.splice(1, 1));
    this.#voices.push(newVoice(heard, RELIABLE_MS));
  }

  /** Undefined while no voice is reliable. */
  likeness({ vector, levelDbfs }: Pick<HeardVoice, "vector" | "levelDbfs">): Likeness | undefined {
    const best = this.#best(vector, this.#voices.filter(isReliable));
    return best && { score: best.score, belowDb: best.voice.levelDbfs - levelDbfs };
  }

  /** How far a level is below that of the quietest caller. */
  belowDb(levelDbfs: number): number {
    return Math.min(...this.#voices.filter(isReliable).map((voice) => voice.levelDbfs - levelDbfs));
  }

  forget(): void {
    erase(this.#voices);
    this.#voices = [];
  }

  #best(vector: Float32Array, among: readonly Voice[]) {
    let best: { readonly voice: Voice; readonly score: number } | undefined;
    for (const voice of among) {
      const score = cosine(voice.centre, vector);
      if (best === undefined || score > best.score) best = { voice, score };
    }
    return best;
  }
}

const isReliable = ({ voicedMs }: Voice): boolean => voicedMs >= RELIABLE_MS;

function newVoice({ vector, levelDbfs, voicedMs }: HeardVoice, countsMs: number): Voice {
  const sum = vector.map((value) => value * voicedMs);
  return { sum, centre: vector.slice(), voicedMs: countsMs, levelDbfs };
}

function follow(voice: Voice, { vector, voicedMs, levelDbfs }: HeardVoice): void {
  const kept = Math.min(1, LONGEST_MEMORY_MS / voice.voicedMs);
  for (let at = 0; at < vector.length; at++) voice.sum[at] = kept * voice.sum[at]! + voicedMs * vector[at]!;
  voice.voicedMs = kept * voice.voicedMs + voicedMs;
  voice.levelDbfs += (levelDbfs - voice.levelDbfs) * (voicedMs / voice.voicedMs);
  voice.centre.set(voice.sum);
  normalise(voice.centre);
}

function erase(voices: readonly Voice[]): void {
  for (const { sum, centre } of voices) {
    sum.fill(0);
    centre.fill(0);
  }
}
