import { asFailure, errorCode } from "../shared/errors.ts";

const isCrash = (error: unknown): boolean => errorCode(error) === "ENGINE_CRASHED";

/** Calls an engine; once more when its process died under the call, which then waits for the restart. Throws what `asFailure` returns. */
export async function askEngine<Result>(call: () => Promise<Result>, retries = 1): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (retries > 0 && isCrash(error)) return await askEngine(call, retries - 1);
    throw asFailure(error);
  }
}

/** The same for an engine that streams: it is asked again only before its first item. */
export async function* streamFromEngine<Item>(open: () => AsyncIterable<Item>, retries = 1): AsyncGenerator<Item> {
  let hasBegun = false;
  try {
    for await (const item of open()) {
      hasBegun = true;
      yield item;
    }
    return;
  } catch (error) {
    if (hasBegun || retries === 0 || !isCrash(error)) throw asFailure(error);
  }
  yield* streamFromEngine(open, retries - 1);
}
