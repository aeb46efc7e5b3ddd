import { MODEL_HZ } from "../audio/format.ts";

/** Session time is counted in samples of the audio that the models hear. */
export const toMs = (samples: number): number => (samples * 1000) / MODEL_HZ;
export const toSamples = (ms: number): number => Math.round((ms * MODEL_HZ) / 1000);
