import { english } from "../../../src/language/packs/en/en.ts";
import { expect, test } from "vitest";
import { EndOfTurnWatch } from "../../../src/conversation/ear/end-of-turn-watch.ts";
import { SampleRing } from "../../../src/audio/ring-buffer.ts";
import { OakError } from "../../../src/shared/errors.ts";
import { clip, silence } from "../../support/audio.ts";
import { TestBox } from "../../support/box.ts";

test("a server without its end-of-turn model accepts calls and ends turns by silence", async () => {
  const box = await TestBox.start({}, "models:\n  turn:\n    path: /nowhere/turn.onnx\n");
  try {
    const caller = await box.call();
    caller.client.sendAudio(clip("flite-time.wav"));
    caller.client.sendAudio(silence(1.5));
    expect((await caller.next("turn_end")).data).toMatchObject({ is_complete: true });
    expect(caller.all("error")).toEqual([]);
    caller.client.close();
  } finally {
    await box.close();
  }
});

test("a failing model is reported once until it works again", async () => {
  const failures: unknown[] = [];
  let works = false;
  const watch = new EndOfTurnWatch({
    language: () => english,
    model: {
      windowSamples: 16_000,
      melodySamples: 16_000,
      melodyOdds: async () => undefined,
      oddsByWords: () => 0,
      probabilityOver: async () => {
        if (works) return 0.5;
        throw new OakError("no answer", { code: "TURN_FAILED" });
      },
      close: async () => undefined,
    },
    ring: new SampleRing(16_000),
    signal: new AbortController().signal,
    onFailure: (error) => failures.push(error),
  });
  expect(await watch.judge(0, 0, 3200)).toBeUndefined();
  expect(await watch.judge(0, 0, 6400)).toBeUndefined();
  expect(failures).toHaveLength(1);
  works = true;
  expect(await watch.judge(0, 0, 9600)).toBe(0.5);
  works = false;
  await watch.judge(0, 0, 12_800);
  expect(failures).toHaveLength(2);
});

test("the melody is judged once a pause, from the turn's beginning on", async () => {
  const ring = new SampleRing(80_000);
  ring.write(new Float32Array(80_000));
  const lengths: number[] = [];
  const scored: (number | undefined)[] = [];
  const watch = new EndOfTurnWatch({
    language: () => english,
    model: {
      windowSamples: 16_000,
      melodySamples: 40_000,
      melodyOdds: async (samples) => lengths.push(samples.length),
      oddsByWords: () => 0,
      probabilityOver: async (_samples, _silentMs, melodyOdds) => {
        scored.push(melodyOdds);
        return 0.5;
      },
      close: async () => undefined,
    },
    ring,
    signal: new AbortController().signal,
    onFailure: (error) => expect.fail(String(error)),
  });
  await watch.judge(20_000, 30_000, 32_560);
  await watch.judge(20_000, 30_000, 34_608);
  await watch.judge(20_000, 70_000, 72_560);
  expect(lengths).toEqual([32_560 - 20_000 + 4_800, 40_000]);
  expect(scored).toEqual([1, 1, 2]);
});
