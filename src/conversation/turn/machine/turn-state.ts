import type { CommitCause, RequestEnd, RequestNumber } from "../../events.ts";
import type { OverlapDecode, OverlapSpan, Overlap, Sound } from "../evidence/barge-in.ts";
import { NO_HABITS, type Habits } from "../evidence/habits.ts";
import type { OverlapKind } from "../evidence/judge-overlap.ts";
import { UNKNOWN_RATE, type SpeakingRate } from "../evidence/speaking-rate.ts";

/**
 * State, events and effects of the turn machine. Two things happen side by side: the caller's turn (`user`), and the service's
 * reply (`pendingFinals`, `owed`, `side`, `reply`).
 */
export interface TurnState {
  readonly nextTurn: number;
  readonly voiced: boolean;
  readonly user: UserState;
  /** A voice over the reply that is not sure enough to interrupt it. When the reply ends, it may be the beginning of a turn. */
  readonly faint: Sound | undefined;
  /** Committed turns whose final transcript is pending, oldest first. */
  readonly pendingFinals: readonly number[];
  /** The reply that comes next in the conversation. */
  readonly owed: OwedReply | undefined;
  /** A reply beside the conversation. It comes first. */
  readonly side: OwedReply | undefined;
  readonly reply: ReplyState;
  /** The turn that interrupted an audible reply. If it has no words, the rest of the reply is owed. */
  readonly interruptedByTurn: number | undefined;
  /** Learned from the caller's earlier pauses and turns. */
  readonly habits: Habits;
  readonly rate: SpeakingRate;
  /** The last committed turn. A caller who continues soon after it had only paused. */
  readonly lastTurn: { readonly startMs: number; readonly endMs: number } | undefined;
  /** The caller's connection is lost. No reply starts until they are back. */
  readonly isAway: boolean;
}

/** A reply that has not begun. Without a request it is the conversation's own answer. */
export interface OwedReply {
  readonly request?: RequestNumber;
  /** A sound stopped the reply before it was audible. The caller's words take the place of its request. */
  readonly wasDropped?: true;
}

export type UserState =
  | { readonly name: "silent" }
  /** Voice that is too short for a turn so far. */
  | ({ readonly name: "arming" } & Sound)
  | ({ readonly name: "overlapping" } & Overlap)
  | { readonly name: "talking"; readonly turn: number; readonly startMs: number; readonly lastVoicedMs: number }
  /** Silent for long enough to prepare the final decode. */
  | {
      readonly name: "pausing";
      readonly turn: number;
      readonly startMs: number;
      readonly lastVoicedMs: number;
      /** The words so far cannot end a sentence. */
      readonly unfinished: boolean;
      /** Added to the log odds that the turn is over. */
      readonly wordOdds: number;
      /** See `PauseEvidence`. */
      readonly leastWaitMs: number;
      /** Last answer of the end-of-turn model; undefined before its first. */
      readonly overProbability: number | undefined;
      /** When the model is queried again. */
      readonly nextJudgeMs: number;
      /** The words so far are being decoded. */
      readonly awaitsWords: boolean;
    };

export type ReplyState =
  | { readonly name: "none" }
  /** Not audible yet. */
  | { readonly name: "thinking"; readonly turn: number; readonly isSide: boolean; readonly request?: RequestNumber }
  /** `held`: sending is paused because of a possible interruption. */
  | { readonly name: "speaking"; readonly turn: number; readonly isSide: boolean; readonly held: boolean };

/** One VAD frame that ends at `atMs` and lasts `frameMs`. */
export interface FrameEvent {
  readonly type: "frame";
  readonly atMs: number;
  readonly frameMs: number;
  readonly probability: number;
  /** The frame holds only the echo of the reply. */
  readonly echo?: boolean;
  /** Level over the background noise. */
  readonly aboveNoiseDb?: number;
  readonly noiseFloorDbfs?: number;
}

/**
 * `atMs` of evidence about a pause: the end of the newest frame. The turn ends at once when the evidence is enough. Old replay logs do
 * not have it.
 */
export type TurnEvent =
  | FrameEvent
  /** Answers a `decode-overlap`. Every one gets an answer, except those that a newer one replaced. */
  | ({ readonly type: "overlap-decoded" } & OverlapDecode)
  /** Transcript of a paused turn. `unfinished`: its words cannot end a sentence. `wordOdds`, `leastWaitMs`: see `PauseEvidence`. */
  | {
      readonly type: "prepared";
      readonly turn: number;
      /** Start of the pause in which it was prepared. Old replay logs do not have it. */
      readonly pauseMs?: number;
      readonly unfinished: boolean;
      readonly wordOdds?: number;
      readonly leastWaitMs?: number;
      /** More exact words follow. */
      readonly early?: true;
      readonly atMs?: number;
    }
  /** A decode for `prepared` has begun; with `awaited` false it ended without a result. */
  | {
      readonly type: "words-awaited";
      readonly turn: number;
      readonly pauseMs: number;
      readonly awaited: boolean;
      readonly atMs?: number;
    }
  /** Answer of the end-of-turn model about the pause that began at `pauseMs`. */
  | {
      readonly type: "pause-judged";
      readonly turn: number;
      readonly pauseMs: number;
      readonly probability: number;
      readonly atMs?: number;
    }
  /** The final transcript of a committed turn; `empty` when nothing was recognised, when the words are doubtful, or when recognition failed. */
  | {
      readonly type: "final";
      readonly turn: number;
      readonly empty: boolean;
      /** The turn is not answered by itself. */
      readonly unanswered?: true;
    }
  /** The client ends the turn. `fromMs`: where the audio begins that is in no turn yet. */
  | { readonly type: "end-turn"; readonly fromMs: number; readonly atMs: number }
  | { readonly type: "drop-turn" }
  /** A reply is asked for. Old replay logs have no numbers of requests. */
  | {
      readonly type: "respond";
      readonly request?: RequestNumber;
      /** The reply is not part of the conversation, so it answers no turn. */
      readonly isSide?: true;
    }
  /** The client stops the reply. */
  | { readonly type: "stop-reply" }
  /** The caller gave words without speaking. `text` names them: they are not part of the event. */
  | { readonly type: "text-given"; readonly text?: number }
  /** The service speaks first. */
  | { readonly type: "greet" }
  /** The caller's connection is lost. `caller-back` follows, or nothing does. `owesReply`: a reply that the loss cut is to be said, as `request`. */
  | { readonly type: "caller-left" }
  | { readonly type: "caller-back"; readonly owesReply: boolean; readonly request?: RequestNumber }
  | { readonly type: "reply-audible"; readonly turn: number }
  /** All of the reply has been played. */
  | { readonly type: "reply-finished"; readonly turn: number }
  | { readonly type: "reply-failed"; readonly turn: number };

export type TurnEffect =
  | { readonly type: "open-turn"; readonly turn: number; readonly startMs: number; readonly interrupts: boolean }
  | { readonly type: "prepare-final"; readonly turn: number; readonly endMs: number }
  | { readonly type: "drop-final"; readonly turn: number }
  | { readonly type: "drop-turn"; readonly turn: number }
  /** Query the end-of-turn model about the pause that began at `pauseMs`, with the audio until `atMs`. */
  | {
      readonly type: "judge-pause";
      readonly turn: number;
      readonly startMs: number;
      readonly pauseMs: number;
      readonly atMs: number;
    }
  | {
      readonly type: "commit-turn";
      readonly turn: number;
      readonly startMs: number;
      readonly endMs: number;
      readonly cause: CommitCause;
      /** Probability that the caller had finished, 0 to 1. */
      readonly confidence: number;
    }
  /** Add the given text to the conversation. */
  | { readonly type: "take-text"; readonly text?: number }
  | { readonly type: "start-reply"; readonly turn: number; readonly request?: RequestNumber }
  | { readonly type: "end-request"; readonly request: RequestNumber; readonly how: RequestEnd }
  | { readonly type: "hold-reply"; readonly turn: number }
  | { readonly type: "resume-reply"; readonly turn: number }
  /** Decode the sound over the reply. Replaces a running decode of it. `ended`: the voice has stopped, so this decode decides. */
  | ({ readonly type: "decode-overlap"; readonly startMs: number } & OverlapSpan)
  /** The sound is over and was not a turn. */
  | { readonly type: "dismiss-sound"; readonly heard: OverlapKind }
  | {
      readonly type: "cancel-reply";
      readonly turn: number;
      readonly audible: boolean;
      readonly by?: "client" | "loss";
    };

export interface TurnStep {
  readonly state: TurnState;
  readonly effects: readonly TurnEffect[];
}

export const NOTHING: readonly TurnEffect[] = [];

/** A step without effects. */
export const stay = (state: TurnState): TurnStep => ({ state, effects: NOTHING });

/** The turn number of the greeting, which answers no turn. */
export const GREETING_TURN = 0;

export const initialTurnState: TurnState = {
  nextTurn: 1,
  voiced: false,
  user: { name: "silent" },
  faint: undefined,
  pendingFinals: [],
  owed: undefined,
  side: undefined,
  reply: { name: "none" },
  interruptedByTurn: undefined,
  habits: NO_HABITS,
  rate: UNKNOWN_RATE,
  lastTurn: undefined,
  isAway: false,
};

export type Pausing = UserState & { name: "pausing" };
