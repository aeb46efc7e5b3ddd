import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Balancer, RULES } from "../../bench/fleet-simulation/balancer.ts";
import { Box, type BoxState } from "../../bench/fleet-simulation/box.ts";
import { callSeconds, callsPerSecond, MEAN_CALL_SECONDS } from "../../bench/fleet-simulation/calls.ts";
import { busyShare, fleetOptions, rateFor, warmFleet } from "../../bench/fleet-simulation/conditions.ts";
import { erlangB, loadFor } from "../../bench/fleet-simulation/erlang.ts";
import { EventQueue } from "../../bench/fleet-simulation/event-queue.ts";
import { Fleet } from "../../bench/fleet-simulation/fleet.ts";
import { check } from "../../bench/fleet-simulation/health.ts";
import { costs, PROFILES, withFigures } from "../../bench/fleet-simulation/study-cost.ts";
import { valkeyLimits, valkeyShare } from "../../bench/fleet-simulation/study-valkey.ts";
import { seededRandom } from "../../src/simulated-callers/random.ts";

describe("Erlang B", () => {
  test.each([
    [1, 1, 0.5],
    [5, 10, 0.018385],
    [3.092, 10, 0.001],
    [84.06, 100, 0.01],
  ])("%d erlangs on %d places: %d busy", (load, places, busy) => {
    expect(erlangB(load, places)).toBeCloseTo(busy, 4);
  });

  test("the load for a busy share gives that share", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 500 }),
        fc.double({ min: 0.0005, max: 0.2, noNaN: true }),
        (places, busy) => {
          expect(erlangB(loadFor(busy, places), places)).toBeCloseTo(busy, 6);
        },
      ),
    );
  });
});

test("events come in the order of their times", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true })), (times) => {
      const queue = new EventQueue();
      for (const atSeconds of times) queue.push({ atSeconds });
      const popped = times.map(() => queue.pop()?.atSeconds);
      expect(popped).toEqual(times.toSorted((a, b) => a - b));
      expect(queue.pop()).toBeUndefined();
    }),
  );
});

describe("calls", () => {
  test("call lengths have the mean of the distribution", () => {
    const random = seededRandom(1);
    const lengths = Array.from({ length: 100_000 }, () => callSeconds(random));
    const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    expect(mean / MEAN_CALL_SECONDS).toBeCloseTo(1, 1);
  });

  test("the hours of a day add up to the calls of the day", () => {
    const minutes = Array.from({ length: 1440 }, (_, minute) => 60 * callsPerSecond(1e6, 60 * minute));
    expect(minutes.reduce((sum, calls) => sum + calls, 0) / 1e6).toBeCloseTo(1, 3);
  });
});

describe("theory", () => {
  // A box alone, or a balancer that knows all connections and tries all boxes, finds every free place.
  test.each([
    { boxes: 1, placesPerBox: 10, fill: 0.6 },
    { boxes: 5, placesPerBox: 4, fill: 0.8 },
    { boxes: 20, placesPerBox: 2, fill: 0.9 },
  ])("$boxes boxes of $placesPerBox places at $fill are as busy as Erlang B says", ({ boxes, placesPerBox, fill }) => {
    const health = { everySeconds: 2, fall: 3, rise: 2, learns: "serving" } as const;
    const options = () => fleetOptions({ boxes, placesPerBox, balancers: 1, retries: boxes, health });
    const places = boxes * placesPerBox;
    const expected = erlangB(fill * places, places);
    const ratio = busyShare(options(), fill, 60_000) / expected;
    expect(ratio).toBeGreaterThan(0.85);
    expect(ratio).toBeLessThan(1.15);
  });

  test("the busy share does not depend on the spread of the lengths", () => {
    const health = { everySeconds: 2, fall: 3, rise: 2, learns: "serving" } as const;
    const options = { boxes: 1, placesPerBox: 10, balancers: 1, health };
    const constant = busyShare(fleetOptions({ ...options, callSeconds: () => MEAN_CALL_SECONDS }), 0.7, 60_000);
    expect(constant / erlangB(7, 10)).toBeGreaterThan(0.85);
    expect(constant / erlangB(7, 10)).toBeLessThan(1.15);
  });

  test("a fleet is never less busy than Erlang B for all its places, beyond chance", () => {
    const shapes = fc.record({
      boxes: fc.integer({ min: 2, max: 12 }),
      placesPerBox: fc.integer({ min: 1, max: 8 }),
      balancers: fc.integer({ min: 1, max: 3 }),
      retries: fc.integer({ min: 0, max: 4 }),
      rule: fc.constantFrom(...RULES),
      refusesBeforeUpgrade: fc.boolean(),
      learns: fc.constantFrom("serving" as const, "ready" as const, "weight" as const),
    });
    fc.assert(
      fc.property(shapes, fc.double({ min: 0.6, max: 1, noNaN: true }), ({ learns, ...shape }, fill) => {
        const places = shape.boxes * shape.placesPerBox;
        const health = { everySeconds: 20, fall: 3, rise: 2, learns };
        const busy = busyShare(fleetOptions({ ...shape, health }), fill, 10_000);
        expect(busy).toBeGreaterThan(erlangB(fill * places, places) * 0.8 - 0.01);
      }),
      { numRuns: 30 },
    );
  });
});

describe("balancing", () => {
  const states = fc.array(fc.constantFrom<BoxState>("serving", "draining", "dead"), { minLength: 1, maxLength: 8 });

  test.each(RULES)("%s chooses only usable routes, and avoids the one that just failed", (rule) => {
    fc.assert(
      fc.property(states, fc.integer(), (boxStates, seed) => {
        const boxes = boxStates.map((state) => new Box(2, state));
        const balancer = new Balancer(boxes, rule, seededRandom(seed));
        for (const route of balancer.routes) route.isUp = route.box.state === "serving";
        const usable = balancer.routes.filter((route) => route.isUsable);
        const first = balancer.choose();
        expect(usable.includes(first!)).toBe(usable.length > 0);
        const second = balancer.choose(first);
        expect(second === first).toBe(usable.length <= 1);
      }),
    );
  });

  test.each(RULES)("%s spreads calls over equal boxes", (rule) => {
    const boxes = Array.from({ length: 10 }, () => new Box(1000));
    const balancer = new Balancer(boxes, rule, seededRandom(3));
    for (let call = 0; call < 1000; call += 1) balancer.choose()!.sessions += 1;
    for (const { sessions } of balancer.routes) expect(Math.abs(sessions - 100)).toBeLessThan(10);
  });

  test("a route is down after `fall` failed checks and up after `rise` good ones", () => {
    const [route] = new Balancer([new Box(1)], "leastconn", seededRandom(1)).routes;
    const health = { everySeconds: 2, fall: 3, rise: 2, learns: "ready" } as const;
    const seen = ["draining", "draining", "draining", "serving", "draining", "serving", "serving"].map((state) => {
      route!.box.state = state as BoxState;
      check(route!, health);
      return route!.isUp;
    });
    expect(seen).toEqual([true, true, false, false, false, false, true]);
  });
});

describe("a dead box", () => {
  test("every call continues or is lost, and no place is counted twice", () => {
    const faults = fc.array(fc.constantFrom<BoxState>("dead", "cut"), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(faults, fc.integer({ min: 1, max: 1000 }), (dead, seed) => {
        const options = fleetOptions({ boxes: 5, placesPerBox: 4 }, seed);
        const rate = rateFor(0.7, options);
        const fleet = warmFleet(options, rate);
        let hit = 0;
        for (const [at, state] of dead.entries()) {
          const box = fleet.boxes[at]!;
          box.state = state;
          hit += box.calls.size;
          fleet.breakCalls(box, () => 1);
          expect(box.calls.size).toBe(0);
        }
        fleet.run(fleet.nowSeconds + 200, rate);
        expect(fleet.counts.resumed + fleet.counts.lost).toBe(hit);
        expect(fleet.gaps.every((gap) => gap >= 1 && gap <= 60 + 4 * 5)).toBe(true);
        expect(fleet.open).toBe(fleet.boxes.reduce((sum, { calls }) => sum + calls.size, 0));
        for (const { calls, places } of fleet.boxes) expect(calls.size).toBeLessThanOrEqual(places);
      }),
      { numRuns: 30 },
    );
  });

  test("without resume its calls are lost", () => {
    const options = fleetOptions({ boxes: 3, resumeSeconds: 0 });
    const fleet = warmFleet(options, rateFor(0.5, options));
    const [box] = fleet.boxes;
    const hit = box!.calls.size;
    fleet.breakCalls(box!, () => 0);
    expect(fleet.counts).toMatchObject({ lost: hit, resumed: 0 });
  });
});

test("the same seed gives the same day", () => {
  const run = () => {
    const fleet = new Fleet(fleetOptions({ boxes: 10 }));
    fleet.run(3600, 1);
    return { ...fleet.counts, seconds: fleet.callSeconds };
  };
  expect(run()).toEqual(run());
});

describe("prices", () => {
  test("calls per box and prices can be given, and change the price of an hour", () => {
    const profiles = withFigures(withFigures(PROFILES, "callsPerBox", ["gpu=16"]), "pricePerHour", ["gpu=0.8"]);
    const { table } = costs(profiles, []);
    expect(table.find(({ name }) => name === "gpu")?.cells).toContain("0.050");
    expect(table.find(({ name }) => name === "cpu-large")?.cells).toContain("-");
  });

  test.each(["gpu", "gpu=", "gpu=-1", "tpu=3"])("%s is refused with the names of the profiles", (figure) => {
    expect(() => withFigures(PROFILES, "pricePerHour", [figure])).toThrow(/gpu-large/u);
  });
});

test("twice the calls take twice the share of a Valkey process", () => {
  const rates = { claim: 40_000, release: 40_000, renew: 20_000, snapshot: 20_000 };
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100_000 }), (calls) => {
      expect(valkeyShare(2 * calls, rates)).toBeCloseTo(2 * valkeyShare(calls, rates), 8);
    }),
  );
  const { data } = valkeyLimits(rates, "a test");
  expect(valkeyShare((data as { mostCalls: number }).mostCalls, rates)).toBeCloseTo(0.5, 6);
});
