import {
  type Pausing,
  NOTHING,
  type FrameEvent,
  type TurnEffect,
  type TurnState,
  type TurnStep,
  stay,
} from "./turn-state.ts";
import { prolong, type Sound } from "../evidence/barge-in.ts";
import { scorePause } from "../evidence/end-of-turn.ts";
import { learnPause } from "../evidence/habits.ts";
import type { TurnPolicy } from "../evidence/policy.ts";
import { followRate } from "../evidence/speaking-rate.ts";
import { isVoiced, reaches } from "../evidence/speech-gate.ts";
import { answerOwed, continuesCutTurn, keepsReply } from "./owed-replies.ts";
import { commit, limitTurn, openTurn, evidenceOf } from "./turn-bounds.ts";
import { onOverlap, overlapping } from "./overlaps.ts";

/** The user state while the caller is in the pause that began at `pauseMs`; undefined otherwise. */
export function pausingIn({ user }: TurnState, turn: number, pauseMs: number | undefined): Pausing | undefined {
  return user.name === "pausing" && user.turn === turn && user.lastVoicedMs === (pauseMs ?? user.lastVoicedMs)
    ? user
    : undefined;
}

/** Takes one frame of the caller's audio: voice or silence. */
export function onFrame(state: TurnState, event: FrameEvent, policy: TurnPolicy): TurnStep {
  if (state.isAway) return stay(state);
  const speaking = state.reply.name === "speaking";
  const isVoice = speaking
    ? (event.aboveNoiseDb ?? Infinity) >= policy.interruptAboveNoiseDb &&
      reaches(state.voiced, event.probability, policy.interruptThreshold)
    : isVoiced(state.voiced, event, policy);
  const voiced = isVoice && event.echo !== true;
  const ownVoice = voiced && !speaking && event.aboveNoiseDb !== undefined;
  const rate = ownVoice ? followRate(state.rate, event.aboveNoiseDb, event.frameMs) : state.rate;
  const faint = speaking && !voiced && !keepsReply(policy) ? faintVoice(state.faint, event, policy) : undefined;
  // Most of the thirty frames a second change nothing, so the state object is reused.
  const isSame = voiced === state.voiced && rate === state.rate && faint === state.faint;
  const next = isSame ? state : { ...state, voiced, rate, faint };
  if (voiced) return onVoice(next, event, policy);
  return answerOwed(policy.endedByClient === true ? stay(next) : onSilence(next, event.atMs, policy), policy);
}

function faintVoice(before: Sound | undefined, event: FrameEvent, policy: TurnPolicy): Sound | undefined {
  const { atMs, frameMs, echo } = event;
  if (echo === true || !isVoiced(before !== undefined, event, policy)) return undefined;
  return {
    startMs: before?.startMs ?? atMs - frameMs,
    voicedMs: (before?.voicedMs ?? 0) + frameMs,
    lastVoicedMs: atMs,
  };
}

function onVoice(state: TurnState, { atMs, frameMs }: FrameEvent, policy: TurnPolicy): TurnStep {
  const { user } = state;
  switch (user.name) {
    case "silent":
    case "arming": {
      // After a turn was cut for its length, the next one begins with its own first voice.
      const startMs = user.name === "arming" && !continuesCutTurn(state) ? user.startMs : atMs - frameMs;
      const voicedMs = (user.name === "arming" ? user.voicedMs : 0) + frameMs;
      const arming = { name: "arming", startMs, voicedMs, lastVoicedMs: atMs } as const;
      if (state.reply.name === "speaking" && !keepsReply(policy))
        return onOverlap(state, overlapping(arming), atMs, policy);
      return voicedMs >= policy.minSpeakingMs || continuesCutTurn(state) || policy.endedByClient === true
        ? openTurn(state, startMs, atMs, policy)
        : stay({ ...state, user: arming });
    }
    case "overlapping":
      return onOverlap(state, { name: "overlapping", ...prolong(user, atMs, frameMs, policy) }, atMs, policy);
    case "pausing": {
      const pauseMs = atMs - frameMs - user.lastVoicedMs;
      return limitTurn(
        {
          ...state,
          user: { name: "talking", turn: user.turn, startMs: user.startMs, lastVoicedMs: atMs },
          habits: pauseMs < judgedFromMs(policy) ? state.habits : learnPause(state.habits, pauseMs),
        },
        atMs,
        policy,
        [{ type: "drop-final", turn: user.turn }],
      );
    }
    case "talking":
      return limitTurn({ ...state, user: { ...user, lastVoicedMs: atMs } }, atMs, policy, NOTHING);
  }
}

const judgedFromMs = ({ judgeMs, prepareMs }: TurnPolicy): number => judgeMs ?? prepareMs;

function onSilence(state: TurnState, atMs: number, policy: TurnPolicy): TurnStep {
  const { user } = state;
  if (user.name === "silent") return stay(state);
  const silentMs = atMs - user.lastVoicedMs;
  switch (user.name) {
    case "arming":
      // It may still grow to a first "yes".
      return silentMs >= policy.silenceMs ? stay({ ...state, user: { name: "silent" } }) : stay(state);
    case "overlapping":
      return onOverlap(state, user, atMs, policy);
    case "talking":
      if (silentMs < policy.prepareMs) return limitTurn(state, atMs, policy, NOTHING);
      return pause(
        state,
        {
          ...user,
          name: "pausing",
          unfinished: false,
          wordOdds: 0,
          leastWaitMs: 0,
          overProbability: undefined,
          nextJudgeMs: user.lastVoicedMs + judgedFromMs(policy),
          awaitsWords: false,
        },
        atMs,
        policy,
        [{ type: "prepare-final", turn: user.turn, endMs: user.lastVoicedMs }],
      );
    case "pausing":
      return pause(state, user, atMs, policy, NOTHING);
  }
}

/** Ends the turn when the silence is long enough for the evidence. Queries the end-of-turn model again when that is due. */
export function pause(
  state: TurnState,
  user: Pausing,
  atMs: number,
  policy: TurnPolicy,
  effects: readonly TurnEffect[],
): TurnStep {
  const { turn, startMs, lastVoicedMs } = user;
  const { waitMs, confidence, expectsMore } = scorePause(evidenceOf(state, user, atMs), policy);
  // The words may make the wait longer. Without them there is no final either, so this wait costs the caller nothing.
  const awaitsWords = user.awaitsWords && policy.naturalPauses && atMs - lastVoicedMs < policy.longestSilenceMs;
  if (atMs - lastVoicedMs >= waitMs && !awaitsWords)
    return commit(state, user, lastVoicedMs, expectsMore ? "silence-timeout" : "silence", confidence, effects);
  if (!policy.naturalPauses || atMs < user.nextJudgeMs) return limitTurn({ ...state, user }, atMs, policy, effects);
  return limitTurn({ ...state, user: { ...user, nextJudgeMs: atMs + policy.judgeStepMs } }, atMs, policy, [
    ...effects,
    { type: "judge-pause", turn, startMs, pauseMs: lastVoicedMs, atMs },
  ]);
}

/** New evidence about the pause, without a new frame. */
export function onEvidence(
  state: TurnState,
  user: Pausing | undefined,
  atMs: number | undefined,
  policy: TurnPolicy,
): TurnStep {
  if (user === undefined) return stay(state);
  return atMs === undefined ? stay({ ...state, user }) : answerOwed(pause(state, user, atMs, policy, NOTHING), policy);
}
