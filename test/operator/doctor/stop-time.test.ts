import { expect, test } from "vitest";
import { serverConfigSchema } from "../../../src/config/server-config-schema.ts";
import { stopTimeFaults } from "../../../src/operator/doctor/stop-time.ts";

const faults = (drain: number, span: string, state = "loaded") => {
  const { limits } = serverConfigSchema.parse({ limits: { drain_timeout_seconds: drain } });
  return stopTimeFaults(limits, () => `LoadState=${state}\nTimeoutStopUSec=${span}\n`);
};

test.each([
  [15, "40s"],
  [7_200, "2h 1min"],
  [7_200, "1d"],
  [7_200, "infinity"],
  [7_200, "a while"],
])("a drain of %i s fits into TimeoutStopSec %s", (drain, span) => {
  expect(faults(drain, span)).toEqual([]);
});

test("a drain of hours under the installer's unit is a finding with the remedy", () => {
  expect(faults(7_200, "1min 30s")).toEqual([expect.stringMatching(/90 s.*TimeoutStopSec=7220\./u)]);
});

test("a machine without the unit has no finding", () => {
  expect(faults(7_200, "1min 30s", "not-found")).toEqual([]);
  const { limits } = serverConfigSchema.parse({});
  expect(stopTimeFaults(limits, () => "")).toEqual([]);
});
