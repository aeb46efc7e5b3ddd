/** In-place radix-2 Fourier transform of complex numbers. Works for one size, a power of two. */
export class Fft {
  readonly size: number;
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  readonly #order: Uint16Array;

  constructor(size: number) {
    this.size = size;
    this.#cos = Float64Array.from({ length: size / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / size));
    this.#sin = Float64Array.from({ length: size / 2 }, (_, i) => Math.sin((2 * Math.PI * i) / size));
    this.#order = Uint16Array.from({ length: size }, (_, i) => {
      let reversed = 0;
      for (let bit = 1; bit < size; bit *= 2) reversed = 2 * reversed + (i & bit ? 1 : 0);
      return reversed;
    });
  }

  transform(re: Float64Array, im: Float64Array): void {
    const { size } = this;
    for (let i = 0; i < size; i++) {
      const j = this.#order[i]!;
      if (j <= i) continue;
      // By hand: destructuring leaves an array of garbage for each pair.
      const real = re[i]!;
      const imaginary = im[i]!;
      re[i] = re[j]!;
      im[i] = im[j]!;
      re[j] = real;
      im[j] = imaginary;
    }
    for (let half = 1; half < size; half *= 2) {
      const step = size / (2 * half);
      for (let k = 0; k < half; k++) {
        const cos = this.#cos[k * step]!;
        const sin = this.#sin[k * step]!;
        for (let a = k; a < size; a += 2 * half) {
          const b = a + half;
          const bRe = re[b]! * cos + im[b]! * sin;
          const bIm = im[b]! * cos - re[b]! * sin;
          re[b] = re[a]! - bRe;
          im[b] = im[a]! - bIm;
          re[a] = re[a]! + bRe;
          im[a] = im[a]! + bIm;
        }
      }
    }
  }
}
