import { expect, test } from "vitest";
import type { CallView, TurnView } from "../../../src/operator/scenarios/call-view.ts";
import { failuresOf } from "../../../src/operator/scenarios/expectations.ts";
import { scenarioSchema, type ScenarioFile } from "../../../src/operator/scenarios/scenario-file.ts";

const turn = (given: Partial<TurnView> = {}): TurnView => ({
  said: "a wake up call at seven",
  heard: "A wake-up call at 7.",
  replied: "We will wake you at 7.",
  tools: [{ name: "wake", arguments: { room: 12, time: "07:00" }, outcome: "done", output: "{}" }],
  answeredMs: 900,
  overReply: false,
  stoppedReply: false,
  cutOff: false,
  errors: [],
  ...given,
});

const call = (given: Partial<CallView> = {}, turns = [turn()]): CallView => ({
  greeting: "Good day.",
  turns,
  unspoken: 0,
  isEndedByAssistant: false,
  transferredTo: undefined,
  language: undefined,
  closed: undefined,
  ...given,
});

function failures(own: object, whole: object = {}, view = call()): string[] {
  const parsed = scenarioSchema.parse({ turns: [{ say: "a wake up call at seven", ...own }], expect: whole });
  const file: ScenarioFile = { ...parsed, file: "call.yaml", name: "call" };
  return failuresOf(file, view, "en");
}

test("a call that meets all expectations", () => {
  const own = { reply: ["at seven", "/wake|call/"], not_reply: "sorry", heard: "seven", within: 1 };
  const tools = [{ wake: { room: 12, time: "07:00" } }];
  expect(
    failures({ expect: { ...own, tools } }, { tools: ["wake"], ended: false, within: 1, reply: "good day" }),
  ).toEqual([]);
});

test.each([
  [{ reply: "eight" }, 'turn 1: replied "We will wake you at 7.", wanted "eight"'],
  [{ not_reply: "wake you" }, 'turn 1: replied "We will wake you at 7.", which must not have "wake you"'],
  [{ heard: "eight" }, 'turn 1: heard "A wake-up call at 7.", wanted "eight"'],
  [{ within: 0.5 }, "turn 1: answered after 0.90 s, wanted within 0.5 s"],
  [{ tools: [] }, 'turn 1: called wake({"room":12,"time":"07:00"}), wanted no tool'],
  [{ tools: ["wake", "wake"] }, 'turn 1: called wake({"room":12,"time":"07:00"}), wanted wake({}), wake({})'],
  [{ tools: [{ wake: { room: 13 } }] }, "turn 1: called wake with room 12, wanted 13"],
  [{ tools: [{ wake: { item: "tea" } }] }, 'turn 1: called wake with item left out, wanted "tea"'],
  [{ stops_reply: true }, "turn 1: the reply went on"],
])("a turn with %j fails", (own, failure) => {
  expect(failures({ expect: own })).toEqual([failure]);
});

test.each([
  [{ ended: true }, {}, "the assistant did not end the call"],
  [{ transferred_to: "manager" }, {}, "transferred to nobody, wanted manager"],
  [{ language: "de" }, {}, "heard the language of the configuration, wanted de"],
  [{}, { closed: "SERVER_SHUTDOWN" }, "the connection ended: SERVER_SHUTDOWN"],
  [{}, { unspoken: 2 }, "the call ended before the last 2 turns of the caller"],
])("a call with %j that is %j fails", (whole, view, failure) => {
  expect(failures({}, whole, call(view))).toEqual([failure]);
});

test("an answer that never came misses its time, and errors are failures", () => {
  const view = call({}, [turn({ answeredMs: undefined, errors: ["LLM_UNAVAILABLE"] })]);
  expect(failures({ expect: { within: 2 } }, {}, view)).toEqual([
    "turn 1: no answer that began after the caller's words, wanted within 2 s",
    "turn 1: the server reported LLM_UNAVAILABLE",
  ]);
});

test("an interruption needs a reply", () => {
  expect(failures({ over_reply: 1 })).toEqual(["turn 1: no reply played when the caller wanted to interrupt"]);
});

test("arguments that the server does not show cannot be checked", () => {
  const hidden = [{ name: "wake", arguments: undefined, outcome: "done", output: undefined }];
  expect(failures({ expect: { tools: [{ wake: { room: 12 } }] } }, {}, call({}, [turn({ tools: hidden })]))).toEqual([
    "turn 1: the server does not show the arguments of wake: its key needs --allow inspect",
  ]);
});
