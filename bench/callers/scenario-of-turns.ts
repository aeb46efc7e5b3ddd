import { scenarioSchema } from "../../src/operator/scenarios/scenario-file.ts";
import { scenarioOf, type Speak } from "../../src/operator/scenarios/speak-turns.ts";
import type { CallerTurn } from "./outcome.ts";

/** Seconds of the reply that a caller hears before they speak over it. */
const OVER_SECONDS = 0.3;

/** The turns of a caller as a scenario of `oakvoice test`. Without a voice they type. */
export async function scenarioOfTurns(turns: readonly CallerTurn[], configId: string, speak: Speak | undefined) {
  const parsed = scenarioSchema.parse({
    caller: speak === undefined ? "types" : "speaks",
    turns: turns.map(({ say, over }) => (over ? { say, over_reply: OVER_SECONDS } : say)),
  });
  const file = { ...parsed, file: configId, name: configId };
  return { file, scenario: await scenarioOf(file, configId, speak ?? (() => Promise.resolve(new Float32Array(0)))) };
}
