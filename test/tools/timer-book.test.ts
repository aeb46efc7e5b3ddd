import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { TimerBook, type Timer } from "../../src/tools/builtin/timer-book.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

function book() {
  const clock = new VirtualClock();
  const timers = new TimerBook(clock);
  const rung: string[] = [];
  const enter = (owner: string, most = Infinity, hears = true) => {
    const scope = new AbortController();
    const own = timers.attach(owner, scope.signal, ({ label }, done) => {
      if (rung.length >= most) return false;
      rung.push(`${owner}: ${label}`);
      if (hears) done();
      return true;
    });
    return { ...own, leave: () => scope.abort() };
  };
  return { clock, timers, rung, enter };
}
const timer = (label: string): Timer => ({ id: randomUUID(), kind: "timer", label, at: "" });

test("a timer rings once, for the caller who set it", () => {
  const { clock, rung, enter } = book();
  const ann = enter("ann");
  const bob = enter("bob");
  ann.set(timer("tea"), 3_000);
  expect(bob.list()).toEqual([]);
  clock.advance(2_999);
  expect(rung).toEqual([]);
  clock.advance(10_000);
  expect(rung).toEqual(["ann: tea"]);
  expect(ann.list()).toEqual([]);
});

test("a caller who comes back keeps the timers, and hears at once what was due meanwhile", () => {
  const { clock, rung, enter } = book();
  const before = enter("ann");
  before.set(timer("tea"), 3_000);
  before.set(timer("cake"), 60_000);
  before.leave();
  clock.advance(10_000);
  expect(rung).toEqual([]);
  const after = enter("ann");
  expect(rung).toEqual(["ann: tea"]);
  expect(after.list().map(({ timer: { label } }) => label)).toEqual(["cake"]);
});

test("a timer that was due long ago is forgotten", () => {
  const { clock, rung, enter } = book();
  const ann = enter("ann");
  ann.set(timer("tea"), 3_000);
  ann.leave();
  clock.advance(2 * 3_600_000);
  enter("ann");
  expect(rung).toEqual([]);
});

test("a new connection of the caller that overlaps the old one takes over", () => {
  const { clock, rung, enter } = book();
  const before = enter("ann");
  before.set(timer("tea"), 3_000);
  enter("ann");
  before.leave();
  clock.advance(3_000);
  expect(rung).toEqual(["ann: tea"]);
});

test("a second connection of the caller that ends before the first leaves it its timers", () => {
  const { clock, rung, enter } = book();
  const before = enter("ann");
  before.set(timer("tea"), 3_000);
  enter("ann").leave();
  clock.advance(3_000);
  expect(rung).toEqual(["ann: tea"]);
});

test("a timer that cannot ring now rings later", () => {
  const { clock, rung, enter } = book();
  const before = enter("ann", 0);
  before.set(timer("tea"), 3_000);
  clock.advance(10_000);
  expect(before.list()).toHaveLength(1);
  enter("ann");
  clock.advance(10_000);
  expect(rung).toEqual(["ann: tea"]);
  expect(before.list()).toEqual([]);
});

test("a timer that the newest connection cannot ring rings on an older one", () => {
  const { clock, rung, enter } = book();
  enter("ann").set(timer("tea"), 3_000);
  enter("ann", 0);
  clock.advance(3_000);
  expect(rung).toEqual(["ann: tea"]);
});

test("a timer whose caller leaves before they hear it rings on another connection, or when they are back", () => {
  const { clock, rung, enter } = book();
  const before = enter("ann", Infinity, false);
  before.set(timer("tea"), 3_000);
  clock.advance(10_000);
  expect(rung).toEqual(["ann: tea"]);
  before.leave();
  expect(rung).toHaveLength(1);
  const after = enter("ann", Infinity, false);
  expect(rung).toHaveLength(2);
  const third = enter("ann");
  expect(rung).toHaveLength(2);
  after.leave();
  expect(rung).toHaveLength(3);
  expect(third.list()).toEqual([]);
});

test("a cancelled timer does not ring, and the number of timers is limited", () => {
  const { clock, rung, enter } = book();
  const ann = enter("ann");
  ann.set(timer("tea"), 3_000);
  for (const set of ann.list()) ann.cancel(set.timer);
  clock.advance(3_000);
  expect(rung).toEqual([]);
  for (let at = 0; at < 20; at += 1) ann.set(timer("x"), 1e6);
  expect(() => ann.set(timer("x"), 1e6)).toThrow("too many timers");
});

test("timers of callers who have left make room for new ones", () => {
  const { rung, clock, enter } = book();
  for (let caller = 0; caller < 500; caller += 1) {
    const left = enter(`caller ${String(caller)}`);
    for (let at = 0; at < 20; at += 1) left.set(timer("x"), 1e7);
    left.leave();
  }
  const ann = enter("ann");
  ann.set(timer("tea"), 3_000);
  clock.advance(3_000);
  expect(rung).toEqual(["ann: tea"]);
});

test("closing the book stops every timer", () => {
  const { clock, timers, rung, enter } = book();
  enter("ann").set(timer("tea"), 3_000);
  timers.close();
  clock.advance(10_000);
  expect(rung).toEqual([]);
});
