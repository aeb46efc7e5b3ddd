import { weighPause, type PauseEvidence } from "./end-of-turn.ts";
import { learnPause, learnTurn, NO_HABITS, type Habits } from "./habits.ts";
import { followRate, UNKNOWN_RATE, type SpeakingRate } from "./speaking-rate.ts";
import type { TurnPolicy } from "./policy.ts";
import type { Overheard } from "./overheard.ts";
import { isVoiced, reaches } from "./speech-gate.ts";

/**
 * The conversation's turns as a pure function. Two things go on side by side: what the user does
 * (`user`) and what the box still owes or says (`pendingFinals`, `unanswered`, `reply`).
 * Time is session time in ms, counted in received samples; every frame carries it, so there are no timers.
 * A result of an older turn or reply changes nothing.
 */
export interface TurnState {
  readonly nextTurn: number;
  readonly voiced: boolean;
  readonly user: UserState;
  /** Committed turns whose final transcript has not come yet, oldest first. */
  readonly pendingFinals: readonly number[];
  /** True when the user said something that no audible reply has answered. */
  readonly unanswered: boolean;
  readonly reply: ReplyState;
  /** What was learned of the caller. */
  readonly habits: Habits;
  readonly rate: SpeakingRate;
  /** The last committed turn: a caller who goes on soon after it had only paused. */
  readonly lastTurn: { readonly startMs: number; readonly endMs: number } | undefined;
}

export type UserState =
  | { readonly name: "silent" }
  /** Something voiced, not yet long enough to be a turn. */
  | { readonly name: "arming"; readonly startMs: number; readonly voicedMs: number; readonly lastVoicedMs: number }
  /** Voice over the audible reply: an interruption, or a cough, a back-channel? Its evidence is gathered. */
  | {
      readonly name: "overlapping";
      readonly startMs: number;
      readonly voicedMs: number;
      readonly lastVoicedMs: number;
      /** When sending was paused for it. */
      readonly heldMs: number | undefined;
      /** The decode that is under way. */
      readonly listening: { readonly untilMs: number; readonly ended: boolean } | undefined;
      /** What the last decode made of the sound, how far it reached, and whether it had all of it. */
      readonly heard: Overheard;
      readonly heardToMs: number;
      readonly understood: boolean;
    }
  | { readonly name: "talking"; readonly turn: number; readonly startMs: number; readonly lastVoicedMs: number }
  /** Silent long enough that the final decode is prepared. */
  | {
      readonly name: "pausing";
      readonly turn: number;
      readonly startMs: number;
      readonly lastVoicedMs: number;
      /** The words so far sound as if more must follow. */
      readonly unfinished: boolean;
      /** What the end-of-turn model said last; undefined before it answers. */
      readonly overProbability: number | undefined;
      /** When it is asked again. */
      readonly nextLookMs: number;
    };

export type ReplyState =
  | { readonly name: "none" }
  | { readonly name: "thinking"; readonly turn: number }
  /** `held`: sending is paused while a possible interruption is weighed. */
  | { readonly name: "speaking"; readonly turn: number; readonly held: boolean };

export type CommitCause = "silence" | "silence-timeout" | "max-duration";

export type TurnEvent =
  /** One VAD frame that ends at `atMs` and lasts `frameMs`. */
  | {
      readonly type: "frame";
      readonly atMs: number;
      readonly frameMs: number;
      readonly probability: number;
      /** The frame holds no more than what the box itself just said. */
      readonly echo?: boolean;
      /** Level over the background noise. */
      readonly aboveNoiseDb?: number;
      readonly noiseFloorDbfs?: number;
    }
  /** What the sound over the reply that began at `startMs` says so far, decoded up to `untilMs`. */
  | { readonly type: "overheard"; readonly startMs: number; readonly untilMs: number; readonly heard: Overheard }
  /** The prepared transcript of a pausing turn: does it sound as if more must follow? */
  | { readonly type: "prepared"; readonly turn: number; readonly unfinished: boolean }
  /** The end-of-turn model's answer about the pause that began at `pauseMs`: is the turn over? */
  | { readonly type: "pause-judged"; readonly turn: number; readonly pauseMs: number; readonly probability: number }
  /** The final transcript of a committed turn; `empty` when nothing was recognised or recognition failed. */
  | { readonly type: "final"; readonly turn: number; readonly empty: boolean }
  /** The box speaks first. */
  | { readonly type: "greet" }
  | { readonly type: "reply-audible"; readonly turn: number }
  /** Everything of the reply has been played. */
  | { readonly type: "reply-finished"; readonly turn: number }
  | { readonly type: "reply-failed"; readonly turn: number };

export type TurnEffect =
  | { readonly type: "open-turn"; readonly turn: number; readonly startMs: number; readonly interrupts: boolean }
  | { readonly type: "prepare-final"; readonly turn: number; readonly endMs: number }
  | { readonly type: "drop-final"; readonly turn: number }
  /** Ask the end-of-turn model about the pause that began at `pauseMs`, by what was heard until `atMs`. */
  | { readonly type: "judge-pause"; readonly turn: number; readonly pauseMs: number; readonly atMs: number }
  | {
      readonly type: "commit-turn";
      readonly turn: number;
      readonly startMs: number;
      readonly endMs: number;
      readonly cause: CommitCause;
      /** 0-1: how likely the user had said all. */
      readonly confidence: number;
    }
  | { readonly type: "start-reply"; readonly turn: number }
  | { readonly type: "hold-reply"; readonly turn: number }
  /** It was no interruption; `heard` says what it was taken for. */
  | { readonly type: "resume-reply"; readonly turn: number; readonly heard: Overheard }
  /** Decode the sound over the reply; `ended`: the voice has stopped, so this decode decides. */
  | { readonly type: "listen-in"; readonly startMs: number; readonly untilMs: number; readonly ended: boolean }
  | { readonly type: "cancel-reply"; readonly turn: number; readonly audible: boolean };

export interface TurnStep {
  readonly state: TurnState;
  readonly effects: readonly TurnEffect[];
}

/** The turn number of the greeting, which answers no turn. */
export const GREETING_TURN = 0;

/** A caller who speaks again this soon after the end of a turn had not ended it. */
const WENT_ON_MS = 2000;

export const initialTurnState: TurnState = {
  nextTurn: 1,
  voiced: false,
  user: { name: "silent" },
  pendingFinals: [],
  unanswered: false,
  reply: { name: "none" },
  habits: NO_HABITS,
  rate: UNKNOWN_RATE,
  lastTurn: undefined,
};

export function step(state: TurnState, event: TurnEvent, policy: TurnPolicy): TurnStep {
  switch (event.type) {
    case "frame":
      return onFrame(state, event, policy);
    case "prepared":
      return state.user.name === "pausing" && state.user.turn === event.turn
        ? stay({ ...state, user: { ...state.user, unfinished: event.unfinished } })
        : stay(state);
    case "pause-judged": {
      const { user } = state;
      const current = user.name === "pausing" && user.turn === event.turn && user.lastVoicedMs === event.pauseMs;
      return stay(current ? { ...state, user: { ...user, overProbability: event.probability } } : state);
    }
    case "final":
      return onFinal(state, event.turn, event.empty);
    case "overheard":
      return onOverheard(state, event, policy);
    case "greet":
      return state.reply.name === "none" && state.user.name === "silent" && state.nextTurn === 1
        ? {
            state: { ...state, reply: { name: "thinking", turn: GREETING_TURN } },
            effects: [{ type: "start-reply", turn: GREETING_TURN }],
          }
        : stay(state);
    case "reply-audible":
      return state.reply.name === "thinking" && state.reply.turn === event.turn
        ? stay({
            ...state,
            unanswered: false,
            user: state.user.name === "arming" ? overlapOf(state.user) : state.user,
            reply: { name: "speaking", turn: event.turn, held: false },
          })
        : stay(state);
    case "reply-finished":
    case "reply-failed":
      return state.reply.name !== "none" && state.reply.turn === event.turn
        ? onReplyOver({ ...state, unanswered: false, reply: { name: "none" } }, policy)
        : stay(state);
  }
}

function onFrame(state: TurnState, event: TurnEvent & { type: "frame" }, policy: TurnPolicy): TurnStep {
  const speaking = state.reply.name === "speaking";
  const isVoice = speaking
    ? (event.aboveNoiseDb ?? Infinity) >= policy.interruptAboveNoiseDb &&
      reaches(state.voiced, event.probability, policy.interruptThreshold)
    : isVoiced(state.voiced, event, policy);
  const voiced = isVoice && event.echo !== true;
  const ownVoice = voiced && !speaking && event.aboveNoiseDb !== undefined;
  const rate = ownVoice ? followRate(state.rate, event.aboveNoiseDb, event.frameMs) : state.rate;
  const next = { ...state, voiced, rate };
  return voiced ? onVoice(next, event, policy) : answerOwed(onSilence(next, event.atMs, policy));
}

function onVoice(state: TurnState, { atMs, frameMs }: TurnEvent & { type: "frame" }, policy: TurnPolicy): TurnStep {
  const { user } = state;
  switch (user.name) {
    case "silent":
    case "arming": {
      const startMs = user.name === "arming" ? user.startMs : atMs - frameMs;
      const voicedMs = (user.name === "arming" ? user.voicedMs : 0) + frameMs;
      const arming = { name: "arming", startMs, voicedMs, lastVoicedMs: atMs } as const;
      if (state.reply.name === "speaking") return weigh(state, overlapOf(arming), atMs, policy);
      return voicedMs >= policy.minSpeakingMs ? openTurn(state, startMs, atMs) : stay({ ...state, user: arming });
    }
    case "overlapping":
      return weigh(
        state,
        { ...user, voicedMs: user.voicedMs + frameMs, lastVoicedMs: atMs, understood: false },
        atMs,
        policy,
      );
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
      return limitTurn({ ...state, user: { ...user, lastVoicedMs: atMs } }, atMs, policy, []);
  }
}

function onSilence(state: TurnState, atMs: number, policy: TurnPolicy): TurnStep {
  const { user } = state;
  if (user.name === "silent") return stay(state);
  const silentMs = atMs - user.lastVoicedMs;
  switch (user.name) {
    case "arming":
      // It may be a first "yes".
      return silentMs >= policy.silenceMs ? stay({ ...state, user: { name: "silent" } }) : stay(state);
    case "overlapping":
      return weigh(state, user, atMs, policy);
    case "talking":
      if (silentMs < policy.prepareMs) return limitTurn(state, atMs, policy, []);
      return pause(
        state,
        { ...user, name: "pausing", unfinished: false, overProbability: undefined, nextLookMs: atMs },
        atMs,
        policy,
        [{ type: "prepare-final", turn: user.turn, endMs: user.lastVoicedMs }],
      );
    case "pausing":
      return pause(state, user, atMs, policy, []);
  }
}

type Pausing = UserState & { name: "pausing" };

/** Ends the turn when the silence has lasted long enough for what is known of it; asks the model again when that is due. */
function pause(
  state: TurnState,
  user: Pausing,
  atMs: number,
  policy: TurnPolicy,
  effects: readonly TurnEffect[],
): TurnStep {
  const { turn, lastVoicedMs } = user;
  const { waitMs, confidence, expectsMore } = weighPause(evidenceOf(state, user, atMs), policy);
  if (atMs - lastVoicedMs >= waitMs)
    return commit(state, user, lastVoicedMs, expectsMore ? "silence-timeout" : "silence", confidence, effects);
  if (!policy.naturalPauses || atMs < user.nextLookMs) return limitTurn({ ...state, user }, atMs, policy, effects);
  return limitTurn({ ...state, user: { ...user, nextLookMs: atMs + policy.lookStepMs } }, atMs, policy, [
    ...effects,
    { type: "judge-pause", turn, pauseMs: lastVoicedMs, atMs },
  ]);
}

function evidenceOf({ habits, rate }: TurnState, user: Pausing, atMs: number): PauseEvidence {
  const { startMs, lastVoicedMs, unfinished, overProbability: probability } = user;
  const [silentMs, turnMs] = [atMs - lastVoicedMs, lastVoicedMs - startMs];
  return { silentMs, turnMs, probability, unfinished, habits, rate };
}

function openTurn(state: TurnState, startMs: number, atMs: number): TurnStep {
  const turn = state.nextTurn;
  const { reply, lastTurn, habits } = state;
  const interrupts = reply.name === "speaking";
  const opened: TurnEffect = { type: "open-turn", turn, startMs, interrupts };
  return {
    state: {
      ...state,
      nextTurn: turn + 1,
      user: { name: "talking", turn, startMs, lastVoicedMs: atMs },
      reply: { name: "none" },
      habits: lastTurn === undefined ? habits : learnGap(habits, lastTurn, startMs),
    },
    effects:
      reply.name === "none" ? [opened] : [{ type: "cancel-reply", turn: reply.turn, audible: interrupts }, opened],
  };
}

/** Between turns: a short gap was a pause that was taken for the end. */
function learnGap(habits: Habits, { startMs, endMs }: { startMs: number; endMs: number }, atMs: number): Habits {
  return atMs - endMs < WENT_ON_MS ? learnPause(habits, atMs - endMs) : learnTurn(habits, endMs - startMs);
}

/** Ends the turn when it has lasted too long; a voice that goes on starts the next turn. */
function limitTurn(state: TurnState, atMs: number, policy: TurnPolicy, effects: readonly TurnEffect[]): TurnStep {
  const { user } = state;
  if ((user.name !== "talking" && user.name !== "pausing") || atMs - user.startMs < policy.maxTurnMs)
    return { state, effects };
  const [endMs, confidence] =
    user.name === "talking"
      ? [atMs, 0]
      : [user.lastVoicedMs, weighPause(evidenceOf(state, user, atMs), policy).confidence];
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
  return {
    state: {
      ...state,
      user: { name: "silent" },
      pendingFinals: [...state.pendingFinals, turn],
      lastTurn: { startMs: wentOn ? before.startMs : startMs, endMs },
    },
    effects: [...effects, { type: "commit-turn", turn, startMs, endMs, cause, confidence }],
  };
}

function onFinal(state: TurnState, turn: number, empty: boolean): TurnStep {
  if (!state.pendingFinals.includes(turn)) return stay(state);
  const pendingFinals = state.pendingFinals.filter((pending) => pending !== turn);
  const unanswered = state.unanswered || !empty;
  return answerOwed(stay({ ...state, pendingFinals, unanswered }));
}

/** Starts the reply when all that was said is understood and nobody speaks: in mid-voice it would be taken back at once. */
function answerOwed({ state, effects }: TurnStep): TurnStep {
  const inTurn = state.user.name === "talking" || state.user.name === "pausing";
  if (!state.unanswered || state.pendingFinals.length > 0 || inTurn || state.voiced || state.reply.name !== "none")
    return { state, effects };
  const turn = state.nextTurn - 1;
  return {
    state: { ...state, reply: { name: "thinking", turn } },
    effects: [...effects, { type: "start-reply", turn }],
  };
}

type Overlap = UserState & { name: "overlapping" };

function overlapOf(user: UserState & { name: "arming" }): Overlap {
  return {
    ...user,
    name: "overlapping",
    heldMs: undefined,
    listening: undefined,
    heard: "unclear",
    heardToMs: user.startMs,
    understood: false,
  };
}

/**
 * The evidence ladder of a barge-in. Voice that lasts a moment pauses sending; how much more of it stops the reply depends on
 * what was understood of it; when it is over and said nothing of its own, or nothing was decided in time, the reply goes on.
 */
function weigh(state: TurnState, overlap: Overlap, atMs: number, policy: TurnPolicy): TurnStep {
  const { reply } = state;
  if (reply.name !== "speaking") return stay({ ...state, user: overlap });
  const silentMs = atMs - overlap.lastVoicedMs;
  if (overlap.voicedMs >= policy.interruptMs[overlap.heard])
    return openTurn(state, overlap.startMs, overlap.lastVoicedMs);
  const noted = overlap.voicedMs >= policy.holdMs;
  if (silentMs >= policy.overlapEndMs && (overlap.understood || !noted)) return endOverlap(state, overlap);
  if (overlap.heldMs !== undefined && atMs - overlap.heldMs >= policy.holdLimitMs) return release(state, overlap.heard);

  const effects: TurnEffect[] = [];
  let next = overlap;
  if (noted && !reply.held) {
    effects.push({ type: "hold-reply", turn: reply.turn });
    next = { ...next, heldMs: atMs };
  }
  const ended = silentMs >= policy.overlapPauseMs;
  const untilMs = ended ? overlap.lastVoicedMs : atMs;
  const worthListening = ended
    ? noted && !overlap.understood
    : overlap.voicedMs >= policy.listenMs && untilMs - overlap.heardToMs >= policy.listenStepMs;
  if (worthListening && overlap.listening === undefined) {
    effects.push({ type: "listen-in", startMs: overlap.startMs, untilMs, ended });
    next = { ...next, listening: { untilMs, ended } };
  }
  return { state: { ...state, user: next, reply: { ...reply, held: reply.held || noted } }, effects };
}

function onOverheard(state: TurnState, event: TurnEvent & { type: "overheard" }, policy: TurnPolicy): TurnStep {
  const { user } = state;
  if (user.name !== "overlapping" || user.startMs !== event.startMs || user.listening?.untilMs !== event.untilMs)
    return stay(state);
  const { untilMs, ended } = user.listening;
  const understood = ended && untilMs === user.lastVoicedMs;
  const heard: Overlap = { ...user, listening: undefined, heard: event.heard, heardToMs: untilMs, understood };
  return heard.voicedMs >= policy.interruptMs[heard.heard]
    ? openTurn(state, heard.startMs, heard.lastVoicedMs)
    : stay({ ...state, user: heard });
}

/** The sound is over: words of its own make it an interruption, however short. */
function endOverlap(state: TurnState, { heard, startMs, lastVoicedMs }: Overlap): TurnStep {
  return heard === "command" || heard === "words" || heard === "word"
    ? openTurn(state, startMs, lastVoicedMs)
    : release(state, heard);
}

function release(state: TurnState, heard: Overheard): TurnStep {
  const { reply } = state;
  const silent: TurnState = { ...state, user: { name: "silent" } };
  if (reply.name !== "speaking" || !reply.held) return stay(silent);
  return {
    state: { ...silent, reply: { ...reply, held: false } },
    effects: [{ type: "resume-reply", turn: reply.turn, heard }],
  };
}

/** A sound over the reply's last moments interrupts nothing any more: it is judged as any other. */
function onReplyOver(state: TurnState, policy: TurnPolicy): TurnStep {
  const { user } = state;
  if (user.name !== "overlapping") return stay(state);
  const { startMs, voicedMs, lastVoicedMs } = user;
  return voicedMs >= policy.minSpeakingMs
    ? openTurn(state, startMs, lastVoicedMs)
    : stay({ ...state, user: { name: "arming", startMs, voicedMs, lastVoicedMs } });
}

const stay = (state: TurnState): TurnStep => ({ state, effects: [] });
