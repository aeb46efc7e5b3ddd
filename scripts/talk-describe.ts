import { CALL_BYTES_PER_MS } from "../src/audio/format.ts";
import type { ServerMessage } from "../src/doors/voice/server-messages.ts";

/** One line for a person; undefined for what would only fill the screen. */
export function describeMessage(message: ServerMessage): string | undefined {
  switch (message.type) {
    case "connection_metadata":
      return `connection_metadata  ${message.data.connection_id} (${message.data.config_id})`;
    case "status":
      return message.data.status === "ready" ? "status               ready" : undefined;
    case "transcription": {
      const { is_final, is_speech_final, accumulated_transcript, confidence } = message.data;
      const kind = is_speech_final ? "final" : is_final ? "segment" : "partial";
      return `transcription        ${kind} "${accumulated_transcript}" (confidence ${confidence.toFixed(2)})`;
    }
    case "llm_response_chunk":
      return `llm_response_chunk   ${message.data.is_final ? "(end)" : JSON.stringify(message.data.content)}`;
    case "tts_chunk":
      return `tts_chunk            ${((message.content.length * 3) / 4 / CALL_BYTES_PER_MS).toFixed(0)} ms of speech`;
    case "tts_interruption":
      return "tts_interruption";
    case "emotion_update":
      return `emotion_update       ${message.data.dominant_emotion} (${message.data.confidence.toFixed(2)})`;
    case "turn_start":
      return `turn_start           ${message.data.interrupted_tts ? "(interrupts the reply)" : ""}`;
    case "turn_end": {
      const { duration, is_complete } = message.data;
      return `turn_end             ${duration.toFixed(2)} s${is_complete ? "" : ", incomplete"}`;
    }
    case "turn_interrupted":
      return `turn_interrupted     ${message.data.interruption_type}`;
    case "tool_call":
      return `tool_call            ${message.data.name}`;
    case "tool_call_end":
      return `tool_call_end        ${message.data.name} ${message.data.outcome} after ${message.data.duration.toFixed(1)} s`;
    case "tool_state":
      return `tool_state           ${message.data.tool} ${JSON.stringify(message.data.state)}`;
    case "call_end":
      return `call_end             ${message.data.transfer_to ?? "the assistant ends the call"}`;
    case "voice_activity":
      return undefined;
    case "error":
      return `error                ${message.data.error_code}: ${message.data.error_message}`;
  }
}
