import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RequestTable, type PendingRequest } from "../../src/child-processes/request-table.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const limits = { maxPending: 8, requestMs: 1000, cancelMs: 500 };

const request = (failed: unknown[]): PendingRequest => ({
  item: () => undefined,
  done: () => undefined,
  fail: (error) => void failed.push(error),
  blockedByReader: () => false,
});

test("a sign of life restarts the deadline of its request only", () => {
  const waiting: unknown[] = [];
  const stuck: unknown[] = [];
  const late: number[] = [];
  const table = new RequestTable(limits, { late: (id) => late.push(id), stuck: () => undefined });
  const id = table.add(request(waiting));
  table.add(request(stuck));
  for (let passed = 0; passed < 3; passed += 1) {
    vi.advanceTimersByTime(600);
    table.deliver({ type: "item", id, value: undefined });
  }
  expect(waiting).toEqual([]);
  expect(stuck).toMatchObject([{ code: "ENGINE_TIMEOUT" }]);
  vi.advanceTimersByTime(1001);
  expect(waiting).toMatchObject([{ code: "ENGINE_TIMEOUT" }]);
  expect(late).toEqual([id + 1, id]);
});

test("the child counts as stuck only when a request misses its deadline and its cancel is not confirmed", () => {
  let stuck = 0;
  const table = new RequestTable(limits, { late: () => undefined, stuck: () => (stuck += 1) });
  const confirms = table.add(request([]));
  table.add(request([]));
  vi.advanceTimersByTime(1001);
  table.deliver({ type: "error", id: confirms, error: { code: "INTERNAL", message: "aborted" } });
  vi.advanceTimersByTime(498);
  expect(stuck).toBe(0);
  vi.advanceTimersByTime(10);
  expect(stuck).toBe(1);
});
