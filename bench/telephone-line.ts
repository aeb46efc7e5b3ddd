import { CALL_HZ, MODEL_HZ } from "../src/audio/format.ts";
import { LowBandEqualizer } from "../src/audio/low-band-equalizer.ts";
import { floatToInt16, int16ToFloat } from "../src/audio/pcm16.ts";
import { resampleAll } from "../src/audio/resampler.ts";
import { highPass, lowPass, Section } from "../src/audio/second-order-section.ts";
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
  const limited = samples.slice();
  for (const quality of SECTIONS) {
    new Section(highPass(LOWEST_HZ, quality, MODEL_HZ)).process(limited);
    new Section(lowPass(HIGHEST_HZ, quality, MODEL_HZ)).process(limited);
  }
  const call = resampleAll(limited, MODEL_HZ, CALL_HZ);
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
