import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { initialTurnState, type TurnEffect } from "../../../src/conversation/turn/machine/turn-state.ts";
import { step } from "../../../src/conversation/turn/machine/machine.ts";
import { parseReplayLog, replay, rerecord, type ReplayLogLine } from "../../../src/conversation/turn/replay-log.ts";

const FOLDER = new URL("../../replay-logs/", import.meta.url);
const golden = (name: string) => parseReplayLog(readFileSync(new URL(name, FOLDER), "utf8"));
const effects = (lines: readonly ReplayLogLine[]): TurnEffect[] =>
  lines.flatMap((line) => ("policy" in line ? [] : line.effects));

describe("golden traces of real calls", () => {
  test.each(readdirSync(FOLDER).filter((name) => name.endsWith(".jsonl")))(
    "%s replays to the same decisions",
    (name) => {
      expect(replay(golden(name))).toEqual([]);
    },
  );

  test("each trace contains the decision that its file name says", () => {
    const types = (name: string) => effects(golden(name)).map(({ type }) => type);
    expect(types("question.jsonl")).toContain("start-reply");
    expect(types("back-channel.jsonl")).toContain("resume-reply");
    expect(types("back-channel.jsonl")).not.toContain("cancel-reply");
    expect(types("interruption.jsonl")).toContain("cancel-reply");
  });

  test("traces contain no words and no audio", () => {
    for (const line of golden("interruption.jsonl"))
      if ("event" in line) expect(Object.keys(line.event)).not.toContain("text");
  });
});

test("replay reports the line of a changed decision, and a recorded-again trace has no change", () => {
  const lines = golden("interruption.jsonl").map((line) =>
    "policy" in line ? { policy: { ...line.policy, holdMs: 320 } } : line,
  );
  const [first] = replay(lines);
  expect(first?.recorded.map(({ type }) => type)).toContain("hold-reply");
  expect(first?.now).not.toEqual(first?.recorded);
  expect(replay(rerecord(lines))).toEqual([]);
});

test("results of unknown turns change nothing", () => {
  let state = initialTurnState;
  for (const line of golden("interruption.jsonl")) {
    if ("policy" in line) continue;
    const { policy } = golden("interruption.jsonl")[0] as { policy: never };
    state = step(state, line.event, policy).state;
    for (const stale of [
      { type: "final", turn: 99, empty: false },
      { type: "prepared", turn: 99, unfinished: true },
      { type: "reply-audible", turn: 99 },
      { type: "reply-finished", turn: 99 },
      { type: "reply-failed", turn: 99 },
      { type: "overlap-decoded", startMs: -1, untilMs: -1, ended: true, heard: "command" },
    ] as const)
      expect(step(state, stale, policy)).toEqual({ state, effects: [] });
  }
});

test("a trace that is cut off by a full disk can be read", () => {
  const text = readFileSync(new URL(readdirSync(FOLDER).find((name) => name.endsWith(".jsonl")) ?? "", FOLDER), "utf8");
  expect(parseReplayLog(text.slice(0, -10))).toEqual(parseReplayLog(text).slice(0, -1));
});
