import { expect, test } from "vitest";
import { EvaluationThreads } from "../../../../src/engines/llm/llama/evaluation-threads.ts";

async function* pieces(...texts: readonly string[]) {
  yield* texts;
}

test("a prefill gets more threads than a reply, and keeps them while any prefill runs", async () => {
  const limit = { maxThreads: 0 };
  const threads = new EvaluationThreads(limit, 4, 1);
  const first = threads.during(pieces("", "", "Hello", " you"));
  const second = threads.during(pieces("", "Yes"));
  const seen: number[] = [];
  for (const next of [first, first, first, second, first, second, second]) {
    await next.next();
    seen.push(limit.maxThreads);
  }
  expect(seen).toEqual([4, 4, 1, 4, 4, 1, 1]);
});

test("a request that is cancelled or fails during its prefill does not change the thread count", async () => {
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

test("a reply never gets more threads than a prefill", async () => {
  const limit = { maxThreads: 0 };
  const threads = new EvaluationThreads(limit, 1, 3);
  for await (const _ of threads.during(pieces("Hello")));
  expect(limit.maxThreads).toBe(1);
});
