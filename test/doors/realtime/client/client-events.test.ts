import fc from "fast-check";
import { expect, test } from "vitest";
import { CLIENT_EVENTS, parseClientEvent } from "../../../../src/doors/realtime/client/client-events.ts";

const parse = (value: unknown) => parseClientEvent(JSON.stringify(value));

test.each([
  ["not JSON", "{", { code: "invalid_json" }],
  ["no object", "[]", { code: "invalid_event" }],
  ["no type", '{"event_id":"e1"}', { code: "invalid_event", eventId: "e1", param: "type" }],
  ["unknown type", '{"type":"x.y","event_id":"e2"}', { code: "unknown_event_type", eventId: "e2" }],
  ["wrong field", '{"type":"input_audio_buffer.append","audio":7,"event_id":"e3"}', { param: "audio", eventId: "e3" }],
])("%s is refused with its event_id", (_, text, refusal) => {
  expect(parseClientEvent(text).refusal).toMatchObject(refusal);
});

test("a wrong field of a session names its path", () => {
  const session = { audio: { input: { format: { type: "audio/pcm", rate: 16_000 } } } };
  expect(parse({ type: "session.update", session }).refusal).toMatchObject({
    code: "invalid_value",
    param: "session.audio.input.format.rate",
  });
});

test("unknown fields are dropped, and null restores a default", () => {
  const session = {
    type: "realtime",
    temperature: 0.8,
    instructions: null,
    audio: { input: { turn_detection: null } },
  };
  expect(parse({ type: "session.update", session }).ok).toEqual({
    type: "session.update",
    session: { type: "realtime", instructions: null, audio: { input: { turn_detection: null } } },
  });
});

test.each([
  ["a session", (deep: string) => `{"type":"session.update","event_id":"d","session":{"prompt":${deep}}}`],
  [
    "a tool",
    (deep: string) => `{"type":"session.update","event_id":"d","session":{"tools":[{"type":"x","y":${deep}}]}}`,
  ],
])("%s that is nested too deeply to be sent back is refused", (_, event) => {
  const deep = `${"[".repeat(8_000)}${"]".repeat(8_000)}`;
  expect(parseClientEvent(event(deep)).refusal).toMatchObject({ code: "invalid_event", eventId: "d" });
});

test.each([
  [{ type: "output_audio_buffer.clear" }, /WebRTC/u],
  [{ type: "session.update", session: { tools: [{ type: "function" }] } }, /needs a name/u],
  [{ type: "session.update", session: { tool_choice: "any" } }, /auto, none, required/u],
  [{ type: "session.update", session: { max_output_tokens: "lots" } }, /1 to 4096/u],
])("%j is refused with a remedy", (event, message) => {
  expect(parse(event).refusal?.message).toMatch(message);
});

test("an event with too many parts is not parsed", () => {
  expect(parseClientEvent(`{"type":"session.update","session":${"[".repeat(100_000)}`).refusal?.code).toBe(
    "invalid_event",
  );
});

test("property: any text gets an event or a refusal", () => {
  const type = fc.constantFrom(...Object.keys(CLIENT_EVENTS), "other");
  const json = fc.record({ type, session: fc.anything(), item: fc.anything(), response: fc.anything() });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        json.map((value) => JSON.stringify(value) ?? ""),
      ),
      (text) => {
        const { ok, refusal } = parseClientEvent(text);
        expect((ok === undefined) !== (refusal === undefined)).toBe(true);
      },
    ),
  );
});
