import { applyDecode, decideOverlap, overlapOf, stops, type Sound } from "../evidence/barge-in.ts";
import { stay, type TurnEvent, type TurnState, type TurnStep, type UserState } from "./turn-state.ts";
import type { OverlapKind } from "../evidence/judge-overlap.ts";
import type { TurnPolicy } from "../evidence/policy.ts";
import { hold } from "./owed-replies.ts";
import { openTurn } from "./turn-bounds.ts";

type Overlapping = UserState & { name: "overlapping" };

/** The user state while a sound goes on over the reply. */
export const overlapping = (sound: Sound): Overlapping => ({ name: "overlapping", ...overlapOf(sound) });

/** A sound over the reply goes on or has ended: it interrupts, is dismissed, or waits for more evidence. */
export function onOverlap(state: TurnState, user: Overlapping, atMs: number, policy: TurnPolicy): TurnStep {
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
export function beginning({ startMs, lastVoicedMs }: Sound, { maxTurnMs }: TurnPolicy): number {
  return lastVoicedMs - startMs < maxTurnMs ? startMs : lastVoicedMs - maxTurnMs / 2;
}

/** Words that are sure enough to be a turn. */
export const hasWords = (heard: OverlapKind): boolean => heard === "command" || heard === "words" || heard === "word";

const mayBeWords = (heard: OverlapKind): boolean => heard !== "nothing" && heard !== "backchannel";

/** Words of the sound over the reply are known. */
export function onOverlapDecoded(
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
