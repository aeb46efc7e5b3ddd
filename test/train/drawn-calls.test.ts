import { expect, it } from "vitest";
import { python, train } from "./training.ts";

it.skipIf(python === "")("the drawn conversations have calls that fit the tools of their prompts", () => {
  expect(train("scripts/train/llm/check_calls.py", "500")).toMatch(/^[1-9]\d* calls, 0 do not fit$/mu);
});
