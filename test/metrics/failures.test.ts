import { expect, test } from "vitest";
import { STAGE_FAILURES, type Stage } from "../../src/conversation/events.ts";
import { Metrics } from "../../src/metrics/metrics.ts";
import { watchSession } from "../../src/metrics/watch-session.ts";
import { silentLog } from "../../src/shared/log.ts";

test("failures start at 0 for every stage, because a series that starts with its first event shows no increase", async () => {
  const metrics = new Metrics();
  const counts = async () => (await metrics.failures.get()).values.map(({ labels, value }) => [labels.code, value]);
  const before = await counts();
  const emit = watchSession({
    emit: () => undefined,
    connectionId: "a",
    metrics,
    log: silentLog,
  });
  for (const stage of Object.keys(STAGE_FAILURES) as Stage[])
    emit({ type: "failure", stage, code: STAGE_FAILURES[stage], cause: "INTERNAL", turn: undefined });
  expect(before).toEqual((await counts()).map(([code]) => [code, 0]));
  expect(await counts()).toEqual(before.map(([code]) => [code, 1]));
});
