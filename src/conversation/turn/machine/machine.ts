import { GREETING_TURN, type TurnEvent, type TurnState, type TurnStep, stay } from "./turn-state.ts";
import type { TurnPolicy } from "../evidence/policy.ts";
import {
  answerOwed,
  endRequest,
  keepsReply,
  onFinal,
  onRespond,
  onText,
  requestOf,
  stopReply,
} from "./owed-replies.ts";
import { comeBack, leave } from "./caller-away.ts";
import { dropTurn, endTurn } from "./turn-bounds.ts";
import { onEvidence, onFrame, pausingIn } from "./caller-voice.ts";
import { onOverlapDecoded, overlapping } from "./overlaps.ts";

/**
 * The turns of a conversation as a pure function. Time is session time in ms, counted in received samples. Every frame carries
 * it, so there are no timers. A result of an older turn or reply changes nothing.
 */
export function step(state: TurnState, event: TurnEvent, policy: TurnPolicy): TurnStep {
  switch (event.type) {
    case "frame":
      return onFrame(state, event, policy);
    case "prepared": {
      const { turn, pauseMs, unfinished, wordOdds = 0, leastWaitMs = 0, early, atMs } = event;
      const user = pausingIn(state, turn, pauseMs);
      const awaitsWords = early === true && user?.awaitsWords === true;
      return onEvidence(state, user && { ...user, unfinished, wordOdds, leastWaitMs, awaitsWords }, atMs, policy);
    }
    case "words-awaited": {
      const user = pausingIn(state, event.turn, event.pauseMs);
      return onEvidence(state, user && { ...user, awaitsWords: event.awaited }, event.atMs, policy);
    }
    case "pause-judged": {
      const user = pausingIn(state, event.turn, event.pauseMs);
      return onEvidence(state, user && { ...user, overProbability: event.probability }, event.atMs, policy);
    }
    case "final":
      return onFinal(state, event, policy);
    case "end-turn":
      return endTurn(state, event, policy);
    case "drop-turn":
      return dropTurn(state, policy);
    case "respond":
      return onRespond(state, event, policy);
    case "stop-reply":
      return stopReply(state, policy);
    case "overlap-decoded":
      return onOverlapDecoded(state, event, policy);
    case "text-given":
      return onText(state, event, policy);
    case "caller-left":
      return leave(state, policy);
    case "caller-back":
      return comeBack(state, event, policy);
    case "greet":
      return state.reply.name === "none" && state.user.name === "silent"
        ? {
            state: { ...state, reply: { name: "thinking", turn: GREETING_TURN, isSide: false } },
            effects: [{ type: "start-reply", turn: GREETING_TURN }],
          }
        : stay(state);
    case "reply-audible":
      return state.reply.name === "thinking" && state.reply.turn === event.turn
        ? {
            state: {
              ...state,
              user: state.user.name === "arming" && !keepsReply(policy) ? overlapping(state.user) : state.user,
              reply: { name: "speaking", turn: event.turn, isSide: state.reply.isSide, held: false },
            },
            effects: endRequest(requestOf(state.reply), "heard"),
          }
        : stay(state);
    case "reply-finished":
    case "reply-failed":
      return state.reply.name !== "none" && state.reply.turn === event.turn
        ? answerOwed(
            {
              state: {
                ...state,
                reply: { name: "none" },
                faint: undefined,
                user:
                  state.user.name === "silent" && state.faint !== undefined
                    ? { name: "arming", ...state.faint }
                    : state.user,
              },
              effects: endRequest(requestOf(state.reply), event.type === "reply-failed" ? "failed" : "heard"),
            },
            policy,
          )
        : stay(state);
  }
}
