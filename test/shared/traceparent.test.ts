import { expect, test } from "vitest";
import { formatTraceParent, parseTraceParent } from "../../src/shared/traceparent.ts";

const RIGHT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

test("a header is read and written", () => {
  const parsed = parseTraceParent(RIGHT);
  expect(parsed).toEqual({ traceId: RIGHT.slice(3, 35), spanId: RIGHT.slice(36, 52), flags: 1 });
  expect(parsed && formatTraceParent(parsed)).toBe(RIGHT);
  expect(parseTraceParent(`cc${RIGHT.slice(2)}-more`)).toEqual(parsed);
});

test.each([
  undefined,
  "",
  "x",
  `${RIGHT}-more`,
  RIGHT.replace("00-", "ff-"),
  RIGHT.toUpperCase(),
  `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
  `${RIGHT}\r\nx: y`,
])("%j is ignored", (header) => {
  expect(parseTraceParent(header)).toBeUndefined();
});
