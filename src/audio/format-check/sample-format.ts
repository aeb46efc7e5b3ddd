import { Floats, Histogram, Wave } from "./sample-statistics.ts";

/** A multiple of the sample sizes 1, 2, 3, 4 and 8. */
const BLOCK = 3072;
const WORDS = BLOCK / 2;
/** A block with fewer different words is silence, dither or a pure tone. */
const LEAST_DIFFERENT = 128;
/** Blocks with sound that a verdict needs, and the number after which no verdict follows. */
const LEAST_BLOCKS = 3;
/** Stereo needs more blocks, because music and machines can look like it for a moment. */
const LEAST_STEREO_BLOCKS = 8;
const MOST_BLOCKS = 40;

/** Correlation of neighbouring samples in a format that fits, and in 16-bit little-endian if that does not fit. */
const SMOOTH = 0.6;
const ROUGH = 0.5;
/** Largest distance of the histograms of even and odd bytes that count as equal, and least distance of each from noise. */
const ALIKE = 0.2;
const SPREAD = 0.2;

/** Finds the sample format in which bytes make a smooth wave. Sound is smooth only in the right format. */
export class SampleFormat {
  readonly #block = new Uint8Array(BLOCK);
  readonly #view = new DataView(this.#block.buffer);
  #fill = 0;
  #blocks = 0;
  #text = true;
  /** Products within pairs of samples, products of one pair with the next, and squares. */
  #within = 0;
  #between = 0;
  #firstSquares = 0;
  #secondSquares = 0;
  /** Counts of each byte at even and odd positions. */
  readonly #even = new Histogram();
  readonly #odd = new Histogram();
  readonly #lowOf3 = new Histogram();
  readonly #highOf3 = new Histogram();
  #silentFirst = true;
  readonly #float32 = new Floats();
  readonly #float64 = new Floats();
  readonly #little = new Wave();
  readonly #big = new Wave();
  readonly #first = new Wave();
  readonly #second = new Wave();

  get isDone(): boolean {
    return this.#blocks >= MOST_BLOCKS;
  }

  /** Takes the next bytes of the stream. Returns the name of the format once a wrong format is certain. */
  push(bytes: Uint8Array): string | undefined {
    for (let at = 0; at < bytes.length && !this.isDone;) {
      const count = Math.min(BLOCK - this.#fill, bytes.length - at);
      this.#block.set(bytes.subarray(at, at + count), this.#fill);
      this.#fill += count;
      at += count;
      if (this.#fill < BLOCK) return undefined;
      this.#fill = 0;
      if (this.#differentWords() < LEAST_DIFFERENT) continue;
      this.#measure();
      const verdict = this.#blocks < LEAST_BLOCKS ? undefined : this.#judge();
      if (verdict !== undefined) return verdict;
    }
    return undefined;
  }

  /** The next byte begins a sample. */
  forgetHalf(): void {
    this.#fill = 0;
  }

  /** True when no format makes a wave of the bytes, as with compressed audio. */
  get isNoise(): boolean {
    const waves = [this.#little, this.#big, this.#first, this.#second];
    return this.#blocks > 0 && waves.every(({ neighbours }) => Math.abs(neighbours) < 0.2);
  }

  /** True when the bytes make a wave of 16-bit little-endian samples. */
  get isPcm16(): boolean {
    return (
      this.#blocks >= LEAST_BLOCKS &&
      this.#little.neighbours > SMOOTH &&
      this.#even.distance(this.#odd) > ALIKE &&
      this.#even.distance(EVEN_SPREAD) < this.#odd.distance(EVEN_SPREAD)
    );
  }

  #differentWords(): number {
    SEEN.fill(0);
    let different = 0;
    for (let i = 0; i < WORDS; i++) {
      const word = this.#view.getUint16(2 * i, true);
      if (SEEN[word] === 0) different++;
      SEEN[word] = 1;
    }
    return different;
  }

  #measure(): void {
    const view = this.#view;
    const block = this.#block;
    this.#blocks += 1;
    this.#little.add(WORDS, (i) => view.getInt16(2 * i, true));
    this.#big.add(WORDS, (i) => view.getInt16(2 * i, false));
    this.#first.add(WORDS / 2, (i) => view.getInt16(4 * i, true));
    this.#second.add(WORDS / 2, (i) => view.getInt16(4 * i + 2, true));
    this.#float32.add(BLOCK / 4, (i) => view.getFloat32(4 * i, true));
    this.#float64.add(BLOCK / 8, (i) => view.getFloat64(8 * i, true));
    this.#text &&= block.every((byte) => isBase64(byte));
    for (let at = 0; at + 6 <= BLOCK; at += 4) {
      const first = view.getInt16(at, true);
      const second = view.getInt16(at + 2, true);
      this.#within += first * second;
      this.#between += second * view.getInt16(at + 4, true);
      this.#firstSquares += first ** 2;
      this.#secondSquares += second ** 2;
      this.#silentFirst &&= first === 0;
    }
    for (let at = 0; at < BLOCK; at += 2) {
      this.#even.add(block[at]!);
      this.#odd.add(block[at + 1]!);
    }
    for (let at = 0; at < BLOCK; at += 3) {
      this.#lowOf3.add(block[at]!);
      this.#highOf3.add(block[at + 2]!);
    }
  }

  #judge(): string | undefined {
    if (this.#text) return "base64 or hexadecimal text";
    // Test this before 32-bit float: halves of 64-bit floats also look like 32-bit floats.
    if (this.#float64.fits) return "64-bit float";
    if (this.#float32.fits) return "32-bit float";
    if (this.#silentFirst) return "32-bit integer or stereo";
    return this.#judgeBytes() ?? (this.#blocks < LEAST_STEREO_BLOCKS ? undefined : this.#judgeStereo());
  }

  #judgeBytes(): string | undefined {
    const even = this.#even;
    const odd = this.#odd;
    const { neighbours } = this.#little;
    const fits = (wave: Wave) => neighbours < ROUGH && wave.neighbours > Math.max(SMOOTH, neighbours + 0.3);
    // In 16-bit samples the high byte has few values and the low byte nearly all. In samples of one or three bytes,
    // bytes at even and odd places are alike.
    if (even.distance(odd) < ALIKE) {
      if (this.#lowOf3.distance(this.#highOf3) > 2 * ALIKE) return "24-bit integer";
      if (even.distance(EVEN_SPREAD) > SPREAD) return oneByteFormat(even);
    }
    if (even.distance(EVEN_SPREAD) > odd.distance(EVEN_SPREAD) + 0.1 && fits(this.#big)) return "16-bit big-endian";
    if (fits(this.#second) && Math.abs(this.#first.neighbours) < 0.1) return "32-bit integer";
    return undefined;
  }

  #judgeStereo(): string | undefined {
    const { neighbours, secondNeighbours } = this.#little;
    const each = Math.min(this.#first.neighbours, this.#second.neighbours);
    const energy = Math.sqrt(this.#firstSquares * this.#secondSquares);
    const within = 1 - this.#within / energy;
    const between = 1 - this.#between / energy;
    // Two channels with nearly the same sound.
    if (each > 0.5 && between > 1e-3 && within < 0.15 * between) return "stereo";
    // Two channels with different sound.
    if (each > SMOOTH && secondNeighbours > neighbours + 0.3 && Math.abs(neighbours) < 0.6) return "stereo";
    return undefined;
  }
}

/** Scratch memory of one call. */
const SEEN = new Uint8Array(65_536);
const EVEN_SPREAD = { share: () => 1 / 256 };

function oneByteFormat(bytes: Histogram): string {
  // A sample and its negative are equally frequent. They differ in all bits in PCM, and in the highest in both laws.
  if (bytes.asymmetry(0xff) < bytes.asymmetry(0x80)) return "8-bit PCM";
  const muLaw = bytes.steps((magnitude) => 0xff ^ magnitude);
  const aLaw = bytes.steps((magnitude) => 0xd5 ^ magnitude);
  return muLaw < aLaw ? "8-bit mu-law" : "8-bit A-law";
}

const isBase64 = (byte: number): boolean =>
  (byte >= 48 && byte <= 57) ||
  (byte >= 65 && byte <= 90) ||
  (byte >= 97 && byte <= 122) ||
  [10, 13, 43, 47, 61].includes(byte);
