import { describe, expect, it } from "vitest";
import { Slots } from "../../src/child-processes/slots.ts";
import { OakError } from "../../src/shared/errors.ts";

interface Job {
  readonly promise: Promise<string>;
  finish(): void;
}

const slotsOf = (count: number, maxWaiting: number) =>
  new Slots([...Array(count).keys()], maxWaiting, () => new OakError("full", { code: "TTS_BUSY" }));

/** Starts a job that ends when the test calls for it, and records the order in which jobs started. */
function job(slots: Slots<number>, name: string, begun: string[], signal = new AbortController().signal): Job {
  let finish!: () => void;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const promise = slots.run(async () => {
    begun.push(name);
    await finished;
    return name;
  }, signal);
  return { promise, finish };
}

describe("Slots", () => {
  it("runs a limited number of jobs at once and the others in order of arrival", async () => {
    const slots = slotsOf(2, 10);
    const begun: string[] = [];
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => job(slots, name, begun));
    await Promise.resolve();
    expect(begun).toEqual(["a", "b"]);
    b?.finish();
    expect(await b?.promise).toBe("b");
    a?.finish();
    await a?.promise;
    c?.finish();
    d?.finish();
    await Promise.all([c?.promise, d?.promise]);
    expect(begun).toEqual(["a", "b", "c", "d"]);
  });

  it("notifies waiting jobs when a job has ended", async () => {
    const slots = slotsOf(1, 10);
    const begun: string[] = [];
    const first = job(slots, "first", begun);
    const second = job(slots, "second", begun);
    let moves = 0;
    const third = slots.run(
      () => Promise.resolve("third"),
      new AbortController().signal,
      () => (moves += 1),
    );
    first.finish();
    await first.promise;
    expect(moves).toBe(1);
    second.finish();
    expect(await third).toBe("third");
    expect(moves).toBe(2);
  });

  it("refuses a job when too many wait, and accepts new jobs afterwards", async () => {
    const slots = slotsOf(1, 1);
    const begun: string[] = [];
    const a = job(slots, "a", begun);
    const b = job(slots, "b", begun);
    await expect(job(slots, "c", begun).promise).rejects.toMatchObject({ code: "TTS_BUSY", retryable: true });
    a.finish();
    b.finish();
    await Promise.all([a.promise, b.promise]);
    const d = job(slots, "d", begun);
    d.finish();
    expect(await d.promise).toBe("d");
  });

  it("an aborted job leaves the queue at once, and its slot is passed on once", async () => {
    const slots = slotsOf(1, 2);
    const begun: string[] = [];
    const a = job(slots, "a", begun);
    const controller = new AbortController();
    const b = job(slots, "b", begun, controller.signal);
    const c = job(slots, "c", begun);
    controller.abort("gone");
    await expect(b.promise).rejects.toBe("gone");
    a.finish();
    c.finish();
    await Promise.all([a.promise, c.promise]);
    expect(begun).toEqual(["a", "c"]);
    await expect(job(slots, "d", begun, AbortSignal.abort("late")).promise).rejects.toBe("late");
  });

  it("continues after a failed job", async () => {
    const slots = slotsOf(1, 1);
    const never = new AbortController().signal;
    await expect(slots.run(() => Promise.reject(new Error("broken")), never)).rejects.toThrow("broken");
    expect(await slots.run(() => Promise.resolve(1), never)).toBe(1);
  });
});
