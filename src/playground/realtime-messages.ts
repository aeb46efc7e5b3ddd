import type { ServerEventData, ServerEventType } from "../doors/realtime/server/server-events.ts";
import type { ServerData, ServerMessageType } from "../doors/voice/server-messages.ts";
import { uuid } from "../client/bytes.ts";

type RealtimeEvent = {
  [Type in ServerEventType]: ServerEventData<Type> & { readonly type: Type };
}[ServerEventType];

const AUDIO = { sample_rate: 24_000, channels: 1, encoding: "linear16" } as const;

/** Turns the events of an OpenAI Realtime session into messages of the native interface, as text frames. */
export class RealtimeMessages {
  readonly #connectionId: string;
  readonly #take: (frame: string) => void;
  #turns = 0;
  #startedMs = 0;
  #seconds = 0;
  #stoppedMs = 0;
  /** The response that is sent now, and the pieces of its text so far. */
  #response: string | undefined;
  #pieces = 0;

  constructor(connectionId: string, take: (frame: string) => void) {
    this.#connectionId = connectionId;
    this.#take = take;
  }

  receive(frame: string): void {
    const event = JSON.parse(frame) as RealtimeEvent;
    switch (event.type) {
      case "session.created":
        return this.#send("connection_metadata", {
          connection_id: this.#connectionId,
          status: "connected",
          config: { ...AUDIO, audio_format: "pcm_24khz_16bit_mono" },
          project_id: "",
          config_id: String(event.session["model"]),
        });
      case "session.updated":
        return this.#send("status", { status: "ready", details: { session_settings: AUDIO } });
      case "error": {
        const { code, message, event_id } = event.error;
        const details = event_id === null ? {} : { reply_to: event_id };
        // The close frame has the same code in capitals.
        return this.#send("error", { error_code: (code ?? "").toUpperCase(), error_message: message, details });
      }
      case "input_audio_buffer.speech_started":
        return this.#turnStarted(event.audio_start_ms);
      case "input_audio_buffer.speech_stopped":
        this.#seconds = (event.audio_end_ms - this.#startedMs) / 1000;
        this.#stoppedMs = performance.now();
        return;
      case "conversation.item.input_audio_transcription.completed":
        return this.#turnEnded(event);
      case "response.created":
        this.#response = event.response.id;
        this.#pieces = 0;
        return;
      case "response.output_audio_transcript.delta":
        return this.#text(event.response_id, event.delta);
      case "response.output_audio.delta":
        return this.#send("tts_chunk", { content: event.delta });
      case "response.done":
        this.#text(event.response.id, "");
        this.#response = undefined;
        return;
      case "input_audio_buffer.committed":
      case "input_audio_buffer.cleared":
      case "input_audio_buffer.timeout_triggered":
      case "conversation.item.added":
      case "conversation.item.done":
      case "conversation.item.retrieved":
      case "conversation.item.deleted":
      case "conversation.item.truncated":
      case "conversation.item.input_audio_transcription.delta":
      case "conversation.item.input_audio_transcription.failed":
      case "response.output_item.added":
      case "response.output_item.done":
      case "response.content_part.added":
      case "response.content_part.done":
      case "response.function_call_arguments.delta":
      case "response.function_call_arguments.done":
      case "response.output_text.delta":
      case "response.output_text.done":
      case "response.output_audio.done":
      case "response.output_audio_transcript.done":
    }
  }

  /** Answers a `keep_alive`. */
  alive(replyTo: string): void {
    this.#send("status", { status: "alive", details: { reply_to: replyTo } });
  }

  #turnStarted(startMs: number): void {
    const interrupts = this.#response !== undefined && this.#pieces > 0;
    if (interrupts) this.#send("tts_interruption", { content: "" });
    this.#turns += 1;
    this.#startedMs = startMs;
    this.#send("turn_start", { turn_id: this.#turnId, interrupted_tts: interrupts });
  }

  #turnEnded(event: ServerEventData<"conversation.item.input_audio_transcription.completed">): void {
    const { transcript, oakvoice } = event;
    if (transcript !== "")
      this.#send("transcription", {
        transcript,
        confidence: oakvoice.confidence,
        is_final: true,
        is_speech_final: true,
        session_id: this.#connectionId,
        words: [...oakvoice.words],
        accumulated_transcript: transcript,
        is_turn_incomplete: false,
        original_fragment: transcript,
      });
    const confidence = oakvoice.end_of_turn_confidence;
    const duration = Math.max(0, this.#seconds);
    this.#send("turn_end", {
      turn_id: this.#turnId,
      duration,
      is_complete: transcript !== "",
      confidence,
      transcript,
      decode_duration: (performance.now() - this.#stoppedMs) / 1000,
    });
  }

  /** An empty text ends the reply's text. */
  #text(response: string, content: string): void {
    const chunk_index = this.#pieces++;
    this.#send("llm_response_chunk", { content, is_final: content === "", generation_id: response, chunk_index });
  }

  get #turnId(): string {
    return `${this.#connectionId}.${String(this.#turns)}`;
  }

  #send<Type extends ServerMessageType>(type: Type, data: ServerData[Type]): void {
    const head = { type, timestamp: Date.now() / 1000, message_id: uuid() };
    this.#take(JSON.stringify("content" in data && !("is_final" in data) ? { ...head, ...data } : { ...head, data }));
  }
}
