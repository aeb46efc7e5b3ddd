import { DEFAULT_SETTINGS, type TurnSettings } from "../../src/config/settings/session-settings.ts";
import type { OverlapKind } from "../../src/conversation/turn/evidence/judge-overlap.ts";
import { step } from "../../src/conversation/turn/machine/machine.ts";
import { turnPolicy, type TurnPolicy } from "../../src/conversation/turn/evidence/policy.ts";
import {
  initialTurnState,
  type TurnEffect,
  type TurnEvent,
  type TurnState,
} from "../../src/conversation/turn/machine/turn-state.ts";

export const FRAME_MS = 32;

/** The turn machine in virtual time. Keeps every effect with the time when the machine returned it. */
export class MachineRun {
  policy: TurnPolicy;
  state: TurnState = initialTurnState;
  atMs = 0;
  readonly effects: (TurnEffect & { atMs: number })[] = [];

  constructor(turnDetection: Partial<TurnSettings> = {}) {
    this.policy = turnPolicy({ ...DEFAULT_SETTINGS.turnDetection, ...turnDetection });
  }

  send(event: TurnEvent): void {
    const next = step(this.state, event, this.policy);
    this.state = next.state;
    this.effects.push(...next.effects.map((effect) => ({ ...effect, atMs: this.atMs })));
  }

  hear(probability: number, ms: number): this {
    for (let heard = 0; heard < ms; heard += FRAME_MS) {
      this.atMs += FRAME_MS;
      this.send({ type: "frame", atMs: this.atMs, frameMs: FRAME_MS, probability });
    }
    return this;
  }

  speak(ms: number): this {
    return this.hear(0.95, ms);
  }

  pause(ms: number): this {
    return this.hear(0.01, ms);
  }

  names(): string[] {
    return this.effects.map(({ type }) => type).filter((type) => type !== "judge-pause");
  }
}

/** A run in which the first reply is audible. */
export function answered(turnDetection: Partial<TurnSettings> = {}): MachineRun {
  const call = new MachineRun(turnDetection);
  call.speak(1000).pause(700);
  call.send({ type: "final", turn: 1, empty: false });
  call.send({ type: "reply-audible", turn: 1 });
  call.effects.length = 0;
  return call;
}

/** Answers the newest request to decode the sound over the reply. */
export function overhear(call: MachineRun, heard: OverlapKind) {
  const asked = call.effects.findLast((effect) => effect.type === "decode-overlap");
  if (asked?.type !== "decode-overlap") throw new Error("nothing was asked");
  call.send({ ...asked, type: "overlap-decoded", heard });
  return asked;
}

export const stopped = (call: MachineRun): boolean => call.names().includes("cancel-reply");
