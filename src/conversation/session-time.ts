/** What every model hears. Session time is counted in these samples. */
export const HEARING_HZ = 16_000;

export const toMs = (samples: number): number => (samples * 1000) / HEARING_HZ;
export const toSamples = (ms: number): number => Math.round((ms * HEARING_HZ) / 1000);
