import { pino } from "pino";
import { expect, test } from "vitest";
import { readableLine } from "../../src/shared/readable-line.ts";

test("a line for a person has the time, the level if it is bad, the message and the fields", () => {
  let text = "";
  const options = { base: null, timestamp: () => ',"time":"2026-11-29T14:03:21.500Z"' };
  const log = pino(options, { write: (line: string) => (text = readableLine(line)) });
  log.info({ folder: "/voices", count: 2 }, "voice configurations");
  expect(text).toMatch(/^\d\d:03:21 voice configurations \(folder \/voices, count 2\)\n$/u);
  log.warn({ tool: undefined, ids: ["a"] }, "tool failed");
  expect(text).toMatch(/^\d\d:03:21 warning tool failed \(ids \["a"\]\)\n$/u);
  log.error("over");
  expect(text).toMatch(/^\d\d:03:21 error over\n$/u);
});
