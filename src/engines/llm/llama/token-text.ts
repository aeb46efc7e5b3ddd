/** Turns tokens into text. The preceding tokens decide about a leading space. */
export type Detokenize<Token> = (tokens: readonly Token[], before: readonly Token[]) => string;

const endsIncomplete = /\uFFFD+$/;
/** A UTF-8 character has at most four bytes, so after four tokens an incomplete one stays incomplete. */
const maxWait = 4;

/** Turns a token stream into pieces of text. A piece never ends inside a character or a stop text. */
export class TokenText<Token> {
  readonly #detokenize: Detokenize<Token>;
  readonly #stopTexts: readonly string[];
  readonly #before: Token[];
  /** Tokens since the last common boundary of tokens and characters. */
  #pending: Token[] = [];
  /** Length of the pending tokens' text that was already returned. */
  #given = 0;
  #waited = 0;
  #held = "";
  #isStopped = false;

  constructor(detokenize: Detokenize<Token>, stopTexts: readonly string[], before: readonly Token[]) {
    this.#detokenize = detokenize;
    this.#stopTexts = stopTexts;
    this.#before = before.slice(-8);
  }

  /** A stop text was seen. It and later text do not belong to the reply. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** The text that is complete after this token; often "". */
  push(token: Token): string {
    this.#pending.push(token);
    const text = this.#detokenize(this.#pending, this.#before);
    const complete = text.replace(endsIncomplete, "");
    this.#waited = complete.length > this.#given ? 0 : this.#waited + 1;
    const waits = complete.length < text.length && this.#waited < maxWait;
    const fresh = (waits ? complete : text).slice(this.#given);
    this.#given = waits ? complete.length : 0;
    if (!waits) this.#settle();
    return this.#release(fresh);
  }

  /** The rest, after the last token. An incomplete character is dropped. */
  end(): string {
    return this.#isStopped ? "" : this.#held;
  }

  #settle(): void {
    this.#before.push(...this.#pending);
    if (this.#before.length > 16) this.#before.splice(0, this.#before.length - 8);
    this.#pending = [];
    this.#waited = 0;
  }

  #release(text: string): string {
    if (this.#isStopped) return "";
    this.#held += text;
    const stops = this.#stopTexts.map((stop) => this.#held.indexOf(stop)).filter((at) => at >= 0);
    this.#isStopped = stops.length > 0;
    const certain = this.#isStopped ? Math.min(...stops) : this.#held.length - openLength(this.#held, this.#stopTexts);
    const released = this.#held.slice(0, certain);
    this.#held = this.#held.slice(certain);
    return released;
  }
}

/** Length of the longest end of `text` that may be the beginning of one of `marks`. */
function openLength(text: string, marks: readonly string[]): number {
  let longest = 0;
  for (const mark of marks)
    for (let length = Math.min(mark.length - 1, text.length); length > longest; length -= 1)
      if (text.endsWith(mark.slice(0, length))) longest = length;
  return longest;
}
