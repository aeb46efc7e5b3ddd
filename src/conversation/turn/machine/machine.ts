import { applyDecode, decideOverlap, overlapOf, prolong, stops, type Sound } from "../evidence/barge-in.ts";
import {
  GREETING_TURN,
  type FrameEvent,
  type TurnEffect,
  type TurnEvent,
  type TurnState,
  type TurnStep,
  type UserState,
} from "./turn-state.ts";
import { type CommitCause } from "../../events.ts";
import { scorePause, type PauseEvidence } from "../evidence/end-of-turn.ts";
import { learnPause, learnTurn, type Habits } from "../evidence/habits.ts";
import type { OverlapKind } from "../evidence/judge-overlap.ts";
import { LONGEST_LEAD_IN_MS, type TurnPolicy } from "../evidence/policy.ts";
import { followRate } from "../evidence/speaking-rate.ts";
import { isVoiced, reaches } from "../evidence/speech-gate.ts";

const NOTHING: readonly TurnEffect[] = [];

/** A caller who speaks again this soon after the end of a turn had only paused. */
const WENT_ON_MS = 2000;

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
      return state.reply.name === "none"
        ? answerOwed(
            stay({
              ...state,
              nextTurn: state.nextTurn + 1,
              ...(event.aside === true ? { asideOwed: true } : { replyOwed: true }),
            }),
            policy,
          )
        : stay(state);
    case "stop-reply":
      return stopReply(state, policy);
    case "overlap-decoded":
      return onOverlapDecoded(state, event, policy);
    case "text-given":
      return onText(state, policy);
    case "caller-left":
      return leave(state, policy);
    case "caller-back":
      return comeBack(state, event.owesReply, policy);
    case "greet":
      return state.reply.name === "none" && state.user.name === "silent"
        ? {
            // A sound without words may cancel the greeting before it is audible. It is still owed then.
            state: {
              ...state,
              replyOwed: !keepsReply(policy),
              reply: { name: "thinking", turn: GREETING_TURN, aside: false },
            },
            effects: [{ type: "start-reply", turn: GREETING_TURN }],
          }
        : stay(state);
    case "reply-audible":
      return state.reply.name === "thinking" && state.reply.turn === event.turn
        ? stay({
            ...state,
            replyOwed: staysOwed(state, policy),
            user: state.user.name === "arming" && !keepsReply(policy) ? overlapping(state.user) : state.user,
            reply: { ...state.reply, name: "speaking", held: false },
          })
        : stay(state);
    case "reply-finished":
    case "reply-failed":
      return state.reply.name !== "none" && state.reply.turn === event.turn
        ? answerOwed(
            stay({
              ...state,
              replyOwed: staysOwed(state, policy),
              reply: { name: "none" },
              faint: undefined,
              user:
                state.user.name === "silent" && state.faint !== undefined
                  ? { name: "arming", ...state.faint }
                  : state.user,
            }),
            policy,
          )
        : stay(state);
  }
}

/** A turn does not stop the reply: it is answered after it. */
const keepsReply = ({ endedByClient, uninterruptible }: TurnPolicy): boolean =>
  endedByClient === true || uninterruptible === true;

/** Whether a reply is owed beside the current one, which does not answer it. */
const staysOwed = ({ reply, replyOwed }: TurnState, policy: TurnPolicy): boolean =>
  replyOwed && (keepsReply(policy) || (reply.name !== "none" && reply.aside));

/** The user state while the caller is in the pause that began at `pauseMs`; undefined otherwise. */
function pausingIn({ user }: TurnState, turn: number, pauseMs: number | undefined): Pausing | undefined {
  return user.name === "pausing" && user.turn === turn && user.lastVoicedMs === (pauseMs ?? user.lastVoicedMs)
    ? user
    : undefined;
}

function onFrame(state: TurnState, event: FrameEvent, policy: TurnPolicy): TurnStep {
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
    case "pausing":
      return limitTurn(
        {
          ...state,
          user: { name: "talking", turn: user.turn, startMs: user.startMs, lastVoicedMs: atMs },
          habits: learnPause(state.habits, atMs - frameMs - user.lastVoicedMs),
        },
        atMs,
        policy,
        [{ type: "drop-final", turn: user.turn }],
      );
    case "talking":
      return limitTurn({ ...state, user: { ...user, lastVoicedMs: atMs } }, atMs, policy, NOTHING);
  }
}

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
          nextJudgeMs: atMs,
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

type Pausing = UserState & { name: "pausing" };

/** Ends the turn when the silence is long enough for the evidence. Queries the end-of-turn model again when that is due. */
function pause(
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
function onEvidence(
  state: TurnState,
  user: Pausing | undefined,
  atMs: number | undefined,
  policy: TurnPolicy,
): TurnStep {
  if (user === undefined) return stay(state);
  return atMs === undefined ? stay({ ...state, user }) : answerOwed(pause(state, user, atMs, policy, NOTHING), policy);
}

function evidenceOf({ habits, rate }: TurnState, user: Pausing, atMs: number): PauseEvidence {
  const { startMs, lastVoicedMs, unfinished, wordOdds, leastWaitMs, overProbability: probability } = user;
  const [silentMs, turnMs] = [atMs - lastVoicedMs, lastVoicedMs - startMs];
  return { silentMs, turnMs, probability, unfinished, wordOdds, leastWaitMs, habits, rate };
}

function openTurn(state: TurnState, startMs: number, atMs: number, policy: TurnPolicy): TurnStep {
  const turn = state.nextTurn;
  const { reply, lastTurn, habits } = state;
  const keeps = keepsReply(policy);
  // The reply may be held since it was interruptible.
  const resumed = hold(state, false);
  const interrupts = reply.name === "speaking" && !keeps;
  const opened: TurnEffect = { type: "open-turn", turn, startMs, interrupts };
  return {
    state: {
      ...state,
      nextTurn: turn + 1,
      user: { name: "talking", turn, startMs, lastVoicedMs: atMs },
      reply: keeps ? resumed.state.reply : { name: "none" },
      interruptedByTurn: interrupts && !reply.aside ? turn : state.interruptedByTurn,
      habits: lastTurn === undefined ? habits : learnGap(habits, lastTurn, startMs),
    },
    effects:
      reply.name === "none" || keeps
        ? [...resumed.effects, opened]
        : [{ type: "cancel-reply", turn: reply.turn, audible: interrupts }, opened],
  };
}

/** Learns from the gap between two turns. A short gap was a pause inside one turn. */
function learnGap(habits: Habits, { startMs, endMs }: { startMs: number; endMs: number }, atMs: number): Habits {
  return atMs - endMs < WENT_ON_MS ? learnPause(habits, atMs - endMs) : learnTurn(habits, endMs - startMs);
}

/** Ends a turn that has lasted too long. A voice that continues starts the next turn. */
function limitTurn(state: TurnState, atMs: number, policy: TurnPolicy, effects: readonly TurnEffect[]): TurnStep {
  const { user } = state;
  if ((user.name !== "talking" && user.name !== "pausing") || atMs - user.startMs < policy.maxTurnMs)
    return { state, effects };
  const [endMs, confidence] =
    user.name === "talking"
      ? [atMs, 0]
      : [user.lastVoicedMs, scorePause(evidenceOf(state, user, atMs), policy).confidence];
  return commit(state, user, endMs, "max-duration", confidence, effects);
}

function commit(
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

function onFinal(
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

/** The client ends the turn. All audio until then is part of it, whether the detector takes it for a voice or not. */
function endTurn(state: TurnState, { fromMs, atMs }: TurnEvent & { type: "end-turn" }, policy: TurnPolicy): TurnStep {
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

function dropTurn(state: TurnState, policy: TurnPolicy): TurnStep {
  const { user } = state;
  const resumed = hold({ ...state, user: { name: "silent" }, voiced: false }, false);
  if (user.name !== "talking" && user.name !== "pausing") return resumed;
  return answerOwed(
    { state: resumed.state, effects: [...resumed.effects, { type: "drop-turn", turn: user.turn }] },
    policy,
  );
}

function stopReply(state: TurnState, policy: TurnPolicy): TurnStep {
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
function onText(state: TurnState, policy: TurnPolicy): TurnStep {
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

/** The connection is lost: ends the turn with the words so far, and stops the reply. A reply that the caller did not hear at all stays owed. */
function leave(state: TurnState, policy: TurnPolicy): TurnStep {
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

function comeBack(state: TurnState, owesReply: boolean, policy: TurnPolicy): TurnStep {
  if (!state.isAway) return stay(state);
  // The number of the reply is a new one.
  const nextTurn = state.nextTurn + (owesReply ? 1 : 0);
  return answerOwed(stay({ ...state, isAway: false, nextTurn, replyOwed: state.replyOwed || owesReply }), policy);
}

/** Starts the reply when all finals have arrived and the caller is silent: a reply in mid-voice would be cancelled at once. */
function answerOwed(before: TurnStep, policy: TurnPolicy): TurnStep {
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
const continuesCutTurn = ({ user, lastTurn }: TurnState): boolean =>
  user.name === "arming" && user.startMs === lastTurn?.endMs;

type Overlapping = UserState & { name: "overlapping" };

const overlapping = (sound: Sound): Overlapping => ({ name: "overlapping", ...overlapOf(sound) });

function onOverlap(state: TurnState, user: Overlapping, atMs: number, policy: TurnPolicy): TurnStep {
  const outlasts = state.reply.name !== "speaking" && user.voicedMs >= policy.minSpeakingMs;
  // A voice that continues after the reply ended is an ordinary turn.
  if (outlasts && user.lastVoicedMs === atMs) return openTurn(state, beginning(user, policy), atMs, policy);
  const verdict = decideOverlap(user, atMs, policy);
  switch (verdict.type) {
    case "interruption":
      return openTurn(state, beginning(user, policy), user.lastVoicedMs, policy);
    case "none":
      return outlasts && mayBeWords(user.heard)
        ? openTurn(state, beginning(user, policy), user.lastVoicedMs, policy)
        : dismiss(state, user, policy);
    case "undecided": {
      const { overlap, holds, decode } = verdict;
      const { state: next, effects } = hold({ ...state, user: { name: "overlapping", ...overlap } }, holds);
      if (decode === undefined) return { state: next, effects };
      return { state: next, effects: [...effects, { type: "decode-overlap", startMs: user.startMs, ...decode }] };
    }
  }
}

/** Start of the turn that a sound over the reply becomes. A sound longer than a turn may be counts from its last part. */
function beginning({ startMs, lastVoicedMs }: Sound, { maxTurnMs }: TurnPolicy): number {
  return lastVoicedMs - startMs < maxTurnMs ? startMs : lastVoicedMs - maxTurnMs / 2;
}

const hasWords = (heard: OverlapKind): boolean => heard === "command" || heard === "words" || heard === "word";

const mayBeWords = (heard: OverlapKind): boolean => heard !== "nothing" && heard !== "backchannel";

function onOverlapDecoded(
  state: TurnState,
  event: TurnEvent & { type: "overlap-decoded" },
  policy: TurnPolicy,
): TurnStep {
  const { user } = state;
  const known = user.name === "overlapping" ? applyDecode(user, event, policy) : undefined;
  if (known === undefined) return stay(state);
  return stops(known, policy)
    ? openTurn(state, beginning(known, policy), known.lastVoicedMs, policy)
    : stay({ ...state, user: { name: "overlapping", ...known } });
}

/** The sound was not a turn: a held reply continues. */
function dismiss(state: TurnState, { heard, voicedMs }: Overlapping, policy: TurnPolicy): TurnStep {
  const resumed = hold({ ...state, user: { name: "silent" } }, false);
  if (voicedMs < policy.holdMs) return resumed;
  return { ...resumed, effects: [{ type: "dismiss-sound", heard }, ...resumed.effects] };
}

/** Pauses or resumes sending of the audible reply. */
function hold(state: TurnState, held: boolean): TurnStep {
  const { reply } = state;
  if (reply.name !== "speaking" || reply.held === held) return stay(state);
  const { turn } = reply;
  return {
    state: { ...state, reply: { ...reply, held } },
    effects: [{ type: held ? "hold-reply" : "resume-reply", turn }],
  };
}

const stay = (state: TurnState): TurnStep => ({ state, effects: NOTHING });
