/** More than an unclear sound has. The newest words stay. */
const MOST_CHARACTERS = 200;

/** Content words over replies that were too unclear to stop them. The model reads them before the caller's next words. */
export class UnclearWords {
  #words = "";

  add(words: string): void {
    this.#words = `${this.#words} ${words}`.trim().slice(-MOST_CHARACTERS).toWellFormed();
  }

  /** The caller's next words as the model reads them. */
  before(text: string): string {
    return this.#words === "" ? text : `(Perhaps the caller said before: ${JSON.stringify(this.#words)}) ${text}`;
  }

  clear(): void {
    this.#words = "";
  }
}
