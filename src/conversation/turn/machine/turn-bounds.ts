import {
  NOTHING,
  type TurnEffect,
  type TurnEvent,
  type TurnState,
  type TurnStep,
  type UserState,
  stay,
  type Pausing,
} from "./turn-state.ts";
import type { CommitCause } from "../../events.ts";
import { scorePause, type PauseEvidence } from "../evidence/end-of-turn.ts";
import { learnPause, learnTurn, type Habits } from "../evidence/habits.ts";
import { LONGEST_LEAD_IN_MS, type TurnPolicy } from "../evidence/policy.ts";
import { afterDrop, answerOwed, hold, keepsReply } from "./owed-replies.ts";

/** A caller who speaks again this soon after the end of a turn had only paused. */
const WENT_ON_MS = 2000;

/** The evidence about the pause of a turn. */
export function evidenceOf({ habits, rate }: TurnState, user: Pausing, atMs: number): PauseEvidence {
  const { startMs, lastVoicedMs, unfinished, wordOdds, leastWaitMs, overProbability: probability } = user;
  const [silentMs, turnMs] = [atMs - lastVoicedMs, lastVoicedMs - startMs];
  return { silentMs, turnMs, probability, unfinished, wordOdds, leastWaitMs, habits, rate };
}

/** A turn begins. It stops the reply unless the policy keeps replies. */
export function openTurn(state: TurnState, startMs: number, atMs: number, policy: TurnPolicy): TurnStep {
  const turn = state.nextTurn;
  const { reply, lastTurn, habits } = state;
  const keeps = keepsReply(policy);
  // The reply may be held since it was interruptible.
  const resumed = hold(state, false);
  const interrupts = reply.name === "speaking" && !keeps;
  const opened: TurnEffect = { type: "open-turn", turn, startMs, interrupts };
  const [owed, superseded] = keeps ? [state.owed, NOTHING] : afterDrop(state);
  return {
    state: {
      ...state,
      owed,
      nextTurn: turn + 1,
      user: { name: "talking", turn, startMs, lastVoicedMs: atMs },
      reply: keeps ? resumed.state.reply : { name: "none" },
      interruptedByTurn: interrupts && !reply.isSide ? turn : state.interruptedByTurn,
      habits: lastTurn === undefined ? habits : learnGap(habits, lastTurn, startMs),
    },
    effects:
      reply.name === "none" || keeps
        ? [...resumed.effects, opened]
        : [{ type: "cancel-reply", turn: reply.turn, audible: interrupts }, ...superseded, opened],
  };
}

/** Learns from the gap between two turns. A short gap was a pause inside one turn. */
function learnGap(habits: Habits, { startMs, endMs }: { startMs: number; endMs: number }, atMs: number): Habits {
  return atMs - endMs < WENT_ON_MS ? learnPause(habits, atMs - endMs) : learnTurn(habits, endMs - startMs);
}

/** Ends a turn that has lasted too long. A voice that continues starts the next turn. */
export function limitTurn(
  state: TurnState,
  atMs: number,
  policy: TurnPolicy,
  effects: readonly TurnEffect[],
): TurnStep {
  const { user } = state;
  if ((user.name !== "talking" && user.name !== "pausing") || atMs - user.startMs < policy.maxTurnMs)
    return { state, effects };
  const [endMs, confidence] =
    user.name === "talking"
      ? [atMs, 0]
      : [user.lastVoicedMs, scorePause(evidenceOf(state, user, atMs), policy).confidence];
  return commit(state, user, endMs, "max-duration", confidence, effects);
}

/** The turn is over. A voice that was cut opens the next turn. */
export function commit(
  state: TurnState,
  user: UserState & { name: "talking" | "pausing" },
  endMs: number,
  cause: CommitCause,
  confidence: number,
  effects: readonly TurnEffect[],
): TurnStep {
  const { turn, startMs } = user;
  const before = state.lastTurn;
  const wentOn = before !== undefined && startMs - before.endMs < WENT_ON_MS;
  const cut = cause === "max-duration" || (cause === "lost" && user.name === "talking");
  return {
    state: {
      ...state,
      user: cut ? { name: "arming", startMs: endMs, voicedMs: 0, lastVoicedMs: endMs } : { name: "silent" },
      pendingFinals: [...state.pendingFinals, turn],
      lastTurn: { startMs: wentOn ? before.startMs : startMs, endMs },
    },
    effects: [...effects, { type: "commit-turn", turn, startMs, endMs, cause, confidence }],
  };
}

/** The client ends the turn. All audio until then is part of it, whether the detector takes it for a voice or not. */
export function endTurn(
  state: TurnState,
  { fromMs, atMs }: TurnEvent & { type: "end-turn" },
  policy: TurnPolicy,
): TurnStep {
  const { user } = state;
  if (user.name === "talking" || user.name === "pausing") return commit(state, user, atMs, "client", 1, NOTHING);
  const startMs = Math.max(fromMs, state.lastTurn?.endMs ?? 0, atMs - LONGEST_LEAD_IN_MS);
  // The maximum ended the turn in this frame.
  if (startMs >= atMs) return answerOwed(stay({ ...state, user: { name: "silent" } }), policy);
  const opened = openTurn(state, startMs, atMs, { ...policy, uninterruptible: true });
  const turn = opened.state.user;
  if (turn.name !== "talking") return opened;
  return commit(opened.state, turn, atMs, "client", 1, opened.effects);
}

/** The client drops the turn under way. */
export function dropTurn(state: TurnState, policy: TurnPolicy): TurnStep {
  const { user } = state;
  const resumed = hold({ ...state, user: { name: "silent" }, voiced: false }, false);
  if (user.name !== "talking" && user.name !== "pausing") return resumed;
  return answerOwed(
    { state: resumed.state, effects: [...resumed.effects, { type: "drop-turn", turn: user.turn }] },
    policy,
  );
}
