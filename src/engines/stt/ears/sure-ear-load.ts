/** The finals of all callers that the sure ear works on or that wait for it. */
export class SureEarLoad {
  readonly #lanes: number;
  #finals = 0;

  /** `lanes`: finals that it works on at the same time. */
  constructor(lanes: number) {
    this.#lanes = lanes;
  }

  /** Another final would wait. */
  get isFull(): boolean {
    return this.#finals >= this.#lanes;
  }

  /** Another final would wait for the length of a whole decode. */
  get isCrowded(): boolean {
    return this.#finals >= 2 * this.#lanes;
  }

  begin(): Disposable {
    this.#finals += 1;
    return { [Symbol.dispose]: () => void (this.#finals -= 1) };
  }
}
