/** The tools of a reply by the names that a model may write for them. */
export class ToolNames<Tool extends { readonly name: string }> {
  readonly #tools: readonly Tool[];

  constructor(tools: readonly Tool[]) {
    this.#tools = tools;
  }

  /** `BookTable`, `functions.book_table` and `book_table.call` mean `book_table`, if no other tool has such a name. */
  find(written: string): Tool | undefined {
    const exact = this.#tools.find(({ name }) => name === written);
    if (exact !== undefined) return exact;
    const plain = lettersOf(written.replace(/^(?:functions|tools)\./u, "").replace(/\.call$/u, ""));
    const [only, ...others] = this.#tools.filter(({ name }) => lettersOf(name) === plain);
    return others.length === 0 ? only : undefined;
  }
}

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/gu, "");
