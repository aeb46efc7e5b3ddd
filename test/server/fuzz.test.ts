import * as fc from "fast-check";
import { expect, test } from "vitest";
import { CLIENT_EVENTS } from "../../src/doors/realtime/client/client-events.ts";
import { RealtimeCaller } from "../support/realtime-caller.ts";
import { startWireServer } from "./support.ts";

const frame = fc.oneof(
  fc.uint8Array({ maxLength: 64 }).map((bytes) => ({ data: Buffer.from(bytes), binary: true })),
  fc.uint8Array({ maxLength: 64 }).map((bytes) => ({ data: Buffer.from(bytes), binary: false })),
  fc.json({ maxDepth: 3 }).map((text) => ({ data: Buffer.from(text), binary: false })),
  fc
    .record({
      type: fc.constantFrom("session_settings", "audio_input", "keep_alive", "__proto__", "error"),
      timestamp: fc.oneof(fc.double(), fc.constant(1)),
      message_id: fc.oneof(fc.string(), fc.constant("m")),
      data: fc.oneof(
        fc.record({ audio: fc.oneof(fc.base64String(), fc.string()) }),
        fc.record({ turn_detection: fc.object(), emotion_detection: fc.dictionary(fc.string(), fc.jsonValue()) }),
        fc.jsonValue(),
      ),
    })
    .map((message) => ({ data: Buffer.from(JSON.stringify(message)), binary: false })),
);

test("property: the server answers any frames with valid messages, and other connections are unaffected", async () => {
  const { connectReady, server, clock } = await startWireServer();
  const bystander = await connectReady();
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { maxLength: 40 }), async (frames) => {
      const client = await connectReady();
      for (const { data, binary } of frames) client.socket.send(data, { binary });
      // Invalid UTF-8 closes the sender's socket (1007). Any other frame leaves it open.
      const isUtf8 = frames.every(({ data, binary }) => binary || Buffer.from(data.toString()).equals(data));
      if (isUtf8) await client.settled();
      else expect((await client.closed).code).toBe(1007);
      client.socket.close();
      await client.closed;
      await bystander.settled();
      clock.advance(1_000);
    }),
    { numRuns: 60 },
  );
  await expect.poll(() => server.stats().connections).toBe(1);
  expect(bystander.received.filter(({ type }) => type === "error")).toEqual([]);
});

const part = fc.record({ type: fc.constantFrom("input_text", "output_audio", "audio"), text: fc.string() });
const item = fc.record({
  id: fc.constantFrom("a", "b", "root", ""),
  type: fc.constantFrom("message", "function_call", "function_call_output", "mcp_call"),
  role: fc.constantFrom("user", "assistant", "system"),
  call_id: fc.string(),
  name: fc.string(),
  arguments: fc.string(),
  output: fc.string(),
  content: fc.oneof(fc.array(part, { maxLength: 3 }), fc.jsonValue()),
});
const realtimeEvent = fc
  .record({
    type: fc.constantFrom(...Object.keys(CLIENT_EVENTS), "__proto__", "session.created"),
    event_id: fc.oneof(fc.string(), fc.jsonValue()),
    session: fc.oneof(fc.object(), fc.record({ audio: fc.object(), tools: fc.array(fc.object()) })),
    audio: fc.oneof(fc.base64String(), fc.string()),
    item: fc.oneof(item, fc.jsonValue()),
    item_id: fc.constantFrom("a", "b", "c"),
    previous_item_id: fc.constantFrom("a", "b", "root", null),
    content_index: fc.nat(2),
    audio_end_ms: fc.oneof(fc.integer(), fc.constant(0)),
    response: fc.oneof(fc.object(), fc.record({ input: fc.array(item, { maxLength: 3 }), metadata: fc.object() })),
  })
  .map((event) => JSON.stringify(event));

test("property: the realtime door answers any events with valid ones, and other connections are unaffected", async () => {
  const { connectReady, server, clock, key } = await startWireServer();
  const bystander = await connectReady();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(realtimeEvent, fc.json()), { maxLength: 40 }), async (frames) => {
      const caller = new RealtimeCaller(`${server.url}/v1/realtime`, key);
      await caller.next("session.created");
      for (const text of frames) caller.socket.send(text);
      // Errors are limited in number, so the end is marked by another event.
      const last = { id: "the-last", type: "message", role: "user", content: [] };
      caller.send("conversation.item.create", { item: last });
      let added: string;
      do added = (await caller.next("conversation.item.added")).item.id;
      while (added !== last.id);
      caller.check();
      caller.socket.close();
      await caller.closed;
      await bystander.settled();
      clock.advance(20_000);
    }),
    { numRuns: 60 },
  );
  await expect.poll(() => server.stats().connections).toBe(1);
  expect(bystander.received.filter(({ type }) => type === "error")).toEqual([]);
});
