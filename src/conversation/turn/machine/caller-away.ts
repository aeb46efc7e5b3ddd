import { NOTHING, type TurnState, type TurnStep, stay } from "./turn-state.ts";
import type { TurnPolicy } from "../evidence/policy.ts";
import { answerOwed } from "./owed-replies.ts";
import { beginning, hasWords } from "./overlaps.ts";
import { commit, openTurn } from "./turn-bounds.ts";

/** The connection is lost: ends the turn with the words so far, and stops the reply. A reply that the caller did not hear at all stays owed. */
export function leave(state: TurnState, policy: TurnPolicy): TurnStep {
  const ended = endByLoss({ ...state, isAway: true, voiced: false, asideOwed: false }, policy);
  const { reply } = ended.state;
  if (reply.name === "none") return ended;
  const audible = reply.name === "speaking";
  return {
    state: { ...ended.state, reply: { name: "none" }, replyOwed: ended.state.replyOwed || (!audible && !reply.aside) },
    effects: [...ended.effects, { type: "cancel-reply", turn: reply.turn, audible, by: "loss" }],
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
export function comeBack(state: TurnState, owesReply: boolean, policy: TurnPolicy): TurnStep {
  if (!state.isAway) return stay(state);
  // The number of the reply is a new one.
  const nextTurn = state.nextTurn + (owesReply ? 1 : 0);
  return answerOwed(stay({ ...state, isAway: false, nextTurn, replyOwed: state.replyOwed || owesReply }), policy);
}
