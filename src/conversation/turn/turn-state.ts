import type { OverlapDecode, Listening, Overlap, Sound } from "./barge-in.ts";
import { NO_HABITS, type Habits } from "./habits.ts";
import type { OverlapKind } from "./judge-overlap.ts";
import { UNKNOWN_RATE, type SpeakingRate } from "./speaking-rate.ts";

/**
 * What the turn machine knows, is told and asks for. Two things go on side by side: what the user does
 * (`user`) and what the box still owes or says (`pendingFinals`, `unanswered`, `reply`).
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
  /** The turn that cut an audible reply short: should it turn out to say nothing, the reply's rest is owed. */
  readonly brokenOffBy: number | undefined;
  /** What was learned of the caller. */
  readonly habits: Habits;
  readonly rate: SpeakingRate;
  /** The last committed turn: a caller who goes on soon after it had only paused. */
  readonly lastTurn: { readonly startMs: number; readonly endMs: number } | undefined;
}

export type UserState =
  | { readonly name: "silent" }
  /** Something voiced, not yet long enough to be a turn. */
  | ({ readonly name: "arming" } & Sound)
  | ({ readonly name: "overlapping" } & Overlap)
  | { readonly name: "talking"; readonly turn: number; readonly startMs: number; readonly lastVoicedMs: number }
  /** Silent long enough that the final decode is prepared. */
  | {
      readonly name: "pausing";
      readonly turn: number;
      readonly startMs: number;
      readonly lastVoicedMs: number;
      /** The words so far sound as if more must follow. */
      readonly unfinished: boolean;
      /** What they add to the log odds that the turn is over. */
      readonly wordOdds: number;
      /** What the end-of-turn model said last; undefined before it answers. */
      readonly overProbability: number | undefined;
      /** When it is asked again. */
      readonly nextLookMs: number;
      /** The words so far are being decoded. */
      readonly awaitsWords: boolean;
    };

export type ReplyState =
  | { readonly name: "none" }
  | { readonly name: "thinking"; readonly turn: number }
  /** `held`: sending is paused while a possible interruption is weighed. */
  | { readonly name: "speaking"; readonly turn: number; readonly held: boolean };

export type CommitCause = "silence" | "silence-timeout" | "max-duration";

/** One VAD frame that ends at `atMs` and lasts `frameMs`. */
export interface FrameEvent {
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

export type TurnEvent =
  | FrameEvent
  /** A `listen-in` was done, or left out. Each one is answered, but for those that another took the place of. */
  | ({ readonly type: "overheard" } & OverlapDecode)
  /** The prepared transcript of a pausing turn: can it not be all, and what do its words add to the log odds that it is? */
  | {
      readonly type: "prepared";
      readonly turn: number;
      /** When the pause began that it was prepared in; traces of before do not tell. */
      readonly pauseMs?: number;
      readonly unfinished: boolean;
      readonly wordOdds?: number;
    }
  /** The decode that a `prepared` will tell of has begun, or, with `awaited` false, will bring none. */
  | { readonly type: "words-awaited"; readonly turn: number; readonly pauseMs: number; readonly awaited: boolean }
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
  | { readonly type: "resume-reply"; readonly turn: number }
  /** Decode the sound over the reply, instead of what is being decoded of it; `ended`: the voice has stopped, so this decides. */
  | ({ readonly type: "listen-in"; readonly startMs: number } & Listening)
  /** The sound is over and was no turn; `heard` says what it was taken for. */
  | { readonly type: "dismiss-sound"; readonly heard: OverlapKind }
  | { readonly type: "cancel-reply"; readonly turn: number; readonly audible: boolean };

export interface TurnStep {
  readonly state: TurnState;
  readonly effects: readonly TurnEffect[];
}

/** The turn number of the greeting, which answers no turn. */
export const GREETING_TURN = 0;

export const initialTurnState: TurnState = {
  nextTurn: 1,
  voiced: false,
  user: { name: "silent" },
  pendingFinals: [],
  unanswered: false,
  reply: { name: "none" },
  brokenOffBy: undefined,
  habits: NO_HABITS,
  rate: UNKNOWN_RATE,
  lastTurn: undefined,
};
