import { initialTurnState, type TurnEffect, type TurnEvent } from "./turn-state.ts";
import { step } from "./machine.ts";
import type { TurnPolicy } from "./policy.ts";

/** One line of a trace: the settings from here on, or an event with what the turn machine asked for. No words, no audio. */
export type TraceLine =
  { readonly policy: TurnPolicy } | { readonly event: TurnEvent; readonly effects: readonly TurnEffect[] };

export interface TraceDifference {
  /** Counted from 1. */
  readonly line: number;
  readonly event: TurnEvent;
  readonly recorded: readonly TurnEffect[];
  readonly now: readonly TurnEffect[];
}

/** Runs the turn machine over a recorded session; every event at which it asks for something else than it did then. */
export function replay(lines: readonly TraceLine[]): TraceDifference[] {
  const differences: TraceDifference[] = [];
  let state = initialTurnState;
  let policy: TurnPolicy | undefined;
  for (const [index, line] of lines.entries()) {
    if ("policy" in line) policy = line.policy;
    else {
      if (policy === undefined) throw new Error("a trace begins with its policy");
      const next = step(state, line.event, policy);
      state = next.state;
      const now = asRecorded(next.effects);
      if (JSON.stringify(now) !== JSON.stringify(line.effects))
        differences.push({ line: index + 1, event: line.event, recorded: line.effects, now });
    }
  }
  return differences;
}

/** The same events with what the turn machine asks for now: a golden trace after a change that was meant. */
export function rerecord(lines: readonly TraceLine[]): TraceLine[] {
  const changed = new Map(replay(lines).map(({ line, now }) => [line - 1, now]));
  return lines.map((line, index) => {
    const now = changed.get(index);
    return "policy" in line || now === undefined ? line : { event: line.event, effects: now };
  });
}

/** What JSON keeps of it. */
const asRecorded = (effects: readonly TurnEffect[]) => JSON.parse(JSON.stringify(effects)) as TurnEffect[];

/** What a full disk or a killed server left is whole lines and, after the last line's end, the beginning of one. */
export const parseTrace = (text: string): TraceLine[] =>
  text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as TraceLine);
