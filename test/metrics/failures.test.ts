import { expect, test } from "vitest";
import { Announcer, type Stage } from "../../src/conversation/announcer.ts";
import { Metrics } from "../../src/metrics/metrics.ts";
import { watchedClient } from "../../src/metrics/watched-client.ts";
import { silentLog } from "../../src/shared/log.ts";

const STAGES = Object.keys({
  vad: true,
  stt: true,
  llm: true,
  tts: true,
  emotion: true,
  "end of turn": true,
} satisfies Record<Stage, true>) as Stage[];

test("failures are counted from 0 on for every stage: a series that begins with its first event shows no increase", async () => {
  const metrics = new Metrics();
  const counts = async () => (await metrics.failures.get()).values.map(({ labels, value }) => [labels.code, value]);
  const before = await counts();
  const announcer = new Announcer(watchedClient({ send() {} }, "a", metrics, silentLog), "a", () => true);
  for (const stage of STAGES) announcer.failure(stage, "ANY", undefined);
  expect(before).toEqual((await counts()).map(([code]) => [code, 0]));
  expect(await counts()).toEqual(before.map(([code]) => [code, 1]));
});
