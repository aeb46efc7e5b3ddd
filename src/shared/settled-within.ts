import { addAbortListener } from "node:events";
import type { Clock } from "./clock.ts";

/** Waits for `work` to settle, for `ms` at most and no longer than until `signal` aborts. True when it has settled. */
export async function settledWithin(
  work: Promise<unknown>,
  ms: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  let giveUp!: (settled: false) => void;
  const late = new Promise<false>((resolve) => (giveUp = resolve));
  const cancel = clock.after(ms, () => giveUp(false));
  using _ = addAbortListener(signal, () => giveUp(false));
  const settled = work.then(
    () => true,
    () => true,
  );
  return await Promise.race([settled, late]).finally(cancel);
}
