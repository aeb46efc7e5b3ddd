import { expect, test } from "vitest";
import type { SessionEvent } from "../../src/conversation/events.ts";
import { Metrics } from "../../src/metrics/metrics.ts";
import { watchSession } from "../../src/metrics/watch-session.ts";

const endings: Record<string, object[]> = {
  "the language model fails": [
    { type: "failure", stage: "llm", code: "LLM_UNAVAILABLE" },
    { type: "reply-ended", how: "failed" },
  ],
  "the voice fails": [
    { type: "failure", stage: "tts", code: "TTS_UNAVAILABLE" },
    { type: "reply-ended", how: "failed" },
  ],
  "the client cancels the reply before it is heard": [{ type: "reply-ended", how: "stopped" }],
};

function watched() {
  const lines: unknown[] = [];
  const log = { info: (fields: object, text: string) => void lines.push([text, fields]) };
  const emit = watchSession({
    emit: () => {},
    connectionId: "c",
    metrics: new Metrics(),
    log: log as never,
  });
  const send = (...all: object[]) => all.forEach((event) => emit(event as SessionEvent));
  send({ type: "turn-ended", transcript: { accumulated: "book a table" } });
  return { lines, send };
}

test.each(Object.entries(endings))("%s: later speech does not answer the turn", async (_, events) => {
  const { lines, send } = watched();
  send(...events, { type: "reply-text", text: "Your timer is done." }, { type: "reply-audio" });
  expect(lines).toEqual([]);
});

test("a reply that was only written answers the turn", () => {
  const { lines, send } = watched();
  send({ type: "reply-text", text: "Done." }, { type: "reply-ended", how: "played" }, { type: "reply-audio" });
  expect(lines).toEqual([]);
});

test.each([
  ["after a call of a tool", "played"],
  ["after a sound without words", "dropped"],
])("the answer %s is counted", (_, how) => {
  const { lines, send } = watched();
  send({ type: "reply-ended", how }, { type: "reply-text", text: "Done." }, { type: "reply-audio" });
  expect(lines).toEqual([["turn answered", expect.objectContaining({ connection: "c" })]]);
});
