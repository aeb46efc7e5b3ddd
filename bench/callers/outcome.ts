import type { Caller } from "./script.ts";
import type { World } from "./world.ts";

export interface CallerTurn {
  readonly say: string;
  /** Spoken over the reply to the turn before. */
  readonly over: boolean;
}

export interface Outcome {
  readonly world: World;
  readonly turns: readonly { readonly said: string; readonly heard: string; readonly replied: string }[];
}
/** Makes one call. */
export type MakeCall = (caller: Caller, index: number, world: World) => Promise<Outcome["turns"]>;
