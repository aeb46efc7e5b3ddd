import { CALL_HZ, CALL_SAMPLES_PER_MS, MODEL_HZ } from "../../audio/format.ts";
import { ArrivalTimes } from "./arrival-times.ts";
import { CallerLevel } from "./caller-level.ts";
import { CallerGate, type CallerGateOptions } from "./front-end/caller-gate.ts";
import { NoiseSuppression, type NoiseSuppressionOptions } from "./front-end/noise-suppression.ts";
import type { LevelMeter } from "../../audio/level.ts";
import { int16ToFloat } from "../../audio/pcm16.ts";
import { Resampler } from "../../audio/resampler.ts";
import { DcBlocker } from "../../audio/dc-blocker.ts";
import { SampleRing } from "../../audio/ring-buffer.ts";
import type { Clock } from "../../shared/clock.ts";
import { OakError } from "../../shared/errors.ts";
import { FailureReporter } from "../../shared/failure-reporter.ts";
import type { FaultBoundary } from "../../shared/fault-boundary.ts";
import type { FrameEvent } from "../turn/machine/turn-state.ts";
import type { SoundKind, VoiceActivityDetector } from "../../engines/vad/voice-activity-detector.ts";
import { toMs, toSamples } from "../session-time.ts";
import { ReplyEcho } from "./reply-echo.ts";

const RING_SECONDS = 40;
/** A client that sends nothing for this long in mid-turn has stopped speaking: silence replaces its audio. */
const STALL_MS = 300;
const STALL_STEP_MS = 100;

/** Frames of a burst that are processed before the event loop continues, so that other callers do not wait. */
const FRAMES_IN_A_ROW = 8;

export interface AudioInputOptions {
  readonly detector: VoiceActivityDetector;
  /** Absent: noise is not suppressed. */
  readonly suppression?: NoiseSuppressionOptions | undefined;
  /** Absent: all voices are the caller's. */
  readonly speaker?: Pick<CallerGateOptions, "encoder" | "tasks" | "onFailure"> | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Returns true while a gap in the stream must not stop session time, because a turn may be under way. */
  readonly onFrame: (frame: FrameEvent) => boolean;
  /** The detector failed. Called once until the detector works again. Exceptions from `onFrame` go to `faults` instead. */
  readonly onFailure: (error: unknown) => void;
  readonly faults: FaultBoundary;
}

/** Resamples the caller's audio to 16 kHz, keeps it in a ring, and runs the voice activity detector on each frame. */
export class AudioInput {
  readonly ring = new SampleRing(RING_SECONDS * MODEL_HZ);
  readonly #level: CallerLevel;
  readonly #options: AudioInputOptions;
  #suppression: NoiseSuppression | undefined;
  readonly #gate: CallerGate | undefined;
  readonly #resampler = new Resampler(CALL_HZ, MODEL_HZ);
  readonly #offset = new DcBlocker();
  readonly #frame: Float32Array;
  #call = new Float32Array(CALL_HZ / 5);
  readonly #echo = new ReplyEcho();
  readonly #arrivals = new ArrivalTimes();
  /** The part of the ring in which silence replaces missing audio, in samples. */
  #standIn = { start: 0, end: 0 };
  #position = 0;
  /** The frames before this position were given to `onFrame`. */
  #given = 0;
  #busy = false;
  readonly #detectorFailures: FailureReporter;
  #needsTime = false;
  /** Callbacks that wait until the audio before their position is heard. */
  readonly #marks: { readonly position: number; readonly callback: (atMs: number) => void }[] = [];
  #cancelStall: (() => void) | undefined;
  /** When the stream counts as stopped, unless more audio comes. One timer watches it, and only while it is needed: each timer wakes the process. */
  #stallsAtMs = 0;

  constructor(options: AudioInputOptions) {
    this.#options = options;
    this.#detectorFailures = new FailureReporter(options.onFailure);
    const { suppression } = options;
    const { frameSamples } = options.detector;
    this.#frame = new Float32Array(frameSamples);
    this.#level = new CallerLevel(frameSamples);
    this.#suppression = suppression && new NoiseSuppression(suppression, frameSamples);
    this.#gate =
      options.speaker &&
      new CallerGate({
        ...options.speaker,
        signal: options.signal,
        deliver: (frame) => this.#give(frame),
        silence: (from, to) => this.ring.silence(from, to),
        resume: () => this.#resume(),
      });
    options.signal.addEventListener("abort", () => this.#close(), { once: true });
  }

  #close(): void {
    this.#cancelStall?.();
    this.#suppression?.close();
    this.#gate?.close();
  }

  /** The turn had words. */
  turnHadWords(startMs: number, endMs: number): void {
    this.#gate?.learn(startMs, endMs);
  }

  /** Levels of the caller's audio. */
  get meter(): LevelMeter {
    return this.#level.meter;
  }

  /** Kind of the newest sound. */
  get kind(): SoundKind | undefined {
    return this.#options.detector.kind;
  }

  /** Samples at `CALL_HZ`. They are not kept. */
  push(pcm: Int16Array): void {
    this.#take(pcm, STALL_MS);
  }

  /** `stallMs`: time without audio after which the stream counts as stopped. */
  #take(pcm: Int16Array, stallMs: number): void {
    if (this.#options.signal.aborted) return;
    if (this.#call.length < pcm.length) this.#call = new Float32Array(pcm.length);
    const samples = int16ToFloat(pcm, this.#call);
    const call = this.#offset.process(this.#call.subarray(0, samples));
    this.ring.write(this.#resampler.process(call));
    this.#suppressing((suppression) => suppression.push(call));
    const nowMs = this.#options.clock.nowMs();
    this.#arrivals.add(nowMs, toMs(this.ring.end));
    this.#echo.heard(this.#arrivals.epochMs ?? nowMs);
    this.#stallsAtMs = nowMs + stallMs;
    if (!this.#busy) this.#drain();
  }

  /** How much later than the earliest audio the latest recent audio came, in ms. */
  get jitterMs(): number {
    return this.#arrivals.jitterMs;
  }

  /** The next audio comes over another connection, after a gap that session time does not have, or none comes. */
  reconnect(): void {
    this.#arrivals.restart();
    this.#needsTime = true;
    this.#stallsAtMs = this.#options.clock.nowMs() + STALL_MS;
    this.#watchStall();
  }

  /** Calls back when all audio so far has been heard, except a last part that is shorter than a frame. */
  whenHeard(callback: (atMs: number) => void): void {
    this.#marks.push({ position: this.ring.end, callback });
    this.#gate?.flush();
    if (!this.#busy) this.#passMarks();
  }

  #passMarks(): void {
    for (;;) {
      const [mark] = this.#marks;
      if (mark === undefined || mark.position >= this.#given + this.#frame.length) return;
      this.#marks.shift();
      mark.callback(toMs(mark.position));
    }
  }

  /** Reply speech at `CALL_HZ`, which the client plays from `playsAtMs` of the clock on. */
  sent(pcm: Int16Array, playsAtMs: number): void {
    this.#echo.sent(pcm, playsAtMs, this.#arrivals.epochMs);
  }

  /** True when the microphone may pick up the reply. */
  get suspectsEcho(): boolean {
    return this.#echo.guard.suspectsEcho;
  }

  /** True when the microphone is known to pick up the reply. */
  get hearsEcho(): boolean {
    return this.#echo.guard.hearsEcho;
  }

  /** True when the microphone is known not to pick up the reply. */
  get rulesOutEcho(): boolean {
    return this.#echo.guard.rulesOutEcho;
  }

  /** Not async: a promise for each chunk of audio would be garbage. */
  #drain(): void {
    const { signal, onFailure, faults } = this.#options;
    const { length } = this.#frame;
    this.#busy = true;
    let inARow = 0;
    while (this.#hasFrame() && !signal.aborted) {
      if (!this.ring.readInto(this.#position, this.#frame)) {
        this.#position = this.ring.start;
        this.#echo.guard.skipTo(toMs(this.#position));
        onFailure(
          new OakError("audio arrived faster than it could be processed, and some of it was skipped", {
            code: "AUDIO_SKIPPED",
          }),
        );
        continue;
      }
      const standsIn = this.#position < this.#standIn.end && this.#position + length > this.#standIn.start;
      this.#position += length;
      this.#level.update(this.#frame, standsIn);
      this.#suppressing((suppression) => suppression.follow(this.meter.noiseFloorDbfs, this.#position));
      const echo = this.#echo.guard.heard(this.#frame);
      const probability = this.#speechProbability();
      if (probability !== undefined) this.#hear(this.#frameEvent(probability, echo));
      if (this.#gate?.isHolding !== true) this.#given = this.#position;
      this.#passMarks();
      inARow += 1;
      if (inARow === FRAMES_IN_A_ROW) {
        setImmediate(() => faults.run(() => this.#drain()));
        return;
      }
    }
    this.#busy = false;
    this.#watchStall();
  }

  #hear(frame: FrameEvent): void {
    if (this.#gate === undefined) return this.#give(frame);
    this.#gate.take(frame, this.#frame);
    if (this.#marks.length > 0) this.#gate.flush();
    // Silence must follow when the client sends nothing more, or the voice would never be judged.
    this.#needsTime ||= this.#gate.isHolding;
  }

  #give(frame: FrameEvent): void {
    this.#given = toSamples(frame.atMs);
    this.#needsTime = this.#options.onFrame(frame);
  }

  /** The gate has judged the frames that waited. */
  #resume(): void {
    this.#passMarks();
    if (!this.#busy) this.#drain();
  }

  /** A client's mark must not wait for audio that may never come. */
  #hasFrame(): boolean {
    const end = this.#position + this.#frame.length;
    if (this.#gate?.isBusy === true) return false;
    return this.ring.end >= end && (this.#marks.length > 0 || this.#suppression?.isAwaited(end) !== true);
  }

  /** A call whose suppression fails goes on without it. */
  #suppressing<Result>(work: (suppression: NoiseSuppression) => Result): Result | undefined {
    if (this.#suppression === undefined) return undefined;
    try {
      return work(this.#suppression);
    } catch (error) {
      this.#suppression.close();
      this.#suppression = undefined;
      this.#options.onFailure(error);
      return undefined;
    }
  }

  /** Speech probability of the newest frame; undefined when the detector fails. */
  #speechProbability(): number | undefined {
    try {
      const probability = this.#options.detector.speechProbability(this.#frame);
      this.#detectorFailures.succeeded();
      return probability;
    } catch (error) {
      this.#detectorFailures.failed(error);
      return undefined;
    }
  }

  /** The event of the newest frame. */
  #frameEvent(probability: number, echo: boolean): FrameEvent {
    const atSample = this.#position - this.#frame.length;
    const atMs = toMs(this.#position);
    const frameMs = toMs(this.#frame.length);
    const { levelDbfs, noiseFloorDbfs } = this.meter;
    const aboveNoiseDb = levelDbfs - noiseFloorDbfs;
    const suppressed = this.#suppressing((suppression) => suppression.hear(atSample, probability));
    const plain = { type: "frame", atMs, frameMs, probability, echo, aboveNoiseDb, noiseFloorDbfs } as const;
    return suppressed === undefined ? plain : { ...plain, ...suppressed };
  }

  #watchStall(): void {
    const { clock, signal } = this.#options;
    if (this.#cancelStall !== undefined || signal.aborted || !this.#needsTime) return;
    this.#cancelStall = clock.after(Math.max(1, this.#stallsAtMs - clock.nowMs()), () => {
      this.#cancelStall = undefined;
      if (clock.nowMs() < this.#stallsAtMs) this.#watchStall();
      else if (this.#needsTime) this.#standInFor(STALL_STEP_MS);
    });
  }

  #standInFor(ms: number): void {
    const start = this.ring.end;
    const goesOn = this.#standIn.end === start;
    this.#standIn = { start: goesOn ? this.#standIn.start : start, end: start + (ms * MODEL_HZ) / 1000 };
    this.#take(new Int16Array(ms * CALL_SAMPLES_PER_MS), ms);
  }
}
