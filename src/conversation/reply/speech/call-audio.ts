import { CALL_HZ, CALL_SAMPLES_PER_MS } from "../../../audio/format.ts";
import { floatToInt16 } from "../../../audio/pcm16.ts";
import { resampleAll } from "../../../audio/resampler.ts";
import { trimSilence } from "../../../audio/trim-silence.ts";

/** Silence after each clause, ms. Replaces the trimmed silence of the voice. */
const SENTENCE_GAP_MS = 200;
const CLAUSE_GAP_MS = 80;

/** A clause as it is sent: silence trimmed, at `CALL_HZ`, with a pause after it that its last mark sets. */
export function toCallAudio(samples: Float32Array, sampleRateHz: number, spoken: string): Int16Array {
  const speech = resampleAll(trimSilence(samples, sampleRateHz), sampleRateHz, CALL_HZ);
  const gapMs = /[.!?]$/.test(spoken) ? SENTENCE_GAP_MS : CLAUSE_GAP_MS;
  const pcm = new Int16Array(speech.length + Math.round(gapMs * CALL_SAMPLES_PER_MS));
  floatToInt16(speech, pcm);
  return pcm;
}
