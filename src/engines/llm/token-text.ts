import { cutLength, openLength } from "./call-marks.ts";

/** Turns tokens into text. The preceding tokens decide about a leading space. */
export type Detokenize<Token> = (tokens: readonly Token[], before: readonly Token[]) => string;

const endsIncomplete = /\uFFFD+$/;
/** A UTF-8 character has at most four bytes, so after four tokens an incomplete one stays incomplete. */
const maxWait = 4;

/** `rest`: text of the same token after the stop text. */
export interface FoundStop {
  readonly text: string;
  readonly rest: string;
}

/**
 * Turns a token stream into pieces of text. A piece never ends inside a character or a stop text. Leading white space of the
 * whole text is dropped.
 */
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
  #begun = false;
  #stop: FoundStop | undefined;

  constructor(detokenize: Detokenize<Token>, stopTexts: readonly string[], before: readonly Token[]) {
    this.#detokenize = detokenize;
    this.#stopTexts = stopTexts;
    this.#before = before.slice(-8);
  }

  /** The first stop text that was seen. It and later text do not belong to the reply. */
  get stop(): FoundStop | undefined {
    return this.#stop;
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
    return this.#release(fresh, false);
  }

  /** The rest, after the last token. An incomplete character and a cut tag are dropped. */
  end(): string {
    return this.#release("", true);
  }

  #settle(): void {
    this.#before.push(...this.#pending);
    if (this.#before.length > 16) this.#before.splice(0, this.#before.length - 8);
    this.#pending = [];
    this.#waited = 0;
  }

  #release(text: string, last: boolean): string {
    if (this.#stop !== undefined) return "";
    this.#held += text;
    if (!this.#begun) this.#held = this.#held.trimStart();
    const stop = this.#firstStop();
    let certain = this.#held.length;
    if (stop !== undefined) {
      const rest = this.#held.slice(stop.at + stop.text.length);
      this.#stop = { text: stop.text, rest };
      certain = stop.at;
    } else {
      certain -= (last ? cutLength : openLength)(this.#held, this.#stopTexts);
    }
    const released = this.#held.slice(0, certain);
    this.#held = this.#held.slice(certain);
    this.#begun ||= released !== "";
    return released;
  }

  #firstStop(): { readonly text: string; readonly at: number } | undefined {
    const found = this.#stopTexts.map((text) => ({ text, at: this.#held.indexOf(text) })).filter(({ at }) => at >= 0);
    return found.toSorted((one, other) => one.at - other.at)[0];
  }
}
