import { MODEL_HZ } from "../../src/audio/format.ts";
import { openOnnxSession } from "../../src/engines/onnx/onnx-session.ts";
import { Tensor } from "../../src/engines/onnx/onnxruntime.ts";

/** Samples of the model's window. */
const WINDOW = Math.floor(9.01 * MODEL_HZ);

/**
 * DNSMOS P.835 (Reddy et al. 2022), the overall quality of 16 kHz speech, 1 to 5. Mean over windows at intervals of a second.
 * Speech that is shorter than a window is repeated.
 */
export async function openDnsmos(path: string): Promise<(samples: Float32Array) => Promise<number>> {
  const session = await openOnnxSession(path, "DNSMOS");
  const [input = ""] = session.inputNames;
  const [output = ""] = session.outputNames;
  return async (samples) => {
    const audio = new Float32Array(Math.max(samples.length, WINDOW)).map(
      (_, index) => samples[index % samples.length] ?? 0,
    );
    const scores: number[] = [];
    for (let start = 0; start + WINDOW <= audio.length; start += MODEL_HZ) {
      const window = new Tensor("float32", audio.slice(start, start + WINDOW), [1, WINDOW]);
      const { [output]: scored } = session.run({ [input]: window });
      const raw = Number(scored?.data[2]); // signal, background, overall
      scores.push(-0.06766283 * raw ** 2 + 1.11546468 * raw + 0.04602535); // the published fit to listeners' scores
    }
    return scores.reduce((sum, score) => sum + score, 0) / scores.length;
  };
}

/** Amplitude below which the beginning and the end of speech are silence. */
const AUDIBLE = 0.003;
/** Samples of silence on each side. */
const SILENCE = MODEL_HZ / 5;

/**
 * Speech with 0.2 s of silence on each side, whatever silence it had. DNSMOS prefers speech with silence around it, so two voices
 * are compared with equal silences.
 */
export function betweenSilences(samples: Float32Array): Float32Array {
  const isAudible = (sample: number) => Math.abs(sample) > AUDIBLE;
  const first = samples.findIndex(isAudible);
  if (first < 0) return new Float32Array(2 * SILENCE);
  const speech = samples.subarray(first, samples.findLastIndex(isAudible) + 1);
  const padded = new Float32Array(speech.length + 2 * SILENCE);
  padded.set(speech, SILENCE);
  return padded;
}
