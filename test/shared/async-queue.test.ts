import { expect, test } from "vitest";
import { AsyncQueue } from "../../src/shared/async-queue.ts";

test("readers get items in order, then the end", async () => {
  const queue = new AsyncQueue<number>();
  const early = [queue.next(), queue.next()];
  for (const item of [1, 2, 3]) queue.push(item);
  queue.end();
  queue.push(4);
  expect(queue.size).toBe(1);
  expect(await Promise.all(early)).toEqual([
    { done: false, value: 1 },
    { done: false, value: 2 },
  ]);
  const rest = [];
  for await (const item of queue) rest.push(item);
  expect(rest).toEqual([3]);
});

test("an error at the end comes after the unread items", async () => {
  const queue = new AsyncQueue<number>();
  queue.push(1);
  queue.end({ error: new Error("gone") });
  expect(await queue.next()).toEqual({ done: false, value: 1 });
  await expect(queue.next()).rejects.toThrow("gone");
  await expect(queue.next()).rejects.toThrow("gone");
});

test("a failure drops unread items, also of a queue that has ended", async () => {
  const queue = new AsyncQueue<number>();
  queue.push(1);
  queue.end();
  queue.fail(new Error("aborted"));
  queue.fail(new Error("second"));
  await expect(queue.next()).rejects.toThrow("aborted");
});

test("a failure reaches a reader that waits", async () => {
  const queue = new AsyncQueue<number>();
  const reading = queue.next();
  queue.fail(new Error("aborted"));
  await expect(reading).rejects.toThrow("aborted");
});

test("a reader that leaves ends the queue", async () => {
  const queue = new AsyncQueue<number>();
  queue.push(1);
  queue.push(2);
  for await (const item of queue) if (item === 1) break;
  queue.push(3);
  expect(await queue.next()).toEqual({ done: true, value: undefined });
});
