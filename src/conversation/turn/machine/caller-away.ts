import { NOTHING, type TurnEvent, type TurnState, type TurnStep, stay } from "./turn-state.ts";
import type { TurnPolicy } from "../evidence/policy.ts";
import { afterDrop, answerOwed, endRequest } from "./owed-replies.ts";
import { beginning, hasWords } from "./overlaps.ts";
import { commit, openTurn } from "./turn-bounds.ts";

/** The connection is lost: ends the turn with the words so far, and stops the reply. A reply that the caller did not hear at all stays owed. */
export function leave(state: TurnState, policy: TurnPolicy): TurnStep {
  const ended = endByLoss({ ...state, isAway: true, voiced: false, side: undefined }, policy);
  const { reply } = ended.state;
  const effects = [...ended.effects, ...endRequest(state.side?.request, "stopped")];
  if (reply.name === "none") return { state: ended.state, effects };
  const [owed, superseded] = afterDrop(ended.state);
  const audible = reply.name === "speaking";
  return {
    state: { ...ended.state, reply: { name: "none" }, owed },
    effects: [...effects, { type: "cancel-reply", turn: reply.turn, audible, by: "loss" }, ...superseded],
  };
}

function endByLoss(state: TurnState, policy: TurnPolicy): TurnStep {
  const { user } = state;
  if (user.name === "talking" || user.name === "pausing")
    return commit(state, user, user.lastVoicedMs, "lost", 0, NOTHING);
  if (user.name !== "overlapping" || !hasWords(user.heard)) return stay({ ...state, user: { name: "silent" } });
  const opened = openTurn(state, beginning(user, policy), user.lastVoicedMs, policy);
  const turn = opened.state.user;
  return turn.name === "talking" ? commit(opened.state, turn, turn.lastVoicedMs, "lost", 0, opened.effects) : opened;
}

/** The caller is back on another connection. */
export function comeBack(
  state: TurnState,
  { owesReply, request }: TurnEvent & { type: "caller-back" },
  policy: TurnPolicy,
): TurnStep {
  if (!state.isAway) return stay(state);
  // The number of the reply is a new one.
  const nextTurn = state.nextTurn + (owesReply ? 1 : 0);
  const before = owesReply ? (state.owed ?? {}) : state.owed;
  const [owed, effects] =
    request === undefined ? [before, NOTHING] : [{ request }, endRequest(state.owed?.request, "superseded")];
  return answerOwed({ state: { ...state, isAway: false, nextTurn, owed }, effects }, policy);
}
