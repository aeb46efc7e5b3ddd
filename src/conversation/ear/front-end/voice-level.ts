/** Mean level of voices, by their power. */
export class VoiceLevel {
  voicedMs = 0;
  #power = 0;

  add(voicedMs: number, levelDbfs: number): void {
    this.voicedMs += voicedMs;
    this.#power += power(voicedMs, levelDbfs);
  }

  /** NaN without a voice. */
  get levelDbfs(): number {
    return 10 * Math.log10(this.#power / this.voicedMs);
  }

  /** The level with one more voice. */
  levelWith({ voicedMs, levelDbfs }: Pick<VoiceLevel, "voicedMs" | "levelDbfs">): number {
    return 10 * Math.log10((this.#power + power(voicedMs, levelDbfs)) / (this.voicedMs + voicedMs));
  }

  clear(): void {
    this.voicedMs = 0;
    this.#power = 0;
  }
}

const power = (voicedMs: number, levelDbfs: number): number => voicedMs * 10 ** (levelDbfs / 10);
