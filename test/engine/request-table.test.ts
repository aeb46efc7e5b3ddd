import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { RequestTable, type PendingRequest } from "../../src/engine/request-table.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const request = (failed: unknown[]): PendingRequest => ({
  item: () => undefined,
  done: () => undefined,
  fail: (error) => void failed.push(error),
  blockedByReader: () => false,
});

test("a sign of life begins a request's deadline anew, and no other's", () => {
  const waiting: unknown[] = [];
  const stuck: unknown[] = [];
  let expired = 0;
  const table = new RequestTable(8, 1000, () => (expired += 1));
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
  expect(expired).toBe(2);
});
