import { OakError } from "../../shared/errors.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Until disposed, a signal that would end this process aborts instead, so that nothing is left behind. */
export function stoppedBySignal(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const stop = () => controller.abort(new OakError("stopped; nothing is left behind", { code: "STOPPED" }));
  for (const name of SIGNALS) process.on(name, stop);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of SIGNALS) process.off(name, stop);
    },
  };
}
