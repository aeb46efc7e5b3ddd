import { expect, test } from "vitest";
import { costs, type CpuProfile } from "../../bench/profile/costs.ts";

test("a profile lists the cost of each function, without idle time and models", () => {
  const frame = (id: number, functionName: string, url = "", lineNumber = 0, children: number[] = []) => {
    return { id, callFrame: { functionName, url, lineNumber }, children };
  };
  const profile: CpuProfile = {
    nodes: [
      frame(1, "(idle)"),
      frame(2, "run", "file:///x/dist/src/shared/onnx-session.js", 57, [5]),
      frame(3, "process", "file:///x/dist/src/audio/resampler.js", 29),
      frame(4, "writev"),
      frame(5, ""),
    ],
    samples: [1, 2, 5, 3, 1, 4, 3],
    timeDeltas: [9, 1, 1, 2, 9, 1, 1],
  };
  expect(costs(profile)).toEqual([
    { name: "process audio/resampler.js:30", share: 0.75 },
    { name: "writev", share: 0.25 },
  ]);
});
