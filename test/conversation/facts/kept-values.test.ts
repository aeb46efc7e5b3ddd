import { expect, test } from "vitest";
import { KeptValues } from "../../../src/conversation/facts/kept-values.ts";

test("newer values take the place of older ones of the same tool", () => {
  const kept = new KeptValues();
  kept.keep("book_table", { people: 3, day: "friday" }, 1);
  kept.keep("book_table", { people: 4 }, 2);
  expect(["people", "day", "name"].map((name) => kept.of("book_table", name, 3))).toEqual([4, "friday", undefined]);
  kept.keep("order_taxi", { to: "airport" }, 3);
  expect([kept.of("book_table", "people", 3), kept.of("order_taxi", "to", 3)]).toEqual([undefined, "airport"]);
});

test("a made call, and seven turns about other things, end what was kept", () => {
  const kept = new KeptValues();
  kept.keep("book_table", { people: 3 }, 1);
  expect(kept.of("book_table", "people", 7)).toBe(3);
  expect(kept.of("book_table", "people", 8)).toBeUndefined();
  kept.clear();
  expect(kept.of("book_table", "people", 2)).toBeUndefined();
});
