import * as fc from "fast-check";
import { expect, test } from "vitest";
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
