/** Mean level of voice, by its power. */
export class VoiceLevel {
  #voicedMs = 0;
  /** Times milliseconds. */
  #power = 0;

  get voicedMs(): number {
    return this.#voicedMs;
  }

  /** NaN without voice. */
  get levelDbfs(): number {
    return 10 * Math.log10(this.#power / this.#voicedMs);
  }

  add(voicedMs: number, levelDbfs: number): void {
    this.#voicedMs += voicedMs;
    this.#power += voicedMs * 10 ** (levelDbfs / 10);
  }

  join(other: VoiceLevel): void {
    this.#voicedMs += other.#voicedMs;
    this.#power += other.#power;
  }

  /** The level that `join` would give. */
  levelWith(other: VoiceLevel): number {
    return 10 * Math.log10((this.#power + other.#power) / (this.#voicedMs + other.#voicedMs));
  }

  clear(): void {
    this.#voicedMs = 0;
    this.#power = 0;
  }
}
