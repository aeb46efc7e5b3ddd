import { expect, test } from "vitest";
import { encodeToolEvent } from "../../../src/doors/voice/encode-tool-event.ts";

const call = { callId: "call_1", name: "book_room", arguments: '{"guests":2}' };
const started = { type: "tool-started", ...call, isClients: false } as const;
const ended = { type: "tool-ended", ...call, result: '{"room":214}', outcome: "done", durationMs: 120 } as const;

test("only credentials that may inspect calls get arguments and results of the server's tools", () => {
  const dataOf = (mayInspect: boolean) => [started, ended].flatMap((event) => encodeToolEvent(event, mayInspect));
  expect(dataOf(false).map(({ data }) => data)).toEqual([
    { run_by: "server", call_id: "call_1", name: "book_room" },
    { call_id: "call_1", name: "book_room", outcome: "done", duration: 0.12 },
  ]);
  expect(dataOf(true).map(({ data }) => data)).toMatchObject([
    { arguments: { guests: 2 } },
    { output: '{"room":214}' },
  ]);
});
