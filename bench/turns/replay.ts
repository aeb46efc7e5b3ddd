import { initialTurnState, type TurnEffect, type TurnEvent } from "../../src/conversation/turn/machine/turn-state.ts";
import { step } from "../../src/conversation/turn/machine/machine.ts";
import type { TurnPolicy } from "../../src/conversation/turn/evidence/policy.ts";
import type { Call } from "./call.ts";
import type { HeardCall } from "./hearing.ts";

/** Time of a decode on an idle machine. */
const DECODE_MS = 200;

/** The outcome of one turn of a caller. */
export type Outcome =
  | { readonly kind: "ended"; readonly delayMs: number; readonly confidence: number }
  /** The turn ended before the caller had finished. */
  | { readonly kind: "cut-off"; readonly confidence: number }
  /** No voice was detected. */
  | { readonly kind: "unheard" };

/** Runs the service's turn machine on a call. Replies end at once, so that only the caller's turns are measured. */
export async function replay(call: Call, heard: HeardCall, policy: TurnPolicy): Promise<readonly Outcome[]> {
  let state = initialTurnState;
  const opened: number[] = [];
  const commits: { atMs: number; confidence: number }[] = [];
  let turnStartMs = 0;
  let decoded: { readonly dueMs: number; readonly event: TurnEvent } | undefined;
  const dispatch = (event: TurnEvent): readonly TurnEffect[] => {
    const next = step(state, event, policy);
    state = next.state;
    return next.effects;
  };
  for (let i = 0; i < heard.probabilities.length; i++) {
    const atMs = (i + 1) * heard.frameMs;
    if (decoded !== undefined && atMs >= decoded.dueMs) {
      dispatch(decoded.event);
      decoded = undefined;
    }
    const effects = dispatch({
      type: "frame",
      atMs,
      frameMs: heard.frameMs,
      probability: heard.probabilities[i]!,
      aboveNoiseDb: heard.aboveNoiseDb[i]!,
      noiseFloorDbfs: heard.noiseFloorDbfs[i]!,
    });
    for (const effect of effects) {
      if (effect.type === "judge-pause") {
        const { turn, startMs, pauseMs } = effect;
        const probability = await heard.over(startMs, pauseMs, effect.atMs);
        if (probability !== undefined) dispatch({ type: "pause-judged", turn, pauseMs, probability });
      } else if (effect.type === "prepare-final") {
        const words = await heard.words(turnStartMs, effect.endMs, policy.briefAnswerMs > 0);
        if (words !== undefined)
          decoded = {
            dueMs: atMs + DECODE_MS,
            event: { type: "prepared", turn: effect.turn, pauseMs: effect.endMs, ...words },
          };
      } else if (effect.type === "drop-final") {
        decoded = undefined;
      } else if (effect.type === "open-turn") {
        turnStartMs = effect.startMs;
        opened.push(effect.startMs);
      } else if (effect.type === "commit-turn") {
        commits.push({ atMs, confidence: effect.confidence });
        dispatch({ type: "final", turn: effect.turn, empty: true });
      }
    }
  }
  return call.turns.map(({ startMs, endMs, untilMs }) => {
    const first = commits.find(({ atMs }) => atMs > startMs && atMs <= untilMs);
    if (first === undefined) {
      // The turn had not ended when the next one began, or its voice was not detected.
      return opened.some((atMs) => atMs >= startMs && atMs < untilMs)
        ? { kind: "ended", delayMs: untilMs - endMs, confidence: 0 }
        : { kind: "unheard" };
    }
    const { atMs, confidence } = first;
    return atMs < endMs ? { kind: "cut-off", confidence } : { kind: "ended", delayMs: atMs - endMs, confidence };
  });
}
