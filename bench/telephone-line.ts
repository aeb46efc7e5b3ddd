import { CALL_HZ, MODEL_HZ } from "../src/audio/format.ts";
import { LowBandEqualizer } from "../src/audio/low-band-equalizer.ts";
import { floatToInt16, int16ToFloat } from "../src/audio/pcm16.ts";
import { resampleAll } from "../src/audio/resampler.ts";
import { WireDecoder, WireEncoder, type WireFormat } from "../src/audio/wire-audio.ts";

const MU_LAW: WireFormat = { encoding: "ulaw", sampleRateHz: 8_000 };
const LOWEST_HZ = 300;
const HIGHEST_HZ = 3_400;
/** Quality of the two sections of a Butterworth filter of order 4. */
const SECTIONS = [0.5412, 1.3066];

/**
 * Speech at `MODEL_HZ` after a telephone line, as the models get it: 300 to 3,400 Hz, mu-law at 8 kHz, and back. The equaliser is
 * that of the caller.
 */
export function overTelephone(samples: Float32Array, equalizer = new LowBandEqualizer(CALL_HZ)): Float32Array {
  const limited = Float64Array.from(samples);
  for (const quality of SECTIONS) {
    filter(limited, LOWEST_HZ, quality, "high-pass");
    filter(limited, HIGHEST_HZ, quality, "low-pass");
  }
  const call = resampleAll(Float32Array.from(limited), MODEL_HZ, CALL_HZ);
  const pcm = new Int16Array(call.length);
  floatToInt16(call, pcm);
  const encoder = new WireEncoder(MU_LAW);
  const decoder = new WireDecoder(MU_LAW);
  const parts = [encoder.encode(pcm), encoder.flush()].map((bytes) => decoder.decode(bytes));
  const heard = Int16Array.from([...parts, decoder.flush()].flatMap((part) => [...part]));
  const floats = new Float32Array(heard.length);
  int16ToFloat(equalizer.process(heard), floats);
  return resampleAll(floats, CALL_HZ, MODEL_HZ).subarray(0, samples.length);
}

/** One second-order section, in place. Formulas: R. Bristow-Johnson's audio equaliser cookbook. */
function filter(samples: Float64Array, hz: number, quality: number, kind: "high-pass" | "low-pass"): void {
  const angle = (2 * Math.PI * hz) / MODEL_HZ;
  const cosine = Math.cos(angle);
  const alpha = Math.sin(angle) / (2 * quality);
  const a0 = 1 + alpha;
  const edge = (kind === "low-pass" ? (1 - cosine) / 2 : (1 + cosine) / 2) / a0;
  const middle = (kind === "low-pass" ? 2 : -2) * edge;
  const a1 = (-2 * cosine) / a0;
  const a2 = (1 - alpha) / a0;
  let [x1, x2, y1, y2] = [0, 0, 0, 0];
  for (const [at, x] of samples.entries()) {
    const y = edge * x + middle * x1 + edge * x2 - a1 * y1 - a2 * y2;
    [x2, x1, y2, y1] = [x1, x, y1, y];
    samples[at] = y;
  }
}
