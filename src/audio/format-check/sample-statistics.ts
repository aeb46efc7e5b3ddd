/** Statistics that show whether bytes are read in the format in which they were written. */

/** Sums for the correlation of samples with their neighbours at distance 1 and 2. */
export class Wave {
  #count = 0;
  #sum = 0;
  #squares = 0;
  #products1 = 0;
  #products2 = 0;

  add(length: number, sampleAt: (index: number) => number): void {
    let one = sampleAt(1);
    let two = sampleAt(0);
    for (let index = 2; index < length; index++) {
      const sample = sampleAt(index);
      this.#sum += sample;
      this.#squares += sample * sample;
      this.#products1 += sample * one;
      this.#products2 += sample * two;
      two = one;
      one = sample;
    }
    this.#count += length - 2;
  }

  #correlation(products: number): number {
    const square = (this.#sum / this.#count) ** 2;
    const variance = this.#squares / this.#count - square;
    return variance > 0 ? (products / this.#count - square) / variance : 0;
  }

  /** 1 for a smooth wave, 0 for noise, -1 for jumps. */
  get neighbours(): number {
    return this.#correlation(this.#products1);
  }

  get secondNeighbours(): number {
    return this.#correlation(this.#products2);
  }
}

/** Counts samples that sound can have as floating point: small numbers of both signs. */
export class Floats {
  #count = 0;
  #plausible = 0;
  #positive = 0;
  #negative = 0;

  add(length: number, sampleAt: (index: number) => number): void {
    for (let index = 0; index < length; index++) {
      const sample = sampleAt(index);
      const magnitude = Math.abs(sample);
      if (magnitude === 0 || (magnitude > 1e-9 && magnitude <= 2)) this.#plausible++;
      if (magnitude > 1e-6 && magnitude <= 2) {
        if (sample > 0) this.#positive++;
        else this.#negative++;
      }
    }
    this.#count += length;
  }

  get fits(): boolean {
    return this.#plausible > 0.99 * this.#count && Math.min(this.#positive, this.#negative) > 0.1 * this.#count;
  }
}

/** How often each value of a byte occurs. */
export class Histogram {
  readonly #counts = new Float64Array(256);
  #total = 0;

  add(value: number): void {
    this.#counts[value]! += 1;
    this.#total += 1;
  }

  share(value: number): number {
    return this.#counts[value]! / this.#total;
  }

  /** 0: alike. 1: no value in common. */
  distance(other: { share(value: number): number }): number {
    let sum = 0;
    for (let value = 0; value < 256; value++) sum += Math.abs(this.share(value) - other.share(value));
    return sum / 2;
  }

  /** 0: values are as frequent as their counterparts, which differ in the bits of `mask`. */
  asymmetry(mask: number): number {
    return this.distance({ share: (value) => this.share(value ^ mask) });
  }

  /** Sum of the steps from each magnitude to the next: small for the coding that fits. @param codeOf Code of a magnitude. */
  steps(codeOf: (magnitude: number) => number): number {
    let sum = 0;
    for (let magnitude = 1; magnitude < 128; magnitude++)
      sum += Math.abs(this.share(codeOf(magnitude)) - this.share(codeOf(magnitude - 1)));
    return sum;
  }
}
