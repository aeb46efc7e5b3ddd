import { initialTurnState, type TurnEffect, type TurnEvent } from "../../src/conversation/turn/machine/turn-state.ts";
import { step } from "../../src/conversation/turn/machine/machine.ts";
import type { TurnPolicy } from "../../src/conversation/turn/evidence/policy.ts";
import type { Call } from "./call.ts";
import type { HeardCall } from "./hearing.ts";

/** The outcome of one turn of a caller. */
export type Outcome =
  | { readonly kind: "ended"; readonly delayMs: number; readonly confidence: number }
  /** The turn ended before the caller had finished, at this time of the call. */
  | { readonly kind: "cut-off"; readonly confidence: number; readonly atMs: number }
  /** No voice was detected. */
  | { readonly kind: "unheard" };

/** Runs the service's turn machine on a call. Replies end at once, so that only the caller's turns are measured. */
export async function replay(call: Call, heard: HeardCall, policy: TurnPolicy): Promise<readonly Outcome[]> {
  let state = initialTurnState;
  const opened: number[] = [];
  const commits: { atMs: number; confidence: number }[] = [];
  let turnStartMs = 0;
  let nowMs = 0;
  let decoded: readonly { readonly dueMs: number; readonly event: TurnEvent & { type: "prepared" } }[] = [];
  const dispatch = async (event: TurnEvent): Promise<void> => {
    const next = step(state, event, policy);
    state = next.state;
    for (const effect of next.effects) await perform(effect);
  };
  const perform = async (effect: TurnEffect): Promise<void> => {
    if (effect.type === "judge-pause") {
      const { turn, startMs, pauseMs, atMs } = effect;
      const probability = await heard.over(startMs, pauseMs, atMs);
      if (probability !== undefined) await dispatch({ type: "pause-judged", turn, pauseMs, probability, atMs });
    } else if (effect.type === "prepare-final") {
      const { turn, endMs: pauseMs } = effect;
      const words = await heard.words(turnStartMs, pauseMs, policy.briefAnswerMs > 0);
      decoded = words.map(({ afterMs, ...judged }, index) => ({
        dueMs: nowMs + afterMs,
        event: { type: "prepared", turn, pauseMs, ...judged, ...(index < words.length - 1 ? { early: true } : {}) },
      }));
      if (words.length > 0) await dispatch({ type: "words-awaited", turn, pauseMs, awaited: true });
    } else if (effect.type === "drop-final") {
      decoded = [];
    } else if (effect.type === "open-turn") {
      turnStartMs = effect.startMs;
      opened.push(effect.startMs);
    } else if (effect.type === "commit-turn") {
      commits.push({ atMs: nowMs, confidence: effect.confidence });
      await dispatch({ type: "final", turn: effect.turn, empty: true });
    }
  };
  for (let i = 0; i < heard.probabilities.length; i++) {
    const atMs = (i + 1) * heard.frameMs;
    while (decoded[0] !== undefined && decoded[0].dueMs < atMs) {
      const [{ dueMs, event }, ...later] = decoded;
      decoded = later;
      nowMs = dueMs;
      await dispatch({ ...event, atMs: i * heard.frameMs });
    }
    nowMs = atMs;
    await dispatch({
      type: "frame",
      atMs,
      frameMs: heard.frameMs,
      probability: heard.probabilities[i]!,
      aboveNoiseDb: heard.aboveNoiseDb[i]!,
      noiseFloorDbfs: heard.noiseFloorDbfs[i]!,
    });
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
    return atMs < endMs ? { kind: "cut-off", confidence, atMs } : { kind: "ended", delayMs: atMs - endMs, confidence };
  });
}
