import type { SampleRing } from "../../audio/ring-buffer.ts";
import type { Language } from "../../language/language.ts";
import type { Clock } from "../../shared/clock.ts";
import type { FaultBoundary } from "../../shared/fault-boundary.ts";
import type { Tasks } from "../../shared/tasks.ts";
import type { Emit, Stage } from "../events.ts";
import type { Engines } from "../../engines/engines.ts";
import { toSamples } from "../session-time.ts";
import type { EmotionSettings } from "../../config/settings/session-settings.ts";
import type { FrameEvent } from "../turn/machine/turn-state.ts";
import { AudioInput } from "./audio-input.ts";
import { EmotionWatch } from "./emotion-watch.ts";
import { EndOfTurnWatch } from "./end-of-turn-watch.ts";

/** One `level` event per this much audio. */
const LEVEL_MS = 200;

export interface EarOptions {
  readonly engines: Pick<Engines, "vad" | "noise" | "emotion" | "endOfTurn" | "speaker">;
  /** The settings want noise to be suppressed. */
  readonly suppressesNoise: () => boolean;
  /** The voice configuration wants only the caller to be heard. */
  readonly onlyCaller: boolean;
  readonly language: () => Language;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly tasks: Tasks;
  readonly faults: FaultBoundary;
  readonly emit: Emit;
  /** See `AudioInputOptions`. */
  readonly onFrame: (frame: FrameEvent) => boolean;
  readonly onFailure: (stage: Stage, error: unknown) => void;
}

/** Everything that hears the caller's audio except the recogniser: voice activity, echo, level, emotion, end of turn. */
export class Ear {
  readonly #input: AudioInput;
  readonly #emotion: EmotionWatch;
  readonly #endOfTurn: EndOfTurnWatch;
  readonly #emit: Emit;
  #levelDueMs = 0;

  constructor(options: EarOptions) {
    const { engines, onFailure } = options;
    this.#emit = options.emit;
    this.#input = new AudioInput({
      ...options,
      detector: engines.vad.open(),
      suppression: engines.noise && { engine: engines.noise, vad: engines.vad, isOn: options.suppressesNoise },
      speaker:
        options.onlyCaller && engines.speaker !== undefined
          ? { encoder: engines.speaker, tasks: options.tasks, onFailure: (error) => onFailure("speaker", error) }
          : undefined,
      onFailure: (error) => onFailure("vad", error),
    });
    const { ring } = this.#input;
    this.#emotion = new EmotionWatch({
      ...options,
      classifier: engines.emotion,
      ring,
      onFailure: (error) => onFailure("emotion", error),
    });
    this.#endOfTurn = new EndOfTurnWatch({
      ...options,
      model: engines.endOfTurn,
      ring,
      onFailure: (error) => onFailure("end of turn", error),
    });
  }

  /** The caller's audio at `MODEL_HZ`. */
  get ring(): SampleRing {
    return this.#input.ring;
  }

  /** Whether the microphone picks up the reply. */
  get echo(): Pick<AudioInput, "suspectsEcho" | "hearsEcho" | "rulesOutEcho"> {
    return this.#input;
  }

  /** See `AudioInput.jitterMs`. */
  get jitterMs(): number {
    return this.#input.jitterMs;
  }

  /** Samples at `CALL_HZ`. They are not kept. */
  push(pcm: Int16Array): void {
    this.#input.push(pcm);
  }

  /** The line has music and no voice. */
  get hearsMusic(): boolean {
    return this.#input.kind === "music";
  }

  /** Calls back when all audio so far has been heard, with the session time of its end. */
  whenHeard(callback: (atMs: number) => void): void {
    this.#input.whenHeard(callback);
  }

  /** The next audio comes over another connection, after a gap. */
  reconnect(): void {
    this.#input.reconnect();
  }

  /** Reply speech at `CALL_HZ`, which the client plays from `playsAtMs` of the clock on: its echo is not the caller. */
  replySent(pcm: Int16Array, playsAtMs: number): void {
    this.#input.sent(pcm, playsAtMs);
  }

  /** Call once per frame, after the turn machine: reports emotion and level when they are due. */
  report(atMs: number, speaking: boolean, settings: EmotionSettings): void {
    this.#emotion.onFrame(toSamples(atMs), speaking, settings);
    if (atMs < this.#levelDueMs) return;
    this.#levelDueMs = (Math.floor(atMs / LEVEL_MS) + 1) * LEVEL_MS;
    const { activityLevel, backgroundNoiseLevel } = this.#input.meter;
    const { kind } = this.#input;
    this.#emit({ type: "level", activity: activityLevel, noise: backgroundNoiseLevel, ...(kind && { kind }) });
  }

  /** The turn had words, so its voice is the caller's. */
  turnHadWords(startMs: number, endMs: number): void {
    this.#input.turnHadWords(startMs, endMs);
  }

  /** See `EmotionWatch.prepareTurnEnd`. */
  prepareTurnEnd(startMs: number, endMs: number, settings: EmotionSettings): void {
    this.#emotion.prepareTurnEnd(toSamples(startMs), toSamples(endMs), settings);
  }

  /** See `EmotionWatch.onTurnEnd`. */
  turnEnded(startMs: number, endMs: number, settings: EmotionSettings): Promise<void> {
    return this.#emotion.onTurnEnd(toSamples(startMs), toSamples(endMs), settings);
  }

  /** Probability that the pause from `pauseMs` on ends the turn that began at `startMs`; undefined when it is not known. */
  judgePause(startMs: number, pauseMs: number, atMs: number): Promise<number | undefined> {
    return this.#endOfTurn.judge(toSamples(startMs), toSamples(pauseMs), toSamples(atMs));
  }

  /** Log odds that the words of the turn so far add to the odds that it is over. */
  oddsByWords(text: string, confidence: number, isAnswer: boolean): number {
    return this.#endOfTurn.oddsByWords(text, confidence, isAnswer);
  }
}
