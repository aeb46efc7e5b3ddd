import { initialTurnState, type TurnEffect, type TurnEvent, type TurnState } from "./machine/turn-state.ts";
import { step } from "./machine/machine.ts";
import type { TurnPolicy } from "./evidence/policy.ts";
import type { ReplayLogFile } from "./replay-log-file.ts";

export interface TurnControllerOptions {
  readonly policy: TurnPolicy;
  readonly replayLog: ReplayLogFile | undefined;
  readonly signal: AbortSignal;
  readonly perform: (effect: TurnEffect) => void;
  /** The effects of an event were performed. */
  readonly stepped: () => void;
}

/** Runs the turn machine of a session: keeps state and policy, writes the replay log, and resolves `quiet`. */
export class TurnController {
  policy: TurnPolicy;
  readonly #options: TurnControllerOptions;
  #state = initialTurnState;
  /** End of the newest frame, in ms of session time. */
  #atMs = 0;
  #loggedPolicy: TurnPolicy | undefined;
  readonly #onQuiet: (() => void)[] = [];

  constructor(options: TurnControllerOptions) {
    this.#options = options;
    this.policy = options.policy;
    options.signal.addEventListener("abort", () => this.#tellQuiet(), { once: true });
  }

  get state(): TurnState {
    return this.#state;
  }

  /** The turn while it is in the pause that began at `pauseMs`. */
  pausing(turn: number, pauseMs: number): (TurnState["user"] & { name: "pausing" }) | undefined {
    const { user } = this.#state;
    return user.name === "pausing" && user.turn === turn && user.lastVoicedMs === pauseMs ? user : undefined;
  }

  /** True while the turn is in the pause that began at `pauseMs` and may be over: its reply can be prepared. */
  mayEnd(turn: number, pauseMs: number): boolean {
    return this.pausing(turn, pauseMs)?.unfinished === false && this.#state.pendingFinals.length === 0;
  }

  /** Dispatches evidence about a pause, as of the newest frame. */
  dispatchNow(event: TurnEvent & { type: "prepared" | "words-awaited" | "pause-judged" }): void {
    this.dispatch({ ...event, atMs: this.#atMs });
  }

  dispatch(event: TurnEvent): void {
    if (event.type === "frame") this.#atMs = event.atMs;
    const { perform, stepped } = this.#options;
    const { state, effects } = step(this.#state, event, this.policy);
    this.#state = state;
    this.#write(event, effects);
    for (const effect of effects) perform(effect);
    stepped();
    this.#tellQuiet();
  }

  /** Resolves when no turn is running and no reply is owed or audible, or when the session ends. */
  quiet(): Promise<void> {
    return new Promise((resolve) => {
      this.#onQuiet.push(resolve);
      this.#tellQuiet();
    });
  }

  #tellQuiet(): void {
    if (this.#onQuiet.length === 0 || !(this.#options.signal.aborted || isQuiet(this.#state))) return;
    for (const resolve of this.#onQuiet.splice(0)) resolve();
  }

  #write(event: TurnEvent, effects: readonly TurnEffect[]): void {
    const { replayLog } = this.#options;
    if (replayLog === undefined) return;
    if (this.#loggedPolicy !== this.policy) replayLog.write({ policy: this.policy });
    this.#loggedPolicy = this.policy;
    replayLog.write({ event, effects });
  }
}

function isQuiet({ user, pendingFinals, owed, side, reply }: TurnState): boolean {
  // A sound that is not a turn yet ("arming") may never be one.
  const isTurn = user.name !== "silent" && user.name !== "arming";
  return !isTurn && owed === undefined && side === undefined && pendingFinals.length === 0 && reply.name === "none";
}
