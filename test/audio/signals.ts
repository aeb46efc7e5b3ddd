/** Test signals and measures. They are the same in every run. */

export function sine(hz: number, sampleRateHz: number, lengthSamples: number, amplitude = 0.5): Float32Array {
  return Float32Array.from(
    { length: lengthSamples },
    (_, i) => amplitude * Math.sin((2 * Math.PI * hz * i) / sampleRateHz),
  );
}

/** Music: a chord of three notes with harmonics each half second, as of a plucked instrument. */
export function tune(sampleRateHz: number, lengthSamples: number, amplitude = 0.05): Float32Array {
  const roots = [262, 220, 175, 196];
  return Float32Array.from({ length: lengthSamples }, (_, i) => {
    const beats = (2 * i) / sampleRateHz;
    const root = roots[Math.floor(beats) % roots.length]!;
    let sum = 0;
    for (const note of [1, 1.25, 1.5])
      for (let harmonic = 1; harmonic <= 5; harmonic++)
        sum += Math.sin((2 * Math.PI * root * note * harmonic * i) / sampleRateHz) / harmonic;
    return amplitude * sum * Math.exp(-2 * (beats % 1));
  });
}

/** White noise, uniform from -amplitude to amplitude. */
export function noise(lengthSamples: number, amplitude = 0.5, seed = 1): Float32Array {
  let state = seed;
  return Float32Array.from({ length: lengthSamples }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return amplitude * (state / 2 ** 31 - 1);
  });
}

export function rmsOf(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / samples.length);
}

/** Residual after the best fitting sine of `hz` is subtracted, relative to that sine. */
export function toneResidueDb(samples: Float32Array, hz: number, sampleRateHz: number): number {
  // Least squares over sin and cos; the 2x2 normal equations keep it exact for a cut-off last period.
  let ss = 0;
  let sc = 0;
  let cc = 0;
  let ys = 0;
  let yc = 0;
  const angle = (2 * Math.PI * hz) / sampleRateHz;
  samples.forEach((y, i) => {
    const s = Math.sin(angle * i);
    const c = Math.cos(angle * i);
    ss += s * s;
    sc += s * c;
    cc += c * c;
    ys += y * s;
    yc += y * c;
  });
  const determinant = ss * cc - sc * sc;
  const a = (ys * cc - yc * sc) / determinant;
  const b = (yc * ss - ys * sc) / determinant;
  const residue = samples.map((y, i) => y - a * Math.sin(angle * i) - b * Math.cos(angle * i));
  return 20 * Math.log10(rmsOf(residue) / Math.hypot(a, b));
}
