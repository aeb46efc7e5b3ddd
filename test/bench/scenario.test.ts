import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { CALL_HZ } from "../../src/audio/format.ts";
import { writeWav } from "../../src/audio/wav.ts";
import { SimulatedCaller } from "../../src/simulated-callers/caller.ts";
import { failures, loadLimits } from "../../src/simulated-callers/limits.ts";
import { htmlReport } from "../../bench/conversation/report-html.ts";
import { textTable } from "../../bench/conversation/report-table.ts";
import { loadScenario, scriptFor } from "../../src/simulated-callers/scenario.ts";
import { powerOf } from "../../src/simulated-callers/sound.ts";
import { summariseStage } from "../../src/simulated-callers/summary.ts";
import { sine } from "../audio/signals.ts";
import { plainWords } from "../../src/simulated-callers/words/word-errors.ts";
import { TestBox } from "../support/box.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const shipped = (name: string) => new URL(`../../bench/conversation/${name}`, import.meta.url).pathname;

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
  for (const name of ["one", "two"]) {
    const samples = sine(300, 16_000, 16_000, 0.2);
    writeFileSync(join(folder, `${name}.wav`), writeWav({ samples, sampleRateHz: 16_000 }));
    writeFileSync(join(folder, `${name}.txt`), `number ${name}\n`);
  }
});

function scenario(yaml: string) {
  const path = join(folder, "scenario.yaml");
  writeFileSync(path, yaml);
  return loadScenario(path);
}

describe("scenarios", () => {
  test.each(["everyday", "street"])("the shipped scenario %s is valid", (name) => {
    const { callers } = loadScenario(shipped(`scenarios/${name}.yaml`));
    expect(callers.length).toBeGreaterThan(1);
    for (const { utterances } of callers) for (const { text } of utterances) expect(text).toBeTruthy();
  });

  test("each recording of a folder becomes a turn with its words, and its parts become one utterance", () => {
    const { callers } = scenario(
      "name: x\ncallers: [{ turns: [{ say: . }, { say: [one.wav, 0.5, two.wav], into_reply: 1 }] }]",
    );
    const [first, second, joined] = callers[0]?.utterances ?? [];
    expect([first?.text, second?.text, joined?.text]).toEqual(["number one", "number two", "number one number two"]);
    expect(joined?.speech).toHaveLength(2.5 * CALL_HZ);
    expect(joined).toMatchObject({ meantAs: "interruption", voiced: { from: 0, to: 2.5 * CALL_HZ } });
  });

  test("noise has the requested ratio to the speech", () => {
    const { noise, callers } = scenario(
      "name: x\nnoise: { kind: white, snr_db: 20 }\ncallers: [{ turns: [{ say: one.wav }] }]",
    );
    const speech = callers[0]?.utterances[0]?.speech ?? new Float32Array();
    expect(10 * Math.log10(powerOf(speech) / powerOf(noise ?? new Float32Array()))).toBeCloseTo(20, 1);
  });

  test.each([
    ["name: x\ncallers: []", "callers"],
    ["name: x\ncallers: [{ turns: [{ say: none.wav }] }]", "none.wav"],
    ["name: x\nsettings: { turn_detection: { mode: odd } }\ncallers: [{ turns: [{ say: one.wav }] }]", "mode"],
  ])("an invalid scenario is refused with the reason: %s", (yaml, what) => {
    expect(() => scenario(yaml)).toThrow(what);
  });

  test("additional callers start at a different place in a script", () => {
    const found = scenario("name: x\ncallers: [{ turns: [{ say: one.wav }, { say: two.wav }] }]");
    const orders = new Set(
      [0, 1, 2, 3, 4].map((at) =>
        scriptFor(found, at)
          .utterances.map(({ text }) => text)
          .join(),
      ),
    );
    expect(orders.size).toBe(2);
  });
});

test("the report contains a call over a real socket", async () => {
  const box = await TestBox.start();
  const found = loadScenario(shipped("scenarios/everyday.yaml"));
  const [script] = found.callers;
  const caller = new SimulatedCaller(
    0,
    { settings: {}, utterances: script?.utterances.slice(0, 1) ?? [], secrets: [] },
    found,
  );
  await caller.connect((id) => box.url("default", id));
  const record = await caller.run(0);
  await box.close();
  const stage = summariseStage([record], 5, {});
  expect(stage.summary).toMatchObject({ turns: 1, missed_turns: 0, early_replies: 0, leaks: 0, errors: 0 });
  const { voice_to_voice, speech_end_to_turn_end } = stage.summary;
  expect(voice_to_voice?.p50).toBeGreaterThan(speech_end_to_turn_end?.p50 ?? Infinity);

  // The caller's transcript, as if another caller had said it.
  const heard = plainWords(record.utterances[0]?.text ?? "");
  const silent = { ...record, utterances: [] };
  const other = { ...silent, caller: 1, secrets: heard, events: [], audio: [] };
  const planted = summariseStage([silent, other], 5, {}).summary;
  expect(planted.leaked_words.length).toBeGreaterThan(0);
  expect(heard).toEqual(expect.arrayContaining([...planted.leaked_words]));
  expect(planted).toMatchObject({ leaks: planted.leaked_words.length, secrets: new Set(heard).size });

  const report = { scenario: "<one>", started: "now", machine: "here", stages: [stage], failed: ["it was late"] };
  expect(textTable([stage.summary])).toMatch(/turns +1\n/u);
  const html = htmlReport(report);
  expect(html).toContain("&lt;one&gt;");
  expect(html).toContain("it was late");
  expect(html).toContain("<polyline");
  expect(html).not.toMatch(/(?:src|href)=/u);
  // The report has every measure that the shipped limits name.
  failures(stage.summary, loadLimits(shipped("limits.yaml")));
});
