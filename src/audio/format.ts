/** The sample rates and PCM formats in use. All audio is mono. */

/** Speech that goes into a session and comes out of it, as 16-bit samples. The native interface carries this rate. */
export const CALL_HZ = 24_000;
export const CALL_SAMPLES_PER_MS = CALL_HZ / 1000;
/** PCM16, as the native interface carries it. */
export const CALL_BYTES_PER_MS = 2 * CALL_SAMPLES_PER_MS;

/** Speech for the models: voice activity, recognition, emotion, end of turn. Session time is counted in these samples. */
export const MODEL_HZ = 16_000;
