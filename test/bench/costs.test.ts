import { expect, test } from "vitest";
import { costs, type CpuProfile } from "../../bench/profile/costs.ts";

test("a profile's last seconds are told apart: idle, models, the rest by function; closing down does not count", () => {
  const frame = (id: number, functionName: string, url = "", lineNumber = 0) => {
    return { id, callFrame: { functionName, url, lineNumber } };
  };
  const profile: CpuProfile = {
    nodes: [
      frame(1, "(idle)"),
      frame(2, "run", "file:///x/dist/src/shared/onnx-session.js", 57),
      frame(3, "process", "file:///x/dist/src/audio/resampler.js", 29),
    ],
    startTime: 0,
    endTime: 13e6,
    // One sample a second: the first four are before the calls, the last three after them.
    samples: [3, 3, 3, 3, 1, 2, 2, 3, 1, 1, 3, 3, 3],
    timeDeltas: Array.from({ length: 13 }, () => 1e6),
  };
  const { busySeconds, inferenceSeconds, byFunction } = costs(profile, 5.5);
  expect([busySeconds, inferenceSeconds]).toEqual([3, 2]);
  expect(byFunction).toEqual([{ name: "process audio/resampler.js:30", seconds: 1 }]);
});
