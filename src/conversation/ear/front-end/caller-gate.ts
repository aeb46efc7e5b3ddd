import type { SpeakerEncoder } from "../../../engines/speaker/speaker-encoder.ts";
import { FailureReporter } from "../../../shared/failure-reporter.ts";
import type { Tasks } from "../../../shared/tasks.ts";
import { toSamples } from "../../session-time.ts";
import type { FrameEvent } from "../../turn/machine/turn-state.ts";
import { CHECK_MS, isCallersShort, isSurelyCaller, judgeVoice, SHORTEST_MS } from "./judge-voice.ts";
import { KnownVoices } from "./known-voices.ts";
import { VoiceLevel } from "./voice-level.ts";
import { isSpeech, levelOf, VoiceSegment, type HeardPart } from "./voice-segment.ts";

/** Silence after which a voice is judged as it is, and silence that separates two voices. */
const SHORT_PAUSE_MS = 160;
const GAP_MS = 320;
/** Voice in each part that is learned, and between two checks of a refused voice. */
const PART_MS = 832;
/** A voice is judged by then, whatever happens. */
const LONGEST_WAIT_MS = 4000;
/** Parts that wait for the words of their turn. */
const MOST_PARTS = 40;
/** Another voice was heard just now. */
const AMONG_OTHERS_MS = 5000;
/** The caller begins over another voice: the level rises by this much for this long. Frames of this time are not silenced yet. */
const RISE_DB = 4;
const RISE_FRAMES = 8;

export interface CallerGateOptions {
  readonly encoder: SpeakerEncoder;
  readonly signal: AbortSignal;
  readonly tasks: Tasks;
  /** The frames in order. Those of other voices have the probability 0. */
  readonly deliver: (frame: FrameEvent) => void;
  /** Removes the sound between two positions from the recognisers' audio. */
  readonly silence: (from: number, to: number) => void;
  /** The gate takes frames again. */
  readonly resume: () => void;
  /** The model failed. All voices are the caller's while it does. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Learns the caller's voice in the first turns, and keeps other voices from the turn machine and the recognisers after that. The
 * frames of a new voice wait until it is known. Nothing of this leaves the memory of the call (docs/decisions/0106-only-my-caller.md).
 */
export class CallerGate {
  readonly #options: CallerGateOptions;
  readonly #voices = new KnownVoices();
  readonly #failures: FailureReporter;
  #segment: VoiceSegment | undefined;
  #held: FrameEvent[] = [];
  #isChecking = false;
  /** Parts of the turns whose words are not known yet. */
  #parts: HeardPart[] = [];
  #otherUntilMs = -Infinity;
  #otherDbfs = 0;
  #louder = 0;
  /** Voice since the caller was last heard. */
  readonly #refused = new VoiceLevel();

  constructor(options: CallerGateOptions) {
    this.#options = options;
    this.#failures = new FailureReporter(options.onFailure);
  }

  /** Frames wait for a verdict, so the next ones must wait too. */
  get isBusy(): boolean {
    return this.#isChecking && this.#segment?.state === "deciding";
  }

  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** `samples`: the caller's audio of the frame. */
  take(frame: FrameEvent, samples: Float32Array): void {
    const segment = this.#segment ?? this.#begin(frame);
    if (segment === undefined) return this.#options.deliver(frame);
    segment.add(frame, samples);
    if (segment.state === "deciding") {
      this.#held.push(frame);
      return this.#decide(segment, frame.atMs);
    }
    if (segment.state === "caller") this.#options.deliver(frame);
    else if (this.#refuse(segment, frame)) return;
    if (frame.atMs - segment.lastVoicedMs >= GAP_MS) return this.#end(segment);
    if (segment.voicedMs >= segment.checkAtMs && !this.#isChecking) this.#look(segment);
  }

  /** The voice under way counts as the caller's, because the client does not wait. */
  flush(): void {
    if (this.#segment?.state === "deciding") this.#accept(this.#segment);
  }

  /** The turn had words, so its voices are callers'. */
  learn(startMs: number, endMs: number): void {
    for (const part of this.#parts.filter(({ fromMs }) => fromMs < endMs)) {
      if (part.toMs > startMs) this.#voices.learn(part);
      part.vector.fill(0);
    }
    this.#parts = this.#parts.filter(({ fromMs }) => fromMs >= endMs);
  }

  /** Erases what is known of the voices. */
  close(): void {
    this.#voices.forget();
    for (const { vector } of this.#parts) vector.fill(0);
    this.#parts = [];
    this.#held = [];
    this.#segment?.nextPart();
    this.#segment = undefined;
  }

  #begin(frame: FrameEvent): VoiceSegment | undefined {
    if (!isSpeech(frame)) return undefined;
    this.#louder = 0;
    const isKnown = this.#voices.areReliable;
    return (this.#segment = new VoiceSegment(frame, isKnown ? "deciding" : "caller", isKnown ? CHECK_MS : PART_MS));
  }

  #end(segment: VoiceSegment): void {
    segment.nextPart();
    this.#segment = undefined;
    if (segment.state === "other") this.#refused.join(segment.whole);
  }

  #decide(segment: VoiceSegment, atMs: number): void {
    if (this.#isChecking) return;
    const isOver = atMs - segment.lastVoicedMs >= SHORT_PAUSE_MS;
    if (atMs - segment.startMs >= LONGEST_WAIT_MS) return this.#accept(segment);
    const isAmongOthers = segment.startMs - this.#otherUntilMs < AMONG_OTHERS_MS;
    if (isOver && segment.voicedMs < SHORTEST_MS) {
      const isCallers = isCallersShort(this.#voices.belowDb(segment.levelDbfs), isAmongOthers);
      return isCallers ? this.#accept(segment) : this.#reject(segment);
    }
    if (!isOver && segment.voicedMs < segment.checkAtMs) return;
    this.#check(segment, (heard) => {
      const likeness = heard && this.#voices.likeness(heard);
      if (likeness === undefined || segment.state !== "deciding") return this.#accept(segment);
      const refusedMs = this.#refused.voicedMs;
      const refusedBelowDb = this.#voices.belowDb(this.#refused.levelWith(segment.whole));
      const { voicedMs } = heard!;
      const verdict = judgeVoice({ ...likeness, voicedMs, isOver, refusedMs, refusedBelowDb });
      if (typeof verdict === "object") {
        segment.checkAtMs = verdict.checkAtMs;
        return;
      }
      if (verdict === "other") return this.#reject(segment);
      if (verdict === "new caller") this.#voices.welcome(heard!);
      this.#keep(heard!);
      this.#accept(segment);
    });
  }

  #accept(segment: VoiceSegment): void {
    segment.state = "caller";
    segment.checkAtMs = segment.voicedMs + PART_MS;
    segment.nextPart();
    this.#refused.clear();
    for (const frame of this.#held.splice(0)) this.#options.deliver(frame);
  }

  #reject(segment: VoiceSegment): void {
    segment.state = "other";
    segment.checkAtMs = segment.voicedMs + PART_MS;
    this.#otherDbfs = segment.levelDbfs;
    segment.nextPart();
    this.#options.silence(toSamples(segment.startMs), toSamples(segment.lastVoicedMs));
    for (const frame of this.#held.splice(0)) this.#options.deliver({ ...frame, probability: 0 });
    this.#otherUntilMs = segment.lastVoicedMs;
  }

  /** A frame of another voice. True: the caller has begun to speak over it. */
  #refuse(segment: VoiceSegment, frame: FrameEvent): boolean {
    this.#otherUntilMs = segment.lastVoicedMs;
    const isLouder = isSpeech(frame) && levelOf(frame) >= this.#otherDbfs + RISE_DB;
    this.#louder = isLouder ? this.#louder + 1 : Math.max(0, this.#louder - 1);
    this.#options.deliver({ ...frame, probability: 0 });
    if (this.#louder >= RISE_FRAMES) {
      this.#begin(frame);
      return true;
    }
    const to = toSamples(frame.atMs - RISE_FRAMES * frame.frameMs);
    this.#options.silence(to - toSamples(frame.frameMs), to);
    return false;
  }

  /** The caller's voice goes on: it is learned when its turn has words. Another voice goes on: it may have become the caller's. */
  #look(segment: VoiceSegment): void {
    segment.checkAtMs = segment.voicedMs + PART_MS;
    this.#check(segment, (heard) => {
      const likeness = heard && this.#voices.likeness(heard);
      segment.nextPart();
      if (segment.state === "caller" && heard !== undefined) this.#keep(heard);
      else if (likeness === undefined || isSurelyCaller(likeness)) segment.state = "caller";
    });
  }

  #keep(part: HeardPart): void {
    this.#parts.push(part);
    if (this.#parts.length > MOST_PARTS) this.#parts.shift()!.vector.fill(0);
  }

  /** Describes the newest clip of a voice, and calls back. Without a description the model failed. */
  #check(segment: VoiceSegment, heard: (part: HeardPart | undefined) => void): void {
    this.#isChecking = true;
    this.#options.tasks.own(this.#describe(segment, heard));
  }

  async #describe(segment: VoiceSegment, heard: (part: HeardPart | undefined) => void): Promise<void> {
    const { encoder, signal, resume } = this.#options;
    let vector: Float32Array | undefined;
    try {
      vector = await encoder.embed(segment.clip, signal);
      this.#failures.succeeded();
    } catch (error) {
      if (!signal.aborted) this.#failures.failed(error);
    }
    this.#isChecking = false;
    const part = vector && segment.describe(vector);
    vector?.fill(0);
    if (!signal.aborted) heard(part);
    if (part !== undefined && !this.#parts.includes(part)) part.vector.fill(0);
    if (signal.aborted) segment.nextPart();
    else resume();
  }
}
