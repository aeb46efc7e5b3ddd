import { describe, expect, it } from "vitest";
import { LanePool } from "../../../../src/engines/stt/lanes/lane-pool.ts";

const never = new AbortController().signal;

/** A job that ends when the test calls for it, or rejects when its lane is reclaimed. */
function job() {
  const state = { lane: 0, started: false, stopped: false, finish: (_value: string) => {} };
  const run = async (lane: number, stop: AbortSignal): Promise<string> => {
    state.lane = lane;
    state.started = true;
    return new Promise((resolve, reject) => {
      state.finish = resolve;
      stop.addEventListener("abort", () => {
        state.stopped = true;
        reject(new Error("stopped"));
      });
    });
  };
  return { state, run };
}

const settle = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("LanePool", () => {
  it("runs one job for each lane and finals in order", async () => {
    const pool = new LanePool([1]);
    const [first, second, third] = [job(), job(), job()];
    const results = [first, second, third].map(async ({ run }, caller) => pool.run(caller, "final", never, run));
    expect([first.state.started, second.state.started]).toEqual([true, false]);
    first.state.finish("a");
    await settle();
    expect([second.state.started, third.state.started]).toEqual([true, false]);
    second.state.finish("b");
    await settle();
    third.state.finish("c");
    expect(await Promise.all(results)).toEqual(["a", "b", "c"]);
  });

  it("notifies waiting jobs when a lane is released", async () => {
    const pool = new LanePool([1]);
    const [first, second, third] = [job(), job(), job()];
    const moves = [0, 0, 0];
    for (const [caller, { run }] of [first, second, third].entries())
      void pool.run(caller, "final", never, run, () => (moves[caller] = (moves[caller] ?? 0) + 1));
    first.state.finish("a");
    await settle();
    expect(moves).toEqual([0, 1, 1]);
    second.state.finish("b");
    await settle();
    expect(moves).toEqual([0, 1, 2]);
  });

  it("refuses a partial when no lane is free or its caller has a job", async () => {
    const pool = new LanePool([1, 2]);
    const [first, second] = [job(), job()];
    void pool.run(1, "final", never, first.run);
    await expect(pool.run(1, "partial", never, job().run)).rejects.toMatchObject({ code: "STT_BUSY", retryable: true });
    void pool.run(2, "partial", never, second.run);
    expect(second.state.started).toBe(true);
    await expect(pool.run(3, "partial", never, job().run)).rejects.toMatchObject({ code: "STT_BUSY" });
  });

  it("lets the query for a language wait for a lane, and gives its lane to a final", async () => {
    const pool = new LanePool([1]);
    const [partial, query, final] = [job(), job(), job()];
    void pool.run(1, "partial", never, partial.run);
    const asked = pool.run(2, "language", never, query.run);
    expect([partial.state.stopped, query.state.started]).toEqual([false, false]);
    partial.state.finish("a");
    await settle();
    expect(query.state.started).toBe(true);
    void pool.run(3, "final", never, final.run);
    await expect(asked).rejects.toMatchObject({ code: "STT_BUSY" });
    await settle();
    expect(final.state.started).toBe(true);
  });

  it("refuses partials of all callers after they have used half of the lane's time, and nothing else", async () => {
    let nowMs = 0;
    const pool = new LanePool([1], { nowMs: () => nowMs });
    const first = job();
    const result = pool.run(1, "partial", never, first.run);
    nowMs = 100;
    first.state.finish("a");
    await result;
    nowMs = 199;
    for (const caller of [1, 2])
      await expect(pool.run(caller, "partial", never, job().run)).rejects.toMatchObject({ code: "STT_BUSY" });
    const urgent = job();
    const heard = pool.run(2, "urgent", never, urgent.run);
    expect(urgent.state.started).toBe(true);
    urgent.state.finish("b");
    await heard;
    nowMs = 200;
    const next = job();
    void pool.run(2, "partial", never, next.run);
    expect(next.state.started).toBe(true);
  });

  it("gives a partial's lane to an urgent decode, which waits for a final", async () => {
    const pool = new LanePool([1]);
    const [partial, urgent, final, next] = [job(), job(), job(), job()];
    const refused = pool.run(1, "partial", never, partial.run);
    void pool.run(2, "urgent", never, urgent.run);
    await expect(refused).rejects.toMatchObject({ code: "STT_BUSY" });
    await settle();
    expect(urgent.state.started).toBe(true);
    urgent.state.finish("stop");
    await settle();
    void pool.run(3, "final", never, final.run);
    void pool.run(2, "urgent", never, next.run);
    await settle();
    expect([final.state.stopped, next.state.started]).toEqual([false, false]);
    final.state.finish("a");
    await settle();
    expect(next.state.started).toBe(true);
  });

  it("gives a partial another lane while its caller's stopped final still has one", async () => {
    const pool = new LanePool([1, 2]);
    const abort = new AbortController();
    const partial = job();
    const final = pool.run(1, "final", abort.signal, job().run);
    abort.abort(new Error("the user went on"));
    await expect(final).rejects.toThrow("the user went on");
    void pool.run(1, "partial", never, partial.run);
    expect(partial.state.started).toBe(true);
  });

  it("gives the newest partial's lane to a final after the lane is released", async () => {
    const pool = new LanePool([1, 2, 3]);
    const [old, young, final] = [job(), job(), job()];
    void pool.run(4, "final", never, job().run);
    const partials = [pool.run(1, "partial", never, old.run), pool.run(2, "partial", never, young.run)];
    const result = pool.run(3, "final", never, final.run);
    await expect(partials[1]).rejects.toMatchObject({ code: "STT_BUSY" });
    await settle();
    expect(final.state).toMatchObject({ started: true, lane: young.state.lane });
    expect(old.state.stopped).toBe(false);
    final.state.finish("x");
    old.state.finish("y");
    expect(await result).toBe("x");
    expect(await partials[0]).toBe("y");
  });

  it("keeps one of several lanes free of partials", async () => {
    const pool = new LanePool([1, 2]);
    const [partial, final] = [job(), job()];
    void pool.run(1, "partial", never, partial.run);
    await expect(pool.run(2, "partial", never, job().run)).rejects.toMatchObject({ code: "STT_BUSY" });
    void pool.run(3, "final", never, final.run);
    expect([final.state.started, partial.state.stopped]).toEqual([true, false]);
  });

  it("rejects at once with the caller's reason, and keeps the lane until the job has settled", async () => {
    const pool = new LanePool([1]);
    const abort = new AbortController();
    let release = (): void => undefined;
    const stubborn = pool.run(
      1,
      "final",
      abort.signal,
      async () => new Promise<string>((resolve) => (release = () => resolve("late"))),
    );
    const next = job();
    const waiting = pool.run(2, "final", never, next.run);
    abort.abort(new Error("gone"));
    await expect(stubborn).rejects.toThrow("gone");
    await settle();
    expect(next.state.started).toBe(false);
    release();
    await settle();
    expect(next.state.started).toBe(true);
    next.state.finish("done");
    expect(await waiting).toBe("done");
  });

  it("removes a queued final that is aborted", async () => {
    const pool = new LanePool([1]);
    const [running, queued] = [job(), job()];
    const first = pool.run(1, "final", never, running.run);
    const abort = new AbortController();
    const second = pool.run(2, "final", abort.signal, queued.run);
    abort.abort(new Error("changed my mind"));
    await expect(second).rejects.toThrow("changed my mind");
    running.state.finish("a");
    await first;
    await settle();
    expect(queued.state.started).toBe(false);
    const again = job();
    void pool.run(3, "partial", never, again.run);
    expect(again.state.started).toBe(true);
  });

  it("releases a lane when a job fails", async () => {
    const pool = new LanePool([1]);
    await expect(pool.run(1, "final", never, async () => Promise.reject(new Error("broken")))).rejects.toThrow(
      "broken",
    );
    expect(await pool.run(1, "partial", never, async () => Promise.resolve("fine"))).toBe("fine");
  });

  it("limits the number of waiting finals", async () => {
    const pool = new LanePool([1]);
    void pool.run(0, "final", never, job().run);
    for (let caller = 1; caller <= 256; caller++) void pool.run(caller, "final", never, job().run);
    await expect(pool.run(257, "final", never, job().run)).rejects.toMatchObject({
      code: "STT_OVERLOADED",
      retryable: true,
    });
  });

  it("starts nothing when the signal is already aborted", async () => {
    const pool = new LanePool([1]);
    const { state, run } = job();
    await expect(pool.run(1, "final", AbortSignal.abort(new Error("too late")), run)).rejects.toThrow("too late");
    expect(state.started).toBe(false);
  });
});
