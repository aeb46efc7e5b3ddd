import { expect, test } from "vitest";
import { CallersFirst } from "../../../../src/engines/llm/llama/callers-first.ts";

async function* pieces(...texts: readonly string[]) {
  yield* texts;
}
const never = () => new AbortController().signal;

test("background work pauses while a caller's request runs, and goes on after it", async () => {
  const callers = new CallersFirst();
  const work = callers.between(pieces("one", "two"), never());
  expect((await work.next()).value).toBe("one");
  const reply = callers.during(pieces("Hello", "you"));
  await reply.next();
  const order: string[] = [];
  const rest = (async () => {
    for await (const piece of work) if (piece !== "") order.push(piece);
  })();
  order.push(String((await reply.next()).value));
  await reply.next();
  await rest;
  expect(order).toEqual(["you", "two"]);
});

test("work that pauses long shows that it lives, and ends with its signal", async () => {
  const callers = new CallersFirst();
  const scope = new AbortController();
  let isReturned = false;
  const source = (async function* () {
    try {
      yield* ["one", "two"];
    } finally {
      isReturned = true;
    }
  })();
  const work = callers.between(source, scope.signal);
  await work.next();
  const reply = callers.during(pieces("Hello", "you"));
  await reply.next();
  expect(await work.next()).toEqual({ value: "", done: false });
  const waiting = work.next();
  scope.abort(new Error("the caller's place is needed"));
  await expect(waiting).rejects.toThrow("the caller's place is needed");
  expect(isReturned).toBe(true);
  await reply.return(undefined);
});

test("a request that is cancelled frees the way", async () => {
  const callers = new CallersFirst();
  const reply = callers.during(pieces("Hello", "you"));
  await reply.next();
  await reply.return(undefined);
  expect(await callers.between(pieces("one"), never()).next()).toEqual({ value: "one", done: false });
});
