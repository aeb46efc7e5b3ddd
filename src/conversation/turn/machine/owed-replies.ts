import { NOTHING, type TurnEffect, type TurnEvent, type TurnState, type TurnStep, stay } from "./turn-state.ts";
import type { TurnPolicy } from "../evidence/policy.ts";

/** A turn does not stop the reply: it is answered after it. */
export const keepsReply = ({ endedByClient, uninterruptible }: TurnPolicy): boolean =>
  endedByClient === true || uninterruptible === true;

/** Whether a reply is owed beside the current one, which does not answer it. */
export const staysOwed = ({ reply, replyOwed }: TurnState, policy: TurnPolicy): boolean =>
  replyOwed && (keepsReply(policy) || (reply.name !== "none" && reply.aside));

/** The final transcript of a turn has come: an answer is owed to words, and to an interruption without any. */
export function onFinal(
  state: TurnState,
  { turn, empty, unanswered }: TurnEvent & { type: "final" },
  policy: TurnPolicy,
): TurnStep {
  if (!state.pendingFinals.includes(turn)) return stay(state);
  const pendingFinals = state.pendingFinals.filter((pending) => pending !== turn);
  const asks = unanswered !== true && (!empty || state.interruptedByTurn === turn);
  const replyOwed = state.replyOwed || asks;
  const interruptedByTurn = state.interruptedByTurn === turn ? undefined : state.interruptedByTurn;
  return answerOwed(stay({ ...state, pendingFinals, replyOwed, interruptedByTurn }), policy);
}

/** The client stops the reply, also one that is only owed. */
export function stopReply(state: TurnState, policy: TurnPolicy): TurnStep {
  const { reply } = state;
  const isAside = state.asideOwed || (reply.name !== "none" && reply.aside);
  const stopped: TurnState = {
    ...state,
    replyOwed: isAside && state.replyOwed,
    asideOwed: false,
    reply: { name: "none" },
  };
  if (reply.name === "none") return answerOwed(stay(stopped), policy);
  return answerOwed(
    {
      state: stopped,
      effects: [{ type: "cancel-reply", turn: reply.turn, audible: reply.name === "speaking", by: "client" }],
    },
    policy,
  );
}

/** Text stops the reply and is answered, after the current turn if there is one. It counts as a turn of its own. */
export function onText(state: TurnState, policy: TurnPolicy): TurnStep {
  const { reply, nextTurn } = state;
  const stopped: readonly TurnEffect[] =
    reply.name === "none" ? NOTHING : [{ type: "cancel-reply", turn: reply.turn, audible: reply.name === "speaking" }];
  return answerOwed(
    {
      state: { ...state, nextTurn: nextTurn + 1, replyOwed: true, reply: { name: "none" } },
      effects: [...stopped, { type: "take-text" }],
    },
    policy,
  );
}

/** Starts the reply when all finals have arrived and the caller is silent: a reply in mid-voice would be cancelled at once. */
export function answerOwed(before: TurnStep, policy: TurnPolicy): TurnStep {
  const { state, effects } = before;
  const { user, reply, replyOwed, asideOwed, pendingFinals, voiced, isAway } = state;
  if (isAway) return before;
  const inTurn = user.name === "talking" || user.name === "pausing" || continuesCutTurn(state) || voiced;
  if (!(replyOwed || asideOwed) || pendingFinals.length > 0 || reply.name !== "none") return before;
  if (inTurn && policy.endedByClient !== true) return before;
  const turn = state.nextTurn - 1;
  return {
    state: {
      ...state,
      replyOwed: asideOwed ? replyOwed : !keepsReply(policy),
      asideOwed: false,
      reply: { name: "thinking", turn, aside: asideOwed },
    },
    effects: [...effects, { type: "start-reply", turn }],
  };
}

/** The last turn was cut in mid-speech, by its longest length or by a lost connection. Until a normal end-of-turn silence, any voice opens the next turn. */
export const continuesCutTurn = ({ user, lastTurn }: TurnState): boolean =>
  user.name === "arming" && user.startMs === lastTurn?.endMs;

/** Pauses or resumes sending of the audible reply. */
export function hold(state: TurnState, held: boolean): TurnStep {
  const { reply } = state;
  if (reply.name !== "speaking" || reply.held === held) return stay(state);
  const { turn } = reply;
  return {
    state: { ...state, reply: { ...reply, held } },
    effects: [{ type: held ? "hold-reply" : "resume-reply", turn }],
  };
}
