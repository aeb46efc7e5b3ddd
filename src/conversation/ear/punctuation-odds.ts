/**
 * Change of the log odds that a turn is over by the recogniser's punctuation, fitted on pauses of people who say single sentences
 * (docs/decisions/0042-end-of-turn.md). A recogniser ends a text that sounds finished with a stop.
 */
const QUESTION_MARK = 0.6;
const NO_STOP = -1.5;
/** Words after which the absence of a stop says something. */
const WORDS = 3;

/** Reads the punctuation of one caller's recogniser. Some recognisers write none. */
export class PunctuationOdds {
  #writesStops = false;

  of(text: string): number {
    if (/[.?!]$/u.test(text)) {
      this.#writesStops ||= text.split(" ").length >= WORDS;
      return text.endsWith("?") ? QUESTION_MARK : 0;
    }
    return this.#writesStops && text !== "" && !ENDS_SPELLED.test(text) ? NO_STOP : 0;
  }
}

/** Spelled words and numbers have no stop. */
const ENDS_SPELLED = /(?:\p{Nd}|\p{Lu})$/u;
