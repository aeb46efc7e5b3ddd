/** Loaded into the server before its program (`node --import`). The wall clock jumps by a day every half second, there and back. */
const DAY_MS = 86_400_000;
const JUMPS = [0, DAY_MS, -DAY_MS, 3_600_000, -1_000];
const JUMP_EVERY_MS = 500;

const real = Date;
const now = (): number => real.now() + (JUMPS[Math.floor(performance.now() / JUMP_EVERY_MS) % JUMPS.length] ?? 0);

globalThis.Date = new Proxy(real, {
  construct: (target, args: []) => (args.length === 0 ? new target(now()) : new target(...args)),
  apply: () => new real(now()).toString(),
  get: (target, name) => (name === "now" ? now : (Reflect.get(target, name) as unknown)),
});
