import type { RequestEnd, RequestNumber } from "../../events.ts";
import {
  NOTHING,
  type OwedReply,
  type ReplyState,
  type TurnEffect,
  type TurnEvent,
  type TurnState,
  type TurnStep,
  stay,
} from "./turn-state.ts";
import type { TurnPolicy } from "../evidence/policy.ts";

/** A turn does not stop the reply: it is answered after it. */
export const keepsReply = ({ endedByClient, uninterruptible }: TurnPolicy): boolean =>
  endedByClient === true || uninterruptible === true;

/** The request that a reply carries out, until it is audible. */
export const requestOf = (reply: ReplyState): RequestNumber | undefined =>
  reply.name === "thinking" ? reply.request : undefined;

export const endRequest = (request: RequestNumber | undefined, how: RequestEnd): readonly TurnEffect[] =>
  request === undefined ? NOTHING : [{ type: "end-request", request, how }];

/** A reply is asked for. One under way is the answer. A newer request takes the place of one that waits. */
export function onRespond(
  state: TurnState,
  { request, isSide }: TurnEvent & { type: "respond" },
  policy: TurnPolicy,
): TurnStep {
  if (state.reply.name !== "none") return { state, effects: endRequest(request, "joined") };
  const asked = isSide === true ? "side" : "owed";
  const next = { ...state, nextTurn: state.nextTurn + 1, [asked]: owedFor(request) };
  return answerOwed({ state: next, effects: endRequest(state[asked]?.request, "superseded") }, policy);
}

export const owedFor = (request: RequestNumber | undefined): OwedReply => (request === undefined ? {} : { request });

/** The owed reply when the caller's words come: they take the place of a request whose reply was dropped. */
function afterWords({ owed }: TurnState): [OwedReply | undefined, readonly TurnEffect[]] {
  return owed?.wasDropped === true ? [{}, endRequest(owed.request, "superseded")] : [owed, NOTHING];
}

/** The owed reply when a sound or a loss stops the present one, which is owed again unless it was audible. */
export function afterDrop({ reply, owed }: TurnState): [OwedReply | undefined, readonly TurnEffect[]] {
  if (reply.name !== "thinking") return [owed, NOTHING];
  const { request, isSide } = reply;
  if (isSide) return [owed, endRequest(request, "superseded")];
  return [request === undefined ? (owed ?? {}) : { request, wasDropped: true }, NOTHING];
}

/** The final transcript of a turn has come: an answer is owed to words, and to an interruption without any. */
export function onFinal(
  state: TurnState,
  { turn, empty, unanswered }: TurnEvent & { type: "final" },
  policy: TurnPolicy,
): TurnStep {
  if (!state.pendingFinals.includes(turn)) return stay(state);
  const pendingFinals = state.pendingFinals.filter((pending) => pending !== turn);
  const asks = unanswered !== true && (!empty || state.interruptedByTurn === turn);
  const [kept, effects] = empty ? [state.owed, NOTHING] : afterWords(state);
  const owed = asks ? (kept ?? {}) : kept;
  const interruptedByTurn = state.interruptedByTurn === turn ? undefined : state.interruptedByTurn;
  return answerOwed({ state: { ...state, pendingFinals, owed, interruptedByTurn }, effects }, policy);
}

/** The client stops the reply, also one that is only owed. A reply beside the conversation is stopped alone. */
export function stopReply(state: TurnState, policy: TurnPolicy): TurnStep {
  const { reply, owed, side } = state;
  const isSide = side !== undefined || (reply.name !== "none" && reply.isSide);
  const stopped: TurnState = { ...state, owed: isSide ? owed : undefined, side: undefined, reply: { name: "none" } };
  const requests = [requestOf(reply), side?.request, isSide ? undefined : owed?.request];
  const ended = requests.flatMap((request) => endRequest(request, "stopped"));
  if (reply.name === "none") return answerOwed({ state: stopped, effects: ended }, policy);
  const audible = reply.name === "speaking";
  const cancelled: TurnEffect = { type: "cancel-reply", turn: reply.turn, audible, by: "client" };
  return answerOwed({ state: stopped, effects: [cancelled, ...ended] }, policy);
}

/** Text stops the reply and is answered, after the current turn if there is one. It counts as a turn of its own. */
export function onText(state: TurnState, { text }: TurnEvent & { type: "text-given" }, policy: TurnPolicy): TurnStep {
  const { reply, nextTurn } = state;
  const [kept, superseded] = afterWords(state);
  const stopped: readonly TurnEffect[] =
    reply.name === "none"
      ? NOTHING
      : [
          { type: "cancel-reply", turn: reply.turn, audible: reply.name === "speaking" },
          ...endRequest(requestOf(reply), "superseded"),
        ];
  const taken: TurnEffect = { type: "take-text", ...(text === undefined ? {} : { text }) };
  return answerOwed(
    {
      state: { ...state, nextTurn: nextTurn + 1, owed: kept ?? {}, reply: { name: "none" } },
      effects: [...stopped, ...superseded, taken],
    },
    policy,
  );
}

/** Starts the reply when all finals have arrived and the caller is silent: a reply in mid-voice would be cancelled at once. */
export function answerOwed(before: TurnStep, policy: TurnPolicy): TurnStep {
  const { state, effects } = before;
  const { user, reply, owed, side, pendingFinals, voiced, isAway } = state;
  if (isAway) return before;
  const inTurn = user.name === "talking" || user.name === "pausing" || continuesCutTurn(state) || voiced;
  const due = side ?? owed;
  if (due === undefined || pendingFinals.length > 0 || reply.name !== "none") return before;
  if (inTurn && policy.endedByClient !== true) return before;
  const turn = state.nextTurn - 1;
  const asked = owedFor(due.request);
  const isSide = side !== undefined;
  return {
    state: {
      ...state,
      owed: isSide ? owed : undefined,
      side: undefined,
      reply: { name: "thinking", turn, isSide, ...asked },
    },
    effects: [...effects, { type: "start-reply", turn, ...asked }],
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
