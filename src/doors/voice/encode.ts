import { randomUUID } from "node:crypto";
import type { FailureCode, SessionEvent } from "../../conversation/events.ts";
import type { SessionSettings } from "../../config/settings/session-settings.ts";
import type { Hypothesis } from "../../conversation/hypothesis.ts";
import { deepMerge } from "../../shared/deep-merge.ts";
import { encodeEmotion } from "./encode-emotion.ts";
import type { MessageId } from "./message-id.ts";
import { encodeToolEvent } from "./encode-tool-event.ts";
import { payload, type ServerPayload } from "./server-messages.ts";
import { AUDIO, encodeSettings } from "../../config/settings/settings-form.ts";
import type { SessionSettingsPatch } from "../../config/settings/settings-schema.ts";

export interface VoiceEncoderOptions {
  readonly connectionId: string;
  /** The client sees arguments and results of the tools that the server runs. */
  readonly mayInspect?: boolean | undefined;
  /** Measures how long words take. */
  readonly nowMs: () => number;
}

/** Encodes the events of one session as messages of the native interface. */
export class VoiceEncoder {
  readonly #connectionId: string;
  readonly #mayInspect: boolean;
  readonly #nowMs: () => number;
  /** When the turns ended whose words are being decoded. */
  readonly #committed = new Map<number, number>();
  #wantsTurnEvents = false;
  #wantsToolEvents = false;
  /** Turns whose start was sent, so that a client that changes the setting during a turn gets that turn whole or not at all. */
  readonly #announced = new Set<number>();
  /** Replies whose text is not complete. */
  readonly #replies = new Map<number, { readonly id: string; chunks: number }>();
  /** The client's settings in its digits, because numbers of 17 digits change with a conversion of units. */
  #sentSettings: SessionSettingsPatch = {};
  #replyTo: MessageId | undefined;

  constructor({ connectionId, mayInspect = false, nowMs }: VoiceEncoderOptions) {
    this.#connectionId = connectionId;
    this.#mayInspect = mayInspect;
    this.#nowMs = nowMs;
  }

  /** Call before the session is configured by a `session_settings` message: the next `ready` answers it. */
  answers(messageId: MessageId, patch: SessionSettingsPatch): void {
    this.#replyTo = messageId;
    this.#sentSettings = deepMerge(this.#sentSettings, patch);
  }

  encode(event: SessionEvent): readonly ServerPayload[] {
    switch (event.type) {
      case "ready":
        return [this.#ready(event.settings)];
      case "turn-started": {
        if (!this.#wantsTurnEvents) return [];
        this.#announced.add(event.turn);
        return [payload("turn_start", { turn_id: this.#turnId(event.turn), interrupted_tts: event.interrupts })];
      }
      case "transcript":
        return [this.#transcription(event.transcript, { isFinal: event.settled, isIncomplete: true })];
      case "overlap-transcript":
        return [this.#transcription(event.transcript, { isFinal: true, isIncomplete: false })];
      case "turn-timed-out": {
        if (!this.#announced.has(event.turn)) return [];
        const interruption_type = event.cause === "max-duration" ? "system_timeout" : "silence_timeout";
        return [payload("turn_interrupted", { interruption_type })];
      }
      case "language-heard":
        return [payload("status", { status: "language", details: { language: event.language } })];
      case "recording":
        return [payload("status", { status: "recording", details: { state: event.state } })];
      case "turn-ended":
        return this.#turnEnded(event);
      case "reply-text":
        return [this.#replyText(event)];
      case "reply-audio":
        return [payload("tts_chunk", { content: base64(event.pcm) })];
      case "client-tool-call":
      case "tool-started":
      case "tool-ended":
      case "tool-state":
      case "call-ended":
        return this.#wantsToolEvents ? encodeToolEvent(event, this.#mayInspect) : [];
      case "turn-committed":
        this.#committed.set(event.turn, this.#nowMs());
        return [];
      case "caller-idle":
      case "reply-started":
      case "request-ended":
      case "tool-call":
        return [];
      case "reply-held":
      case "reply-resumed":
        // The client plays what it has. A short hold is inaudible then.
        return [];
      case "reply-ended": {
        if (event.how !== "interrupted") return [];
        const interruption = payload("tts_interruption", { content: "" });
        if (!this.#wantsTurnEvents) return [interruption];
        return [interruption, payload("turn_interrupted", { interruption_type: "user_speech" })];
      }
      case "emotion": {
        const update = encodeEmotion(event, this.#connectionId);
        return update === undefined ? [] : [payload("emotion_update", update)];
      }
      case "level": {
        const { activity, noise, type: _type, ...kind } = event;
        if (!this.#wantsTurnEvents) return [];
        return [payload("voice_activity", { activity_level: activity, background_noise_level: noise, ...kind })];
      }
      case "failure": {
        const { stage, code, cause, turn } = event;
        const details = { stage, cause, ...(turn === undefined ? {} : { turn_id: this.#turnId(turn) }) };
        return [payload("error", { error_code: code, error_message: FAILURES[code], details })];
      }
    }
  }

  #turnId(turn: number): string {
    return `${this.#connectionId}.${turn}`;
  }

  #ready(settings: SessionSettings): ServerPayload {
    this.#wantsTurnEvents = settings.turnDetection.enabled;
    this.#wantsToolEvents = settings.runsTools;
    const replyTo = this.#replyTo;
    this.#replyTo = undefined;
    return payload("status", {
      status: "ready",
      details: {
        session_settings: AUDIO,
        applied_settings: deepMerge(encodeSettings(settings), this.#sentSettings),
        ...(replyTo === undefined ? {} : { reply_to: replyTo }),
      },
    });
  }

  #turnEnded({ turn, cause, durationMs, confidence, transcript, language }: SessionEvent & { type: "turn-ended" }) {
    const text = transcript.accumulated;
    const isIncomplete = cause !== "silence";
    const committedMs = this.#committed.get(turn);
    this.#committed.delete(turn);
    const messages: ServerPayload[] = [];
    if (text !== "")
      messages.push(this.#transcription(transcript, { isFinal: true, isSpeechFinal: true, isIncomplete, language }));
    if (this.#announced.delete(turn))
      messages.push(
        payload("turn_end", {
          turn_id: this.#turnId(turn),
          duration: durationMs / 1000,
          is_complete: !isIncomplete && text !== "" && transcript.isDoubtful !== true,
          confidence,
          transcript: text,
          ...(committedMs === undefined ? {} : { decode_duration: (this.#nowMs() - committedMs) / 1000 }),
        }),
      );
    return messages;
  }

  #transcription(
    { text, confidence, words, accumulated, isDoubtful = false }: Hypothesis,
    flags: {
      readonly isFinal: boolean;
      readonly isSpeechFinal?: boolean;
      readonly isIncomplete: boolean;
      readonly language?: string | undefined;
    },
  ): ServerPayload {
    return payload("transcription", {
      transcript: text,
      confidence,
      is_final: flags.isFinal,
      is_speech_final: flags.isSpeechFinal ?? false,
      session_id: this.#connectionId,
      words: [...words],
      accumulated_transcript: accumulated,
      is_turn_incomplete: flags.isIncomplete,
      original_fragment: text,
      ...(isDoubtful ? { doubtful: true } : {}),
      ...(flags.language === undefined ? {} : { language: flags.language }),
    });
  }

  #replyText({ reply, text, last }: SessionEvent & { type: "reply-text" }): ServerPayload {
    const generation = this.#replies.get(reply) ?? { id: randomUUID(), chunks: 0 };
    if (last) this.#replies.delete(reply);
    else this.#replies.set(reply, generation);
    const chunk_index = generation.chunks++;
    return payload("llm_response_chunk", { content: text, is_final: last, generation_id: generation.id, chunk_index });
  }
}

const base64 = ({ buffer, byteOffset, byteLength }: Int16Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("base64");

const FAILURES: Readonly<Record<FailureCode, string>> = {
  AUDIO_PROCESSING_FAILED: "Some audio could not be processed; the conversation goes on.",
  STT_UNAVAILABLE: "Speech could not be recognised; please say it again.",
  LLM_UNAVAILABLE: "No reply could be written; please try again.",
  TTS_UNAVAILABLE: "The reply could not be spoken; please try again.",
  EMOTION_UNAVAILABLE: "Emotion could not be detected; the conversation goes on.",
  TURN_DETECTION_DEGRADED: "Silence alone ends turns for now; the conversation goes on.",
  SPEAKER_UNAVAILABLE: "All voices count as the caller's for now; the conversation goes on.",
};
