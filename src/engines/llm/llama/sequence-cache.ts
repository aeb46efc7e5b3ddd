import type { LlamaContextSequence, Token } from "node-llama-cpp";

/** Marks kept for one sequence. A mark of a hybrid model takes up to 160 MB. */
const MAX_MARKS = 2;

/** Options of `getSequence`. Marks are set where prompts divide, not at intervals. */
export const markOptions = { max: MAX_MARKS, interval: false } as const;

/**
 * The evaluated tokens of one sequence. Attention layers can drop their last tokens. Recurrent layers cannot: a model with such
 * layers returns to a mark, which is a copy of its state, or starts again.
 */
export class SequenceCache {
  readonly #sequence: LlamaContextSequence;
  /** Whether any number of tokens can be dropped. */
  readonly canRewind: boolean;
  /** Token counts of the marks, ascending. */
  #marks: number[] = [];

  constructor(sequence: LlamaContextSequence) {
    const { isHybrid, isRecurrent } = sequence.model.fileInsights;
    this.#sequence = sequence;
    this.canRewind = !isHybrid && !isRecurrent;
  }

  get length(): number {
    return this.#sequence.nextTokenIndex;
  }

  /** Drops cached tokens until the cache is a beginning of `tokens`. Evaluates nothing. */
  async cutTo(tokens: readonly Token[]): Promise<void> {
    const common = this.#sequence.compareContextTokens([...tokens]).firstDifferentIndex;
    const kept = common === this.length ? common : this.#restorable(common);
    this.#marks = this.#marks.filter((mark) => mark <= kept);
    await this.#sequence.adaptStateToTokens(tokens.slice(0, kept), false);
  }

  /** Lets a model that cannot rewind return to this place. */
  async mark(): Promise<void> {
    if (this.canRewind || this.#marks.at(-1) === this.length) return;
    await this.#sequence.takeCheckpoint();
    this.#marks = [...this.#marks, this.length].slice(-MAX_MARKS);
  }

  /** Loads the state of a sequence of this context from a file. */
  async load(path: string): Promise<void> {
    await this.cutTo([]);
    await this.#sequence.loadStateFromFile(path, { acceptRisk: true });
  }

  /** Resolves to the bytes written. */
  async save(path: string): Promise<number> {
    const { fileSize } = await this.#sequence.saveStateToFile(path);
    return fileSize;
  }

  #restorable(length: number): number {
    if (!this.canRewind) return this.#marks.findLast((mark) => mark <= length) ?? 0;
    // Layers with a sliding window forget older tokens, and the next token needs the whole window.
    const window = this.#sequence.model.fileInsights.swaSize ?? Infinity;
    return this.#sequence.stateCellsStartIndex > Math.max(0, length - window) ? 0 : length;
  }
}
