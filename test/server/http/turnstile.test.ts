import { Socket } from "node:net";
import { expect, test } from "vitest";
import { Turnstile } from "../../../src/server/http/turnstile.ts";

test("sockets above the rate enter later in order, except sockets that closed and those left at shutdown", async () => {
  const turnstile = new Turnstile(20);
  const entered: number[] = [];
  const sockets = Array.from({ length: 70 }, () => new Socket());
  for (const [number, socket] of sockets.entries()) turnstile.pass(socket, () => entered.push(number));
  expect(entered.length).toBeGreaterThanOrEqual(60);
  expect(entered.length).toBeLessThan(66);
  sockets[66]?.destroy();
  await expect.poll(() => entered.includes(67), { timeout: 20_000 }).toBe(true);
  expect(entered.slice(0, 67)).toEqual([...Array(66).keys(), 67]);
  turnstile.close();
  expect(sockets[69]?.destroyed).toBe(true);
});
