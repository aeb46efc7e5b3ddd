import type { LevelMeter } from "../audio/level.ts";
import type { MessageId } from "../doors/voice/message-id.ts";
import type { ServerData } from "../doors/voice/server-messages.ts";
import type { SessionSettings } from "../doors/voice/session-settings.ts";
import type { TurnEffect } from "./turn/turn-state.ts";
import type { ClientPort } from "./session-interface.ts";
import type { Hypothesis } from "./transcripts/turn-words.ts";

export type Stage = "vad" | "stt" | "llm" | "tts" | "emotion" | "end of turn";

type TurnEventType = "turn_interrupted" | "voice_activity";

type CommittedTurn = TurnEffect & { type: "commit-turn" };

/** One `voice_activity` message per this much audio. */
const ACTIVITY_MS = 200;

/** Says to the client what happens in its session, in the interface's words. */
export class Announcer {
  readonly #client: ClientPort;
  readonly #connectionId: string;
  /** Turn events are for clients that asked for turn detection; the conversation itself goes on without them. */
  readonly #wantsTurnEvents: () => boolean;
  /** Turns whose start was told: a client that switches in the middle of one still gets each turn whole, or not at all. */
  readonly #told = new Set<number>();
  #activityDueMs = 0;

  constructor(client: ClientPort, connectionId: string, wantsTurnEvents: () => boolean) {
    this.#client = client;
    this.#connectionId = connectionId;
    this.#wantsTurnEvents = wantsTurnEvents;
  }

  /** Answers the `session_settings` message with the id `replyTo`. */
  ready(settings: SessionSettings, replyTo: MessageId | undefined): void {
    this.#client.send("status", {
      status: "ready",
      details: {
        session_settings: settings.audio,
        applied_settings: settings,
        ...(replyTo === undefined ? {} : { reply_to: replyTo }),
      },
    });
  }

  #turnId(turn: number): string {
    return `${this.#connectionId}.${turn}`;
  }

  #turnEvent<Type extends TurnEventType>(type: Type, data: ServerData[Type]): void {
    if (this.#wantsTurnEvents()) this.#client.send(type, data);
  }

  turnStart(turn: number, interrupts: boolean): void {
    if (!this.#wantsTurnEvents()) return;
    this.#told.add(turn);
    this.#client.send("turn_start", { turn_id: this.#turnId(turn), interrupted_tts: interrupts });
  }

  /** Said at once when the box took the turn without thinking that all was said. */
  timedOut({ turn, cause }: CommittedTurn): void {
    if (cause === "silence" || !this.#told.has(turn)) return;
    const interruption_type = cause === "max-duration" ? "system_timeout" : "silence_timeout";
    this.#client.send("turn_interrupted", { interruption_type });
  }

  turnEnd({ turn, startMs, endMs, cause, confidence }: CommittedTurn, final: Hypothesis): void {
    const transcript = final.accumulated;
    const incomplete = cause !== "silence";
    if (transcript !== "") this.transcription(final, true, true, incomplete);
    if (!this.#told.delete(turn)) return;
    this.#client.send("turn_end", {
      turn_id: this.#turnId(turn),
      duration: (endMs - startMs) / 1000,
      is_complete: !incomplete && transcript !== "",
      confidence,
      transcript,
    });
  }

  /** The audible reply was stopped. */
  replyInterrupted(): void {
    this.#client.send("tts_interruption", { content: "" });
    this.#turnEvent("turn_interrupted", { interruption_type: "user_speech" });
  }

  /** Called for each frame; told now and then, once for all that was skipped. */
  activity(atMs: number, { activityLevel, backgroundNoiseLevel }: LevelMeter): void {
    if (atMs < this.#activityDueMs) return;
    this.#activityDueMs = (Math.floor(atMs / ACTIVITY_MS) + 1) * ACTIVITY_MS;
    this.#turnEvent("voice_activity", { activity_level: activityLevel, background_noise_level: backgroundNoiseLevel });
  }

  /** `incomplete`: there is more to come of the turn, or the box had to end it before it thought that all was said. */
  transcription(hypothesis: Hypothesis, isFinal: boolean, isSpeechFinal: boolean, incomplete = !isSpeechFinal): void {
    this.#client.send("transcription", {
      transcript: hypothesis.text,
      confidence: hypothesis.confidence,
      is_final: isFinal,
      is_speech_final: isSpeechFinal,
      session_id: this.#connectionId,
      words: [...hypothesis.words],
      accumulated_transcript: hypothesis.accumulated,
      is_turn_incomplete: incomplete,
      original_fragment: hypothesis.text,
    });
  }

  /** `cause`: a code for the operator. The cause's own text stays in the box: it may name files. */
  failure(stage: Stage, cause: string, turn: number | undefined): void {
    const details = { stage, cause, ...(turn === undefined ? {} : { turn_id: this.#turnId(turn) }) };
    this.#client.send("error", { ...FAILURES[stage], details });
  }
}

const FAILURES: Readonly<Record<Stage, { error_code: string; error_message: string }>> = {
  vad: {
    error_code: "AUDIO_PROCESSING_FAILED",
    error_message: "Some audio could not be processed; the conversation goes on.",
  },
  stt: { error_code: "STT_UNAVAILABLE", error_message: "Speech could not be recognised; please say it again." },
  llm: { error_code: "LLM_UNAVAILABLE", error_message: "No reply could be written; please try again." },
  tts: { error_code: "TTS_UNAVAILABLE", error_message: "The reply could not be spoken; please try again." },
  emotion: {
    error_code: "EMOTION_UNAVAILABLE",
    error_message: "Emotion could not be detected; the conversation goes on.",
  },
  "end of turn": {
    error_code: "TURN_DETECTION_DEGRADED",
    error_message: "Pauses are told from the end of a turn by silence alone for now; the conversation goes on.",
  },
};
