/** Letters a second of unhurried speech: the guess until a whole reply has been heard. */
const USUAL_RATE = 15;

/** How many letters of its texts a voice speaks in a second, learned from whole replies. */
export class SpeakingRate {
  #rate = USUAL_RATE;

  get lettersPerSecond(): number {
    return this.#rate;
  }

  learn(letters: number, seconds: number): void {
    if (letters >= 20 && seconds > 0.5) this.#rate += 0.5 * (letters / seconds - this.#rate);
  }
}

/**
 * Where in a reply's text its speech is, for the messages do not say: by the voice's rate, to the end of a word.
 * @param isOver The whole reply has been played.
 */
export function spokenLength(text: string, heardSeconds: number, lettersPerSecond: number, isOver: boolean): number {
  if (isOver) return text.length;
  if (heardSeconds <= 0) return 0;
  const at = Math.round(heardSeconds * lettersPerSecond);
  if (at >= text.length) return text.length;
  const space = text.indexOf(" ", at);
  return space < 0 ? text.length : space;
}
