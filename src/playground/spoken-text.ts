/** Letters per second of slow speech, used until a whole reply has been heard. */
const USUAL_RATE = 15;

/** Letters per second of a voice, learned from whole replies. */
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
 * Estimates how much of a reply's text has been spoken, up to the end of a word. The messages do not say it, so the voice's pace
 * decides.
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
