/** The caller's turns after which a matter counts as dropped. */
const MOST_TURNS = 6;

/**
 * Values that the caller gave for a call that lacked others. A weak model forgets them while it asks for the rest, and makes them up
 * in its next call.
 */
export class KeptValues {
  #tool = "";
  #values: Readonly<Record<string, unknown>> = {};
  #turn = 0;

  /** The value of the tool's argument, undefined when none is kept. @param turn Number of the caller's turn. */
  of(tool: string, argument: string, turn: number): unknown {
    const kept = this.at(turn);
    return kept?.tool === tool ? kept.values[argument] : undefined;
  }

  /** The tool whose call lacks values, and what is kept of it. @param turn Number of the caller's turn. */
  at(turn: number): { readonly tool: string; readonly values: Readonly<Record<string, unknown>> } | undefined {
    return this.#tool !== "" && turn - this.#turn <= MOST_TURNS
      ? { tool: this.#tool, values: this.#values }
      : undefined;
  }

  /** A call of the tool could not be made. Newer values take the place of older ones. */
  keep(tool: string, values: Readonly<Record<string, unknown>>, turn: number): void {
    this.#values = tool === this.#tool ? { ...this.#values, ...values } : values;
    this.#tool = tool;
    this.#turn = turn;
  }

  /** A call is made. */
  clear(): void {
    this.#tool = "";
    this.#values = {};
  }
}
