import { CALL_HZ } from "../../src/audio/format.ts";

const sine = (hz: number, dbfs: number) => {
  const amplitude = 32_768 * Math.SQRT2 * 10 ** (dbfs / 20);
  return (at: number) => amplitude * Math.sin((2 * Math.PI * hz * at) / CALL_HZ);
};

/** Additions of sound cards, mains and handling to a microphone's audio below the voice. Values are added to 16-bit samples at `CALL_HZ`. */
export const disturbances: Readonly<Record<string, (at: number) => number>> = {
  "a DC offset of 1.5 %": () => 500,
  "a DC offset of -9 %": () => -3_000,
  "hum of 50 Hz at -36 dBFS": sine(50, -36),
  "rumble of 20 Hz at -30 dBFS": sine(20, -30),
};
