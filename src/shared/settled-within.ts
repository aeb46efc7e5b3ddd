import { addAbortListener } from "node:events";
import type { Clock } from "./clock.ts";

/** Waits until `work` settles, `ms` have passed or `signal` aborts. True when `work` has settled. */
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
