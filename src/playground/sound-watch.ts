/** Quieter than any voice, louder than the noise of most rooms after the browser's noise suppression. */
const SOUND_DB = -55;
const PATIENCE_MS = 6_000;

/** Notices a microphone that gives no sound from the start. Later silence is usual: the caller listens. Pure. */
export class SoundWatch {
  #sinceMs: number | undefined;
  #isHeard = false;

  /** @param db Level of a chunk, dBFS. @returns Whether the caller should be asked to check the microphone. */
  add(db: number, atMs: number): boolean {
    this.#sinceMs ??= atMs;
    this.#isHeard ||= db > SOUND_DB;
    return !this.#isHeard && atMs - this.#sinceMs >= PATIENCE_MS;
  }
}
