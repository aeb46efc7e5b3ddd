import { pino } from "pino";
import { expect, test } from "vitest";
import { ToolRunner } from "../../../src/conversation/tool-calls/tool-runner.ts";
import { OakError } from "../../../src/shared/errors.ts";
import { ownedTasks } from "../../support/faults.ts";
import { manualTool } from "../../support/tools.ts";
import { silentLog } from "../../../src/shared/log.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

test.each([
  [
    "a failure with its cause",
    new OakError("It failed for Mrs Smith.", { code: "TOOL_FAILED", cause: new Error("pms.lan: status 500") }),
    [{ tool: "book", code: "TOOL_FAILED", reason: "pms.lan: status 500" }],
  ],
  ["a fault with its place", new TypeError("Mrs Smith"), [{ tool: "book", code: "INTERNAL" }]],
  ["no refusal", new OakError("guests: Mrs Smith", { code: "TOOL_REFUSED" }), []],
])("the log has %s, and nothing of a caller", async (_, error, expected) => {
  const lines: string[] = [];
  const { tool, runs } = manualTool("book");
  const tasks = ownedTasks();
  const runner = new ToolRunner({
    clock: new VirtualClock(),
    tasks,
    log: pino({ level: "trace" }, { write: (line: string) => void lines.push(line) }),
    connectionId: "c",
    limits: { per_turn: 5, per_minute: 5 },
    signal: new AbortController().signal,
    events: { started: () => undefined, refused: () => undefined, ended: () => undefined },
  });
  runner.offer([tool]);
  runner.start({ id: "1", name: "book", arguments: '{"name":"Mrs Smith"}' }, 1);
  runs[0]?.fail(error);
  await tasks.settled();
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject(expected);
  expect(lines).toHaveLength(expected.length);
  expect(lines.join("")).not.toContain("Smith");
});

test.each([
  ["a tool that may repeat runs again after another call", true, "set", ["on", "off"]],
  ["a tool that may repeat runs once without another call", true, undefined, ["on", "on"]],
  ["another tool runs once in a turn", false, "set", ["on", "on"]],
])("%s", async (_, mayRepeat, between, expected) => {
  const read = manualTool("read", { mayRepeat });
  const set = manualTool("set");
  const tasks = ownedTasks();
  const results: string[] = [];
  const runner = new ToolRunner({
    clock: new VirtualClock(),
    tasks,
    log: silentLog,
    connectionId: "c",
    limits: { per_turn: 5, per_minute: 5 },
    signal: new AbortController().signal,
    events: {
      started: () => undefined,
      refused: () => undefined,
      ended: ({ name }, result) => void (name === "read" && results.push(result)),
    },
  });
  runner.offer([read.tool, set.tool]);
  runner.start({ id: "1", name: "read", arguments: "{}" }, 1);
  read.runs[0]?.done("on");
  await tasks.settled();
  if (between !== undefined) runner.start({ id: "2", name: between, arguments: "{}" }, 2);
  set.runs[0]?.done("ok");
  await tasks.settled();
  runner.start({ id: "3", name: "read", arguments: "{}" }, 3);
  read.runs[1]?.done("off");
  await tasks.settled();
  expect(results).toEqual(expected);
});

/** A runner whose calls end at once. */
function quickRunner(limits: { per_turn: number; per_minute: number }) {
  const clock = new VirtualClock();
  const tasks = ownedTasks();
  const ran: unknown[] = [];
  const outcomes: string[] = [];
  const runner = new ToolRunner({
    clock,
    tasks,
    log: silentLog,
    connectionId: "c",
    limits,
    signal: new AbortController().signal,
    events: {
      started: () => undefined,
      refused: () => undefined,
      ended: (_call, _result, outcome) => void outcomes.push(outcome),
    },
  });
  runner.offer([{ ...manualTool("book").tool, run: async (args) => `${String(ran.push(args))} booked` }]);
  let calls = 0;
  const call = async (args: string) => {
    calls += 1;
    runner.start({ id: String(calls), name: "book", arguments: args }, calls);
    await tasks.settled();
    return outcomes.at(-1);
  };
  return { clock, runner, ran, call };
}

test("no minute has more calls than its limit", async () => {
  const { clock, runner, call } = quickRunner({ per_turn: 5, per_minute: 2 });
  const outcomes: unknown[] = [];
  for (const ms of [0, 10_000, 20_000, 29_999, 1, 10_000]) {
    clock.advance(ms);
    runner.newTurn();
    outcomes.push(await call("{}"));
  }
  expect(outcomes).toEqual(["done", "done", "refused", "refused", "done", "done"]);
});

test("the same arguments in another order are the same call", async () => {
  const { ran, call } = quickRunner({ per_turn: 5, per_minute: 5 });
  await call('{"guests":2,"wishes":{"near":"window","quiet":true}}');
  await call('{"wishes":{"quiet":true,"near":"window"},"guests":2}');
  expect(ran).toHaveLength(1);
  await call('{"guests":2,"wishes":{"near":"door","quiet":true}}');
  expect(ran).toHaveLength(2);
});

test("a call whose caller hangs up ends once, as cancelled", async () => {
  const { tool, runs } = manualTool("book");
  const tasks = ownedTasks();
  const caller = new AbortController();
  const ended: unknown[] = [];
  const runner = new ToolRunner({
    clock: new VirtualClock(),
    tasks,
    log: silentLog,
    connectionId: "c",
    limits: { per_turn: 5, per_minute: 5 },
    signal: caller.signal,
    events: {
      started: () => undefined,
      refused: () => undefined,
      ended: ({ id }, _result, outcome) => void ended.push([id, outcome]),
    },
  });
  runner.offer([tool]);
  runner.start({ id: "1", name: "book", arguments: "{}" }, 1);
  caller.abort();
  runs[0]?.done("booked");
  await tasks.settled();
  expect(runs[0]?.signal.aborted).toBe(true);
  expect(ended).toEqual([["1", "cancelled"]]);
});
