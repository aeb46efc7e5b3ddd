import { expect, test } from "vitest";
import { OakError } from "../../../src/shared/errors.ts";
import { LOUD } from "../../support/scripted-call.ts";
import { scriptedRealtime } from "../../support/scripted-realtime.ts";

const PUSH_TO_TALK = { audio: { input: { turn_detection: null, transcription: {} } } };
const written = (text: string) => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });

test("audio that follows a commit at once can be committed", async () => {
  const { update, append, send, settle, all } = scriptedRealtime();
  update(PUSH_TO_TALK);
  append(LOUD, 5_000);
  send("input_audio_buffer.commit");
  append(LOUD, 600);
  await settle();
  send("input_audio_buffer.commit");
  await settle();
  expect(all("error")).toEqual([]);
  expect(all("input_audio_buffer.committed")).toHaveLength(2);
});

test("a response that is cancelled before its audio is heard does not begin later", async () => {
  const { update, append, send, settle, all, types } = scriptedRealtime();
  update(PUSH_TO_TALK);
  append(LOUD, 5_000);
  send("input_audio_buffer.commit");
  send("response.create");
  send("response.cancel");
  await settle();
  expect(types()).toContain("input_audio_buffer.committed");
  expect(all("response.created")).toHaveLength(1);
  expect(all("response.done")[0]?.response.status_details).toMatchObject({ reason: "client_cancelled" });
});

test("a reply beside the conversation leaves the response that the client waits for as it is", async () => {
  const { session, stream, send, all } = scriptedRealtime();
  await stream(LOUD, 600);
  send("response.create", { response: { metadata: { topic: "rooms" } } });
  session.respond({ text: "One moment.", isSide: true });
  await stream(0, 6_000);
  expect(all("response.created").map(({ response }) => response.metadata)).toEqual([null, { topic: "rooms" }]);
  expect(all("response.done").map(({ response }) => response.status)).toEqual(["completed", "completed"]);
});

test("a written reply cannot be truncated and stays as it is", async () => {
  const { update, send, settle, all } = scriptedRealtime();
  update({ output_modalities: ["text"] });
  send("response.create");
  await settle();
  const item_id = all("response.output_item.added")[0]?.item.id;
  send("conversation.item.truncate", { event_id: "t", item_id, content_index: 0, audio_end_ms: 0 });
  expect(all("error")[0]?.error).toMatchObject({ event_id: "t", param: "item_id" });
  send("conversation.item.retrieve", { item_id });
  expect(all("conversation.item.retrieved")[0]?.item).toMatchObject({ content: [{ type: "output_text" }] });
});

test("deleting a reply that goes on stops it, and it leaves the prompt", async () => {
  const { speak, send, settle, all, types, prompts } = scriptedRealtime();
  await speak(600);
  const item_id = all("response.output_item.added")[0]?.item.id;
  send("conversation.item.delete", { item_id });
  expect(types().slice(-2)).toEqual(["response.done", "conversation.item.deleted"]);
  send("response.create");
  await settle();
  expect(prompts.at(-1)?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
});

test("words of an item that was deleted before they were recognised leave the prompt", async () => {
  let decoded = () => {};
  const decoding = new Promise<void>((resolve) => (decoded = resolve));
  const { update, append, send, settle, all, prompts } = scriptedRealtime({
    transcribe: async () => {
      await decoding;
      return "secret words";
    },
  });
  update(PUSH_TO_TALK);
  append(LOUD, 600);
  send("input_audio_buffer.commit");
  await settle();
  send("conversation.item.delete", { item_id: all("input_audio_buffer.committed")[0]?.item_id });
  decoded();
  await settle();
  send("response.create");
  await settle();
  expect(prompts).toHaveLength(1);
  expect(JSON.stringify(prompts)).not.toContain("secret words");
});

test("a response beside the conversation does not take the caller's answer", async () => {
  const { stream, speak, send, all } = scriptedRealtime();
  await stream(LOUD, 600);
  const metadata = { topic: "mood" };
  send("response.create", { response: { conversation: "none", metadata, input: [written("Classify.")] } });
  await speak(300);
  await stream(0, 9_000);
  expect(all("response.created").map(({ response }) => response.metadata)).toEqual([metadata, null]);
  expect(all("response.done").map(({ response }) => response.status)).toEqual(["completed", "completed"]);
});

test("suppressed errors are counted beside the error, under our own name", () => {
  const { send, clock, all, events } = scriptedRealtime();
  for (let sent = 0; sent < 25; sent += 1) send("unknown");
  clock.advance(1_000);
  send("unknown", { event_id: "late" });
  expect(all("error").at(-1)?.error).toEqual({
    type: "invalid_request_error",
    code: "unknown_event_type",
    message: expect.any(String),
    param: "type",
    event_id: "late",
  });
  expect(events.at(-1)).toMatchObject({ oakvoice: { suppressed_errors: 5 } });
});

test("a greeting has the audio format of an update that follows at once", async () => {
  const { update, settle, all } = scriptedRealtime({ voice: { greeting: "Good day." } });
  update({ audio: { output: { format: { type: "audio/pcmu" } } } });
  await settle();
  const [delta] = all("response.output_audio.delta");
  // At most 120 ms of 8,000 bytes a second.
  expect(Buffer.from(delta?.delta ?? "", "base64").length).toBeLessThanOrEqual(960);
});

test("the result of an unknown call is refused", () => {
  const { send, all } = scriptedRealtime();
  const output = { type: "function_call_output", call_id: "call_1", output: "21" };
  send("conversation.item.create", { event_id: "o", item: output });
  expect(all("error")[0]?.error).toMatchObject({ code: "invalid_tool_call_id", event_id: "o", param: "item.call_id" });
  send("conversation.item.create", {
    item: { type: "function_call", call_id: "call_1", name: "weather", arguments: "{}" },
  });
  send("conversation.item.create", { item: output });
  expect(all("conversation.item.done")).toHaveLength(2);
});

test("speech begins with its prefix, but not before the end of the turn before it", async () => {
  const { update, stream, all } = scriptedRealtime();
  update({
    audio: { input: { turn_detection: { type: "server_vad", prefix_padding_ms: 400, create_response: false } } },
  });
  await stream(0, 1_000);
  await stream(LOUD, 600);
  await stream(0, 1_000);
  const [started] = all("input_audio_buffer.speech_started");
  expect(started?.audio_start_ms).toBeGreaterThan(500);
  expect(started?.audio_start_ms).toBeLessThan(700);
});

test("an item at the front of a full conversation stays", () => {
  const { send, all, clock } = scriptedRealtime();
  for (let at = 0; at < 201; at += 1) {
    send("conversation.item.create", { item: { ...written("x"), id: `i${String(at)}` } });
    clock.advance(500);
  }
  send("conversation.item.create", { item: { ...written("first"), id: "front" }, previous_item_id: "root" });
  send("conversation.item.retrieve", { item_id: "front" });
  expect(all("conversation.item.retrieved")).toHaveLength(1);
});

test("a caller who only coughs after a reply is spoken to all the same", async () => {
  const { update, stream, speak, all } = scriptedRealtime({
    transcribe: async ({ samples }) => (samples.length > 16_000 * 1.2 ? "hello there" : ""),
  });
  update({ audio: { input: { turn_detection: { type: "server_vad", idle_timeout_ms: 3_000 } } } });
  await speak(1_500);
  await stream(0, 3_000);
  await speak(400);
  await stream(0, 4_000);
  expect(all("response.created").length).toBeGreaterThan(0);
  expect(all("input_audio_buffer.timeout_triggered")).toHaveLength(1);
});

test("a prompt that does not fit fails with the reason and a remedy", async () => {
  const { send, stream, all } = scriptedRealtime({
    generate: () => {
      throw new OakError("too long", { code: "LLM_PROMPT_TOO_LONG" });
    },
  });
  send("response.create");
  // The caller hears a sentence first.
  await stream(0, 5_000);
  expect(all("response.done")[0]?.response).toMatchObject({
    status: "failed",
    status_details: { type: "failed", error: { type: "invalid_request_error", code: "llm_prompt_too_long" } },
  });
});
