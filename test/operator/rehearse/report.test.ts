import { expect, test } from "vitest";
import { summariseStage } from "../../../src/simulated-callers/summary.ts";
import { describeRehearsal, type RehearsalReport } from "../../../src/operator/rehearse/report.ts";

const stage = summariseStage([], 1, {}).summary;

const report: RehearsalReport = {
  rehearsal: true,
  profile: "cpu",
  machine: "4 x CPU",
  started: "2026-01-01T00:00:00.000Z",
  models: [{ id: "whisper", bytes: 60e6 }],
  missing: [],
  stages: [{ ...stage, callers: 1, voice_to_voice: { count: 2, mean: 1, p50: 900, p95: 1200, p99: 1300, max: 1300 } }],
  wanted: [{ "voice_to_voice.p95": 1000, "voice_to_voice.p50": 1000, missed_turns: 0 }],
  carries: 1,
  failed: [],
  notTried: [2, 4],
  alone: [
    { id: "whisper", role: "stt", bytes: 60e6, decodeMs: 512.4, threads: 2, found: "computed" },
    { id: "huge", role: "llm", bytes: 60e9, skipped: "it needs 61.0 GB of memory" },
  ],
};

test("the calls, the wanted values and each model have a row", () => {
  const text = describeRehearsal(report);
  expect(text).toMatch(/^rehearsal of profile cpu: /mu);
  expect(text).toMatch(/^rehearsal: callers +1$/mu);
  expect(text).toMatch(/^voice to voice, ms \(p50 \/ p95\) +900 \/ 1200$/mu);
  expect(text).toMatch(
    /^1 caller: voice_to_voice\.p95 +1000 +1200 +no\n1 caller: voice_to_voice\.p50 +1000 +900 +yes$/mu,
  );
  expect(text).not.toContain("missed_turns");
  expect(text).toMatch(/^rehearsal: carries 1 caller\nnot tried: 2, 4 callers$/mu);
  expect(text).toMatch(
    /^rehearsal: one model alone .*\nwhisper +60 MB +512 +2 +- +- +- +computed from the starter recogniser\nhuge: not timed: .* memory$/mu,
  );
});

test("without the models there are no calls, and the report names what is missing", () => {
  const text = describeRehearsal({ ...report, stages: [], wanted: [], carries: 0, missing: ["whisper", "piper"] });
  expect(text).toMatch(/^rehearsal: no calls, because these models are not installed: whisper, piper$/mu);
  expect(text).not.toContain("carries");
});
