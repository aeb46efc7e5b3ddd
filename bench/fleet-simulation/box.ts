import { agentAnswer, readinessOf } from "../../src/server/readiness.ts";

/** `dead` refuses connections. `cut` does not answer at all. */
export type BoxState = "starting" | "serving" | "draining" | "cut" | "dead";

export interface OpenCall {
  /** Where the call is. Undefined after its connection was lost. */
  box: Box | undefined;
}

/** One server: places, and what it answers to a new connection and to a health check. */
export class Box {
  readonly places: number;
  state: BoxState;
  readonly calls = new Set<OpenCall>();
  /** Answers of a serving box, by its number of calls. */
  readonly #answers: Answer[] = [];

  constructor(places: number, state: BoxState = "serving") {
    this.places = places;
    this.state = state;
  }

  get isReachable(): boolean {
    return this.state !== "dead" && this.state !== "cut";
  }

  /** `/readyz`, and the answer to a new connection. */
  get isReady(): boolean {
    return this.#answer.isReady;
  }

  /** Weight in percent, as HAProxy reads it from the agent's answer. */
  get weight(): number {
    return this.#answer.weight;
  }

  get #answer(): Answer {
    if (this.state !== "serving") return this.#ask();
    return (this.#answers[this.calls.size] ??= this.#ask());
  }

  /** The server's own rules. */
  #ask(): Answer {
    const fault = this.state === "starting" || !this.isReachable ? this.state : undefined;
    const load = { taken: this.calls.size, isDraining: this.state === "draining" };
    const readiness = readinessOf(load, this.places, fault);
    return { isReady: readiness.reason === undefined, weight: weightIn(agentAnswer(readiness)) };
  }
}

interface Answer {
  readonly isReady: boolean;
  readonly weight: number;
}

const weightIn = (answer: string): number => Number(/\d+(?=%)/u.exec(answer)?.[0] ?? 0);
