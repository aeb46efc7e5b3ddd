import { afterEach, beforeEach, expect, test } from "vitest";
import type { CallRecords } from "../../src/call-record/call-records.ts";
import type { ToolCall } from "../../src/engines/llm/language-model.ts";
import { contents, openRecords, recordedCall, settle } from "../support/recorded-call.ts";
import { LOUD } from "../support/scripted-call.ts";
import { manualTool } from "../support/tools.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

let clock: VirtualClock;
let records: CallRecords;
beforeEach(async () => {
  clock = new VirtualClock();
  records = await openRecords(clock);
});
afterEach(() => records.close());

test("a turn that began before the client's consent is not kept", async () => {
  const talk = recordedCall(records, { clock, record: { consent: "ask" }, transcribe: async () => "my room is cold" });
  await talk.stream(0, 4_000);
  await talk.stream(LOUD, 600);
  talk.session.recording?.consent(true);
  await talk.stream(LOUD, 600);
  await talk.stream(0, 6_000);
  await talk.hangUp();
  const [record] = await contents(records);
  expect(record?.state).toBe("ended");
  expect(record?.words.filter(({ type }) => type === "caller")).toEqual([]);
});

test("a call of a tool that began before the consent is not kept", async () => {
  const { tool, runs } = manualTool("book_table");
  const booking: ToolCall = { id: "t1", name: "book_table", arguments: JSON.stringify({ guests: 4 }) };
  const replies: (string | ToolCall)[][] = [["One moment. ", booking]];
  const talk = recordedCall(records, {
    clock,
    record: { consent: "ask" },
    transcribe: async () => "book a table for four",
    openTools: () => [tool],
    async *generate() {
      yield* replies.shift() ?? ["Well then."];
    },
  });
  await talk.stream(0, 4_000);
  await talk.speak(3_000);
  expect(runs).toHaveLength(1);
  talk.session.recording?.consent(true);
  await talk.stream(0, 1_000);
  runs[0]?.done("{}");
  await settle();
  await talk.hangUp();
  expect((await contents(records)).map(({ toolCalls }) => toolCalls)).toEqual([[]]);
});

test("the assistant's summary is kept only with the words", async () => {
  for (const keep of [["tools"], ["words"]]) {
    const talk = recordedCall(records, { clock, record: { consent: "none", keep }, connectionId: keep.join() });
    const ending = { transferTo: undefined, reason: "the caller wants a refund", summary: "" };
    talk.recorder.take({ type: "call-ended", ending });
    await talk.hangUp();
  }
  const found = (await contents(records)).map(({ connectionId, summary }) => [connectionId, summary]);
  expect(Object.fromEntries(found)).toEqual({ tools: undefined, words: "the caller wants a refund" });
});
