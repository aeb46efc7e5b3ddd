/** Wait before speech plays. It grows after each gap and shrinks after replies without a gap. */
const FIRST_WAIT_MS = 60;
const LONGEST_WAIT_MS = 240;
const WAIT_STEP_MS = 60;
/** A shorter silence is a gap inside a reply. A longer one is between replies, or a pause for the caller. */
const GAP_MS = 400;
/** A stop fades out over this length, because a hard cut clicks. */
const FADE_MS = 5;

/** Buffers speech between the network's bursts and the loudspeaker's even pace. Pure: no clock. */
export class JitterBuffer {
  readonly #perMs: number;
  #chunks: Float32Array[] = [];
  /** Played samples of the first chunk. */
  #used = 0;
  #buffered = 0;
  #waited = 0;
  /** Samples since the buffer ran dry. */
  #silent = Infinity;
  #waitMs = FIRST_WAIT_MS;
  #isPlaying = false;
  /** The rest is the fade of a stop, so no speech is late after it. */
  #isFading = false;
  #played = 0;
  #gaps = 0;
  #last = 0;

  constructor(sampleRateHz: number) {
    this.#perMs = sampleRateHz / 1000;
  }

  /** Samples played since the start. */
  get played(): number {
    return this.#played;
  }

  get buffered(): number {
    return this.#buffered;
  }

  get isPlaying(): boolean {
    return this.#isPlaying;
  }

  /** How often the buffer ran dry inside a reply. */
  get gaps(): number {
    return this.#gaps;
  }

  push(samples: Float32Array): void {
    if (this.#buffered === 0 && !this.#isPlaying) this.#judgeSilence();
    this.#isFading = false;
    this.#chunks.push(samples);
    this.#buffered += samples.length;
  }

  /** Fills `out`, with silence where no speech is available. */
  read(out: Float32Array): void {
    if (!this.#isPlaying && this.#mayStart(out.length)) this.#isPlaying = true;
    let at = 0;
    if (this.#isPlaying) at = this.#take(out);
    else if (this.#buffered === 0) this.#silent += out.length;
    for (; at < out.length; at += 1) {
      // Fade from the last sample to silence in about a millisecond.
      this.#last *= 0.8;
      out[at] = this.#last;
    }
  }

  /** Drops the unplayed speech except for the few milliseconds of the fade. */
  stop(): void {
    const fade = new Float32Array(Math.min(this.#buffered, Math.round(FADE_MS * this.#perMs)));
    const isPlaying = this.#isPlaying;
    if (isPlaying) this.#take(fade);
    this.#chunks = [];
    this.#used = this.#buffered = this.#waited = 0;
    this.#silent = Infinity;
    this.#isPlaying = isPlaying && fade.length > 0;
    if (!this.#isPlaying) return;
    this.#played -= fade.length;
    this.push(fade.map((sample, index) => sample * (1 - index / fade.length)));
    this.#isFading = true;
  }

  #judgeSilence(): void {
    const isGap = this.#silent < GAP_MS * this.#perMs;
    if (isGap) this.#gaps += 1;
    const waitMs = this.#waitMs + (isGap ? WAIT_STEP_MS : -WAIT_STEP_MS);
    this.#waitMs = Math.min(LONGEST_WAIT_MS, Math.max(FIRST_WAIT_MS, waitMs));
  }

  /** Enough speech has arrived, or no more is expected for now. */
  #mayStart(samples: number): boolean {
    if (this.#buffered === 0) return false;
    this.#waited += samples;
    const wait = this.#waitMs * this.#perMs;
    if (this.#buffered < wait && this.#waited < wait) return false;
    this.#waited = 0;
    return true;
  }

  #take(out: Float32Array): number {
    let at = 0;
    for (let first = this.#chunks[0]; first !== undefined && at < out.length; first = this.#chunks[0]) {
      const part = first.subarray(this.#used, this.#used + out.length - at);
      out.set(part, at);
      at += part.length;
      this.#used += part.length;
      if (this.#used < first.length) break;
      this.#chunks.shift();
      this.#used = 0;
    }
    this.#played += at;
    this.#buffered -= at;
    this.#last = at > 0 ? (out[at - 1] ?? 0) : this.#last;
    if (this.#buffered === 0) {
      this.#isPlaying = false;
      this.#silent = this.#isFading ? Infinity : 0;
    }
    return at;
  }
}
