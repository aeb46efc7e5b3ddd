import { describe, expect, test } from "vitest";
import { readBalancerLog } from "../../bench/fleet/balancer-log.ts";
import { outcomeOf } from "../../bench/fleet/outcome.ts";
import { parseInfo } from "../../bench/fleet/store-use.ts";
import type { CallRecord } from "../../src/simulated-callers/call-figures.ts";

const line = (box: string, status: number, ending: string) =>
  `10.1.2.1:40312 [23/Nov/2026:12:00:00.000] calls boxes/${box} 0/0/1/3/5012 ${String(status)} 4711 ${ending} 3/3/2/1/0 GET /ws/voice`;

test("HAProxy's log tells the calls of each box, the refusals, and the boxes that were marked down", () => {
  const lines = [
    line("box1", 101, "----"),
    line("box1", 101, "SD--"),
    line("box3", 101, "CD--"),
    line("<NOSRV>", 503, "SC--"),
    line("box2", 200, "----"),
    "not a line of a call",
  ];
  const notices = `[WARNING]  (15280) : Server boxes/box2 is DOWN, reason: Layer7 timeout, check duration: 1023ms. 2 active
[WARNING]  (15280) : Server boxes/box2 is UP, reason: Layer7 check passed, code: 200, check duration: 355ms.`;
  expect(readBalancerLog(lines, notices)).toEqual({
    callsByBox: { box1: 2, box3: 1 },
    refused: 1,
    markedDown: { "Layer7 timeout": 1 },
  });
});

test("Redis tells the scripts and bytes that it got", () => {
  const info =
    "total_net_input_bytes:52000\r\ncmdstat_evalsha:calls=12,usec=3\r\ncmdstat_eval:calls=2,usec=3\r\ncmdstat_set:calls=99";
  expect(parseInfo(info)).toEqual({ scripts: 14, kilobytesIn: 52 });
  expect(parseInfo("")).toBeUndefined();
});

describe("losses by a fault", () => {
  const call = (changes: Partial<CallRecord>): CallRecord => ({
    caller: 0,
    silenceThresholdMs: 500,
    utterances: [],
    secrets: [],
    events: [],
    audio: [],
    breaks: [],
    closed: undefined,
    ...changes,
  });
  const log = { callsByBox: {}, refused: 0, markedDown: {} };
  const outcome = (...records: CallRecord[]) =>
    outcomeOf("kill", { records, refused: [], strikeMs: 1_000, callSeconds: 60 }, log);
  const lost = { lostMs: 1_200, backMs: 2_200, isResumed: false };

  test("a call without a break is not hit", () => {
    expect(outcome(call({}))).toMatchObject({ calls: 1, hit: 0, resumed: 0, lost: 0 });
  });

  test("a resumed call is not lost, a new conversation and an ended call are", () => {
    const records = [
      call({ breaks: [{ ...lost, isResumed: true }] }),
      call({ breaks: [lost] }),
      call({ closed: "CONNECTION_LOST" }),
      call({ breaks: [{ ...lost, isResumed: true }, lost] }),
    ];
    expect(outcome(...records)).toMatchObject({ hit: 4, resumed: 1, lost: 3 });
  });

  test("the next answer counts from the fault to the first audible speech over the new connection", () => {
    const chunk = (receivedMs: number, audibleMs: number | undefined) => ({
      receivedMs,
      playMs: receivedMs,
      durationMs: 100,
      audibleMs,
      audibleToMs: audibleMs,
    });
    const audio = [chunk(1_100, 1_100), chunk(2_300, undefined), chunk(2_400, 2_450)];
    const { nextAnswerSeconds, backSeconds } = outcome(call({ breaks: [lost], audio }));
    expect(nextAnswerSeconds?.max).toBeCloseTo(1.45);
    expect(backSeconds?.max).toBeCloseTo(1);
  });
});
