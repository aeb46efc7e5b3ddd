import { SampleRing } from "../../../audio/ring-buffer.ts";
import { normalise } from "../../../engines/speaker/speaker-encoder.ts";
import { CLIP_SAMPLES } from "../../../engines/speaker/voice-bands.ts";
import type { FrameEvent } from "../../turn/machine/turn-state.ts";
import type { HeardVoice } from "./known-voices.ts";
import { VoiceLevel } from "./voice-level.ts";

/** A frame of speech, as the speech gate continues it. */
const SPEECH_PROBABILITY = 0.3;
/** A sound before the first frame of speech belongs to it. */
const LEAD_MS = 64;

export const isSpeech = ({ probability, echo }: FrameEvent): boolean =>
  probability >= SPEECH_PROBABILITY && echo !== true;

/** Without levels every frame is as loud as the others. */
export const levelOf = ({ aboveNoiseDb = 0, noiseFloorDbfs = 0 }: FrameEvent): number => noiseFloorDbfs + aboveNoiseDb;

/** Voice without a longer pause, and what is known of it. */
export class VoiceSegment {
  readonly startMs: number;
  state: "deciding" | "caller" | "other";
  /** All of its voice so far. */
  readonly whole = new VoiceLevel();
  lastVoicedMs: number;
  /** The next clip of it is described at this much voice. */
  checkAtMs: number;
  readonly #newest = new SampleRing(CLIP_SAMPLES);
  #partFromMs: number;
  readonly #part = new VoiceLevel();
  #sum: Float32Array | undefined;

  constructor(frame: FrameEvent, state: VoiceSegment["state"], checkAtMs: number) {
    this.startMs = Math.max(0, frame.atMs - frame.frameMs - LEAD_MS);
    this.#partFromMs = this.startMs;
    this.lastVoicedMs = frame.atMs;
    this.state = state;
    this.checkAtMs = checkAtMs;
  }

  add(frame: FrameEvent, samples: Float32Array): void {
    if (!isSpeech(frame)) return;
    this.#newest.write(samples);
    this.whole.add(frame.frameMs, levelOf(frame));
    this.#part.add(frame.frameMs, levelOf(frame));
    this.lastVoicedMs = frame.atMs;
  }

  get voicedMs(): number {
    return this.whole.voicedMs;
  }

  /** The newest voice, without its pauses. */
  get clip(): Float32Array {
    return this.#newest.read(this.#newest.start, this.#newest.end);
  }

  /** Level of the part since the last `nextPart`. */
  get levelDbfs(): number {
    return this.#part.levelDbfs;
  }

  /** The part with the newest clip's description: the mean of all its clips. */
  describe(vector: Float32Array): HeardPart {
    const sum = (this.#sum ??= new Float32Array(vector.length));
    for (let at = 0; at < sum.length; at++) sum[at]! += vector[at]!;
    return {
      vector: normalise(sum.slice()),
      fromMs: this.#partFromMs,
      toMs: this.lastVoicedMs,
      voicedMs: this.#part.voicedMs,
      levelDbfs: this.levelDbfs,
    };
  }

  /** Forgets the part. */
  nextPart(): void {
    this.#partFromMs = this.lastVoicedMs;
    this.#part.clear();
    this.#sum?.fill(0);
  }
}

/** A part of the call with one voice, from one session time to another. */
export interface HeardPart extends HeardVoice {
  readonly fromMs: number;
  readonly toMs: number;
}
