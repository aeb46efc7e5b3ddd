import pino from "pino";
import { expect, test } from "vitest";
import { Metrics } from "../../src/metrics/metrics.ts";
import { watchSession } from "../../src/metrics/watch-session.ts";

test.each([
  [false, undefined],
  [true, '{"name":"Martha Young"}'],
])("the line of a tool's call with log_tool_arguments %s has the arguments %s", (logsArguments, expected) => {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => lines.push(line) });
  const loggedArguments = logsArguments ? (call: { readonly arguments: string }) => call.arguments : undefined;
  const emit = watchSession({ emit: () => undefined, connectionId: "a", metrics: new Metrics(), log, loggedArguments });
  const call = { callId: "1", name: "book_table", arguments: '{"name":"Martha Young"}' };
  emit({ type: "tool-ended", ...call, result: "{}", outcome: "done", durationMs: 12.4 });
  const [line] = lines.map((text) => JSON.parse(text) as Record<string, unknown>);
  expect(line).toMatchObject({ msg: "tool call", tool: "book_table", outcome: "done", ms: 12 });
  expect(line?.["arguments"]).toBe(expected);
  expect(lines.join("").includes("Martha")).toBe(logsArguments);
});
