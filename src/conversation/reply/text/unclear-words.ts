/** More than an unclear sound has. The newest words stay. */
const MOST_CHARACTERS = 200;

/** Content words over replies that were too unclear to stop them. The model reads them before the caller's next words. */
export class UnclearWords {
  #words = "";

  add(words: string): void {
    this.#words = `${this.#words} ${words}`.trim().slice(-MOST_CHARACTERS).toWellFormed();
  }

  /** A line before the caller's next words. The values of a call are not compared with a note. */
  get note(): string | undefined {
    return this.#words === "" ? undefined : `(Perhaps the caller said before: ${JSON.stringify(this.#words)})`;
  }

  clear(): void {
    this.#words = "";
  }
}
