import { expect, test } from "vitest";
import { stackFrames } from "../../src/shared/errors.ts";

test("stack frames contain the place and no line of the message", () => {
  const error = new Error("the caller said\n    at home in the morning\nmy number is 12345");
  const frames = stackFrames(error);
  expect(frames).toContain("errors.test.ts");
  expect(frames).not.toMatch(/caller|morning|12345/);
  expect(frames?.split("\n").length).toBeLessThanOrEqual(5);
  expect(stackFrames(new Error())).toContain("errors.test.ts");
  expect(stackFrames("not an error")).toBeUndefined();
});
