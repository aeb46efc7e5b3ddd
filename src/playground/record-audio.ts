/** Plays the two sides of a record, and draws them. */
export class RecordAudio {
  readonly #canvas: HTMLCanvasElement;
  readonly #context = new AudioContext();
  readonly #gains: readonly [GainNode, GainNode];
  #buffer: AudioBuffer | undefined;
  #source: AudioBufferSourceNode | undefined;
  #startedAt = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#gains = [this.#context.createGain(), this.#context.createGain()];
    for (const gain of this.#gains) gain.connect(this.#context.destination);
  }

  /** @param wav A file of two channels. */
  async load(wav: ArrayBuffer): Promise<void> {
    this.stop();
    this.#buffer = await this.#context.decodeAudioData(wav);
    this.#draw(0);
  }

  /** @param side The caller has 0, the reply 1. */
  hear(side: 0 | 1, isHeard: boolean): void {
    this.#gains[side].gain.value = isHeard ? 1 : 0;
  }

  get isPlaying(): boolean {
    return this.#source !== undefined;
  }

  /** @param fromSeconds Where to begin. */
  play(fromSeconds: number, ended: () => void): void {
    this.stop();
    if (this.#buffer === undefined) return;
    const source = this.#context.createBufferSource();
    source.buffer = this.#buffer;
    const splitter = this.#context.createChannelSplitter(2);
    source.connect(splitter);
    for (const [side, gain] of this.#gains.entries()) splitter.connect(gain, side);
    source.addEventListener("ended", () => {
      if (this.#source !== source) return;
      this.#source = undefined;
      ended();
    });
    void this.#context.resume();
    source.start(0, fromSeconds);
    this.#source = source;
    this.#startedAt = this.#context.currentTime - fromSeconds;
    this.#follow();
  }

  stop(): void {
    const source = this.#source;
    this.#source = undefined;
    source?.stop();
  }

  /** The time at a place of the picture. @param share 0 to 1. */
  secondsAt(share: number): number {
    return share * (this.#buffer?.duration ?? 0);
  }

  #follow(): void {
    if (this.#source === undefined || this.#buffer === undefined) return;
    this.#draw((this.#context.currentTime - this.#startedAt) / this.#buffer.duration);
    requestAnimationFrame(() => this.#follow());
  }

  #draw(share: number): void {
    const { width, height } = this.#canvas;
    const paint = this.#canvas.getContext("2d");
    if (paint === null || this.#buffer === undefined) return;
    paint.clearRect(0, 0, width, height);
    for (let side = 0; side < Math.min(2, this.#buffer.numberOfChannels); side += 1) {
      const samples = this.#buffer.getChannelData(side);
      const middle = (height / 4) * (1 + 2 * side);
      paint.fillStyle = side === 0 ? "#2a7" : "#57c";
      for (let x = 0; x < width; x += 1) {
        const loud = loudest(
          samples,
          Math.floor((x / width) * samples.length),
          Math.floor(((x + 1) / width) * samples.length),
        );
        const tall = Math.max(1, (loud * height) / 2);
        paint.fillRect(x, middle - tall / 2, 1, tall);
      }
    }
    paint.fillStyle = "#c33";
    paint.fillRect(share * width, 0, 2, height);
  }
}

function loudest(samples: Float32Array, from: number, to: number): number {
  let most = 0;
  // An hour has 86 million samples: some of each stretch are enough for a picture.
  const step = Math.max(1, Math.floor((to - from) / 50));
  for (let at = from; at < to; at += step) most = Math.max(most, Math.abs(samples[at] ?? 0));
  return most;
}
