import { expect, test } from "vitest";
import { realtimeSocket } from "../../src/playground/realtime-socket.ts";
import { serverMessageSchema } from "../../src/doors/voice/server-messages.ts";
import { FakeSocket } from "../client/fake-socket.ts";

test("a native client's frames become events, and events become native messages", () => {
  let protocols: readonly string[] = [];
  let inner!: FakeSocket;
  const open = realtimeSocket((url, offered) => {
    protocols = offered;
    return (inner = new FakeSocket(url));
  });
  const socket = open("wss://box/voice/ws/voice/call-1?config_id=bank&api_key=oak_1");
  expect(inner.url).toBe("wss://box/voice/v1/realtime?model=bank");
  expect(protocols).toEqual(["realtime", "openai-insecure-api-key.oak_1"]);

  inner.isOpen = true;
  socket.send(JSON.stringify({ type: "session_settings", message_id: "m1", data: {} }));
  socket.send(new Uint8Array([1, 2]));
  expect(inner.sent).toMatchObject([
    { type: "session.update", event_id: "m1" },
    { type: "input_audio_buffer.append", audio: "AQI=" },
  ]);

  const types: string[] = [];
  socket.addEventListener("message", ({ data }) =>
    types.push(serverMessageSchema.parse(JSON.parse(data as string)).type),
  );
  socket.send(JSON.stringify({ type: "keep_alive", message_id: "m2" }));
  const completed = "conversation.item.input_audio_transcription.completed";
  const oakvoice = { words: [], confidence: 1, end_of_turn_confidence: 0.9 };
  for (const event of [
    { type: "session.created", session: { model: "bank" } },
    { type: "session.updated" },
    { type: "input_audio_buffer.speech_started", audio_start_ms: 100 },
    { type: "input_audio_buffer.speech_stopped", audio_end_ms: 900 },
    { type: completed, transcript: "hello", oakvoice },
    { type: "response.created", response: { id: "r" } },
    { type: "response.output_audio_transcript.delta", response_id: "r", delta: "Good morning." },
    { type: "response.output_audio.delta", delta: "AQI=" },
    { type: "input_audio_buffer.speech_started", audio_start_ms: 2000 },
    { type: "response.done", response: { id: "r" } },
    { type: "error", error: { code: "invalid_value", message: "no", event_id: null } },
  ])
    inner.tell("message", { data: JSON.stringify(event) });
  expect(types).toEqual([
    "status",
    "connection_metadata",
    "status",
    "turn_start",
    "transcription",
    "turn_end",
    "llm_response_chunk",
    "tts_chunk",
    "tts_interruption",
    "turn_start",
    "llm_response_chunk",
    "error",
  ]);
});
