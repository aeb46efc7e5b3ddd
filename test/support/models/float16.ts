const bits = new DataView(new ArrayBuffer(4));

/** The 16 bits of the half-precision number nearest to `value`. Magnitudes from 65,504 on become infinite. */
export function float16(value: number): number {
  bits.setFloat32(0, value);
  const single = bits.getUint32(0);
  const sign = (single >>> 16) & 0x8000;
  const magnitude = Math.abs(value);
  if (magnitude >= 65_504) return sign | 0x7c00;
  // Subnormal halves are multiples of 2^-24; the largest of them rounds up into the normal ones.
  if (magnitude < 2 ** -14) return sign | Math.round(magnitude * 2 ** 24);
  const exponent = ((single >>> 23) & 0xff) - 112;
  return sign | ((exponent << 10) + Math.round((single & 0x7fffff) / 2 ** 13));
}
