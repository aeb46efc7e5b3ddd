import { initialTurnState, type TurnEffect, type TurnEvent } from "./machine/turn-state.ts";
import { step } from "./machine/machine.ts";
import type { TurnPolicy } from "./evidence/policy.ts";

/** One line of a replay log: the policy from here on, or an event with the effects of the turn machine. It holds no words and no audio. */
export type ReplayLogLine =
  { readonly policy: TurnPolicy } | { readonly event: TurnEvent; readonly effects: readonly TurnEffect[] };

export interface ReplayDifference {
  /** Counted from 1. */
  readonly line: number;
  readonly event: TurnEvent;
  readonly recorded: readonly TurnEffect[];
  readonly now: readonly TurnEffect[];
}

/** Runs the turn machine over a recorded session. Returns every event that has other effects now. */
export function replay(lines: readonly ReplayLogLine[]): ReplayDifference[] {
  const differences: ReplayDifference[] = [];
  let state = initialTurnState;
  let policy: TurnPolicy | undefined;
  for (const [index, line] of lines.entries()) {
    if ("policy" in line) policy = line.policy;
    else {
      if (policy === undefined) throw new Error("a replay log begins with its policy");
      const next = step(state, line.event, policy);
      state = next.state;
      const now = asRecorded(next.effects);
      if (JSON.stringify(now) !== JSON.stringify(line.effects))
        differences.push({ line: index + 1, event: line.event, recorded: line.effects, now });
    }
  }
  return differences;
}

/** The same events with the effects of today: updates a golden replay log after an intended change. */
export function rerecord(lines: readonly ReplayLogLine[]): ReplayLogLine[] {
  const changed = new Map(replay(lines).map(({ line, now }) => [line - 1, now]));
  return lines.map((line, index) => {
    const now = changed.get(index);
    return "policy" in line || now === undefined ? line : { event: line.event, effects: now };
  });
}

/** Effects as JSON keeps them: without undefined fields. */
const asRecorded = (effects: readonly TurnEffect[]) => JSON.parse(JSON.stringify(effects)) as TurnEffect[];

/** Names in the replay logs of earlier versions. A log holds no text of a caller, so they cannot occur otherwise. */
const RENAMED: Readonly<Record<string, string>> = {
  "listen-in": "decode-overlap",
  overheard: "overlap-decoded",
  lookStepMs: "judgeStepMs",
  listenMs: "decodeAfterMs",
  listenStepMs: "decodeStepMs",
  aside: "isSide",
};
const OLD_NAME = new RegExp(`"(${Object.keys(RENAMED).join("|")})"`, "gu");

/** A full disk or a killed server may leave a part of a line after the last whole one: it is ignored. */
export const parseReplayLog = (text: string): ReplayLogLine[] =>
  text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map(
      (line) => JSON.parse(line.replace(OLD_NAME, (_, name: string) => `"${RENAMED[name] ?? name}"`)) as ReplayLogLine,
    );
