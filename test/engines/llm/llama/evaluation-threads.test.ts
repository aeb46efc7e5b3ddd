import { expect, test } from "vitest";
import { EvaluationThreads } from "../../../../src/engines/llm/llama/evaluation-threads.ts";

async function* pieces(...texts: readonly string[]) {
  yield* texts;
}

test("a prompt gets more threads than a reply, and keeps them while any prompt is evaluated", async () => {
  const limit = { maxThreads: 0 };
  const threads = new EvaluationThreads(limit, 4, 1);
  const first = threads.during(pieces("", "", "Hello", " you"));
  const second = threads.during(pieces("", "Yes"));
  const seen: number[] = [];
  for (const next of [first, first, first, second, first, second, second]) {
    await next.next();
    seen.push(limit.maxThreads);
  }
  expect(seen).toEqual([4, 4, 4, 4, 4, 1, 1]);
});

test("the first clause of a reply keeps the threads of the prompt while no other request runs", async () => {
  const limit = { maxThreads: 0 };
  const threads = new EvaluationThreads(limit, 4, 1);
  const seen: number[] = [];
  for await (const _ of threads.during(pieces("", "", "Of course", ". ", "It", " is"))) seen.push(limit.maxThreads);
  expect(seen).toEqual([4, 4, 4, 1, 1, 1]);
  const long = threads.during(pieces("a clause of more ", "than forty letters ", "without a comma"));
  const lengths: number[] = [];
  for await (const _ of long) lengths.push(limit.maxThreads);
  expect(lengths).toEqual([4, 4, 1]);
});

test("a request that is cancelled or fails while its prompt is evaluated does not change the thread count", async () => {
  const limit = { maxThreads: 0 };
  const threads = new EvaluationThreads(limit, 4, 2);
  const cancelled = threads.during(pieces("", ""));
  await cancelled.next();
  await cancelled.return(undefined);
  expect(limit.maxThreads).toBe(2);
  const failing = threads.during(
    (async function* () {
      yield "";
      throw new Error("no");
    })(),
  );
  await failing.next();
  await expect(failing.next()).rejects.toThrow("no");
  expect(limit.maxThreads).toBe(2);
});

test("a reply never gets more threads than a prompt", async () => {
  const limit = { maxThreads: 0 };
  const threads = new EvaluationThreads(limit, 1, 3);
  for await (const _ of threads.during(pieces("Hello")));
  expect(limit.maxThreads).toBe(1);
});
