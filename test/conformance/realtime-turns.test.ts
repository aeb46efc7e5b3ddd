import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeG711 } from "../../src/audio/g711.ts";
import { samplesOf } from "../../src/audio/pcm16.ts";
import type { Item } from "../../src/doors/realtime/items/items.ts";
import { WireEncoder } from "../../src/audio/wire-audio.ts";
import { clip, silence } from "../support/audio.ts";
import { TestBox } from "../support/box.ts";
import { RealtimeCaller } from "../support/realtime-caller.ts";

let box: TestBox;

beforeAll(async () => {
  // Clips are sent at once, not at the pace they were spoken.
  box = await TestBox.start({}, "limits: { audio_burst_seconds: 600 }\n");
});
afterAll(() => box.close());

async function connect(session?: object): Promise<RealtimeCaller> {
  const { url, key } = box.realtime();
  const caller = new RealtimeCaller(url, key);
  await caller.next("session.created");
  if (session !== undefined) {
    caller.send("session.update", { session: { type: "realtime", ...session } });
    await caller.next("session.updated");
  }
  return caller;
}

const transcriptOf = (item: Item | undefined): string =>
  (item?.type === "message" ? item.content[0]?.transcript : undefined) ?? "";

const TRANSCRIBED = { audio: { input: { transcription: { model: "any" } } } };
const question = Buffer.concat([clip("flite-time.wav"), silence(1.2)]);

test("an audio turn sends its events in the order that clients rely on", async () => {
  const caller = await connect(TRANSCRIBED);
  const from = caller.events.length;
  caller.append(question);
  const done = await caller.next("response.done");
  const transcription = "conversation.item.input_audio_transcription";
  const order = caller.types(from).filter((type) => type !== "response.output_audio_transcript.delta");
  expect(order.filter((type, at) => order.indexOf(type) === at)).toEqual([
    "input_audio_buffer.speech_started",
    "input_audio_buffer.speech_stopped",
    "input_audio_buffer.committed",
    "conversation.item.added",
    "conversation.item.done",
    `${transcription}.delta`,
    `${transcription}.completed`,
    "response.created",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_audio.delta",
    "response.output_audio.done",
    "response.output_audio_transcript.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.done",
  ]);
  const [spoken, reply] = caller.all("conversation.item.added");
  expect(reply?.previous_item_id).toBe(spoken?.item.id);
  expect(caller.all(`${transcription}.completed`)[0]).toMatchObject({
    item_id: spoken?.item.id,
    transcript: expect.stringMatching(/time/),
  });
  expect(done.response).toMatchObject({ status: "completed", output: [{ id: reply?.item.id }] });
  expect(done.response.usage?.total_tokens).toBeGreaterThan(0);
  caller.check();
});

test("written words are answered, in text when the client wants text", async () => {
  const caller = await connect({ output_modalities: ["text"] });
  const from = caller.events.length;
  const content = [{ type: "input_text", text: "What time is it?" }];
  caller.send("conversation.item.create", { item: { type: "message", role: "user", content } });
  caller.send("response.create", { response: { metadata: { topic: "time" } } });
  const done = await caller.next("response.done");
  expect(caller.types(from)).toEqual([
    "conversation.item.added",
    "conversation.item.done",
    "response.created",
    "response.output_item.added",
    "conversation.item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "conversation.item.done",
    "response.done",
  ]);
  const text = caller
    .all("response.output_text.delta")
    .map((event) => event.delta)
    .join("");
  expect(text).toMatch(/\w/u);
  expect(done.response).toMatchObject({
    status: "completed",
    metadata: { topic: "time" },
    output: [{ content: [{ type: "output_text", text }] }],
  });
  caller.check();
});

test("a caller who speaks over a reply stops it, and the client cuts it where it stopped playing", async () => {
  const caller = await connect(TRANSCRIBED);
  caller.append(question);
  const { item_id } = await caller.next("response.output_audio.delta");
  await new Promise((resolve) => setTimeout(resolve, 500));
  const from = caller.events.length;
  caller.append(Buffer.concat([clip("flite-stop.wav"), silence(1.2)]));
  const done = await caller.next("response.done");
  expect(done.response).toMatchObject({
    status: "cancelled",
    status_details: { type: "cancelled", reason: "turn_detected" },
    output: [{ id: item_id, status: "incomplete" }],
  });
  const order = caller.types(from);
  expect(order.indexOf("input_audio_buffer.speech_started")).toBeLessThan(order.indexOf("response.done"));

  caller.send("conversation.item.truncate", { item_id, content_index: 0, audio_end_ms: 300 });
  expect(await caller.next("conversation.item.truncated")).toMatchObject({ item_id, audio_end_ms: 300 });
  caller.send("conversation.item.retrieve", { item_id });
  const { item } = await caller.next("conversation.item.retrieved");
  const said = transcriptOf(done.response.output[0]);
  const heard = transcriptOf(item);
  expect(said.startsWith(heard)).toBe(true);
  expect(heard.length).toBeLessThan(said.length);

  caller.send("conversation.item.truncate", { event_id: "too-long", item_id, content_index: 0, audio_end_ms: 60_000 });
  expect((await caller.next("error")).error).toMatchObject({ event_id: "too-long", param: "audio_end_ms" });
  caller.check();
});

test("without interrupt_response a reply goes on, and the words over it are answered after it", async () => {
  const detection = { type: "server_vad", interrupt_response: false };
  const caller = await connect({ audio: { input: { turn_detection: detection, transcription: {} } } });
  caller.append(question);
  await caller.next("response.output_audio.delta");
  const from = caller.events.length;
  caller.append(question);
  expect((await caller.next("response.done")).response.status).toBe("completed");
  // The words may be known before the reply's end or after it.
  expect(caller.types(from)).toContain("input_audio_buffer.speech_started");
  expect((await caller.next("response.done")).response.status).toBe("completed");
  expect(caller.all("conversation.item.input_audio_transcription.completed")).toHaveLength(2);
  caller.check();
});

test("push to talk: the client commits, and asks for the response", async () => {
  const caller = await connect({ audio: { input: { turn_detection: null, transcription: {} } } });
  caller.send("input_audio_buffer.commit", { event_id: "early" });
  expect((await caller.next("error")).error).toMatchObject({
    code: "input_audio_buffer_commit_empty",
    event_id: "early",
  });
  const from = caller.events.length;
  caller.append(question);
  caller.send("input_audio_buffer.commit");
  caller.send("response.create");
  const completed = await caller.next("conversation.item.input_audio_transcription.completed");
  expect(completed.transcript).toMatch(/time/u);
  expect((await caller.next("response.done")).response.status).toBe("completed");
  expect(caller.types(from).slice(0, 3)).toEqual([
    "input_audio_buffer.committed",
    "conversation.item.added",
    "conversation.item.done",
  ]);
  expect(caller.types()).not.toContain("input_audio_buffer.speech_started");

  caller.append(clip("flite-lights.wav"));
  caller.send("input_audio_buffer.clear");
  caller.append(clip("flite-timer.wav"));
  caller.send("input_audio_buffer.commit");
  const after = await caller.next("conversation.item.input_audio_transcription.completed");
  expect(after.transcript).toMatch(/timer/u);
  expect(after.transcript).not.toMatch(/light/u);
  caller.check();
});

test("without create_response a turn waits for response.create", async () => {
  const detection = { type: "semantic_vad", eagerness: "high", create_response: false };
  const caller = await connect({ audio: { input: { turn_detection: detection, transcription: {} } } });
  caller.append(question);
  await caller.next("conversation.item.input_audio_transcription.completed");
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(caller.types()).not.toContain("response.created");
  caller.send("response.create");
  expect((await caller.next("response.done")).response.status).toBe("completed");
  caller.check();
});

test("a commit during speech ends the turn at once", async () => {
  const detection = { type: "server_vad", silence_duration_ms: 5_000 };
  const caller = await connect({ audio: { input: { turn_detection: detection, transcription: {} } } });
  caller.append(question);
  caller.send("input_audio_buffer.commit");
  await caller.next("input_audio_buffer.speech_stopped");
  expect((await caller.next("conversation.item.input_audio_transcription.completed")).transcript).toMatch(/time/u);
  caller.check();
});

test.each([
  ["audio/pcmu", "ulaw"],
  ["audio/pcma", "alaw"],
] as const)("%s goes both ways", async (type, law) => {
  const caller = await connect({
    audio: { input: { format: { type }, transcription: {} }, output: { format: { type } } },
  });
  const encoder = new WireEncoder({ encoding: law, sampleRateHz: 8_000 });
  const samples = samplesOf(question);
  caller.append(encoder.encode(samples));
  expect((await caller.next("conversation.item.input_audio_transcription.completed")).transcript).toMatch(/time/u);
  await caller.next("response.done");
  const bytes = caller.all("response.output_audio.delta").map(({ delta }) => Buffer.from(delta, "base64"));
  const pcm = decodeG711(law, Buffer.concat(bytes));
  expect(pcm.length).toBeGreaterThan(4_000);
  expect(Math.max(...pcm)).toBeGreaterThan(2_000);
  caller.check();
});

test("the client stops a response, begun or not", async () => {
  const caller = await connect();
  caller.send("response.cancel", { event_id: "none" });
  expect((await caller.next("error")).error).toMatchObject({ code: "response_cancel_not_active", event_id: "none" });
  caller.append(question);
  await caller.next("response.output_audio.delta");
  caller.send("response.create", { event_id: "second" });
  expect((await caller.next("error")).error.code).toBe("conversation_already_has_active_response");
  caller.send("response.cancel");
  expect((await caller.next("response.done")).response.status_details?.reason).toBe("client_cancelled");
  caller.check();
});

test("a response beside the conversation is not kept, and takes its own input", async () => {
  const caller = await connect({ output_modalities: ["text"] });
  const input = [{ type: "message", role: "user", content: [{ type: "input_text", text: "What time is it?" }] }];
  caller.send("response.create", { response: { conversation: "none", input, instructions: "Answer in one word." } });
  const done = await caller.next("response.done");
  expect(done.response).toMatchObject({ conversation_id: null, status: "completed" });
  expect(caller.types()).not.toContain("conversation.item.added");
  caller.check();
});

test("items can be placed, retrieved and deleted", async () => {
  const caller = await connect();
  const message = (id: string) => ({
    id,
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: id }],
  });
  caller.send("conversation.item.create", { item: message("b") });
  caller.send("conversation.item.create", { item: message("c"), previous_item_id: "b" });
  caller.send("conversation.item.create", { item: message("a"), previous_item_id: "root" });
  caller.send("conversation.item.delete", { item_id: "b" });
  await caller.next("conversation.item.deleted");
  expect(caller.all("conversation.item.added").map((event) => event.previous_item_id)).toEqual([null, "b", null]);
  caller.send("conversation.item.retrieve", { event_id: "gone", item_id: "b" });
  expect((await caller.next("error")).error).toMatchObject({
    code: "item_retrieve_invalid_item_id",
    event_id: "gone",
  });
  caller.check();
});

test("a caller who stays silent after a reply is spoken to", async () => {
  const detection = { type: "server_vad", idle_timeout_ms: 1_000 };
  const caller = await connect({ audio: { input: { turn_detection: detection } } });
  caller.append(question);
  await caller.next("response.done");
  const { item_id } = await caller.next("input_audio_buffer.timeout_triggered");
  expect((await caller.next("input_audio_buffer.committed")).item_id).toBe(item_id);
  await caller.next("response.created");
  caller.check();
});

test("max_output_tokens cuts a reply, which then counts as incomplete", async () => {
  const caller = await connect({ max_output_tokens: 3, output_modalities: ["text"] });
  caller.send("response.create", { response: { instructions: "Tell a long story." } });
  expect((await caller.next("response.done")).response).toMatchObject({
    status: "incomplete",
    status_details: { reason: "max_output_tokens" },
  });
  caller.check();
});
