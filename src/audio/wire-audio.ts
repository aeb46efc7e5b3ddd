import { CALL_HZ } from "./format.ts";
import { decodeG711, encodeG711, type G711Law } from "./g711.ts";
import { floatToInt16, int16ToFloat } from "./pcm16.ts";
import { Resampler } from "./resampler.ts";
import { SampleStream } from "./sample-stream.ts";

/** How a client sends and plays speech: one channel of PCM16 (little-endian) or G.711. */
export interface WireFormat {
  readonly encoding: "pcm16" | G711Law;
  readonly sampleRateHz: number;
}

export const bytesPerMs = ({ encoding, sampleRateHz }: WireFormat): number =>
  ((encoding === "pcm16" ? 2 : 1) * sampleRateHz) / 1000;

/** A caller's stream, from the client's format to `CALL_HZ`. */
export class WireDecoder {
  readonly #encoding: WireFormat["encoding"];
  readonly #stream = new SampleStream();
  readonly #resampler: Resampler;

  constructor({ encoding, sampleRateHz }: WireFormat) {
    this.#encoding = encoding;
    this.#resampler = new Resampler(sampleRateHz, CALL_HZ);
  }

  /** The samples that are known so far. Half a sample and a few milliseconds wait for the next bytes. */
  decode(bytes: Uint8Array): Int16Array {
    const samples = this.#encoding === "pcm16" ? this.#stream.take(bytes) : decodeG711(this.#encoding, bytes);
    return resampled(this.#resampler, samples);
  }

  /** See `SampleStream.forgetHalf`. */
  forgetHalf(): void {
    this.#stream.forgetHalf();
  }

  /** The rest of the stream. A new stream may follow. */
  flush(): Int16Array {
    return toInt16(this.#resampler.flush());
  }
}

/** A stream of speech at `CALL_HZ`, in the client's format. */
export class WireEncoder {
  readonly #encoding: WireFormat["encoding"];
  readonly #resampler: Resampler;

  constructor({ encoding, sampleRateHz }: WireFormat) {
    this.#encoding = encoding;
    this.#resampler = new Resampler(CALL_HZ, sampleRateHz);
  }

  /** The bytes that are known so far; a few milliseconds wait for the next samples. */
  encode(pcm: Int16Array): Uint8Array {
    return this.#bytes(resampled(this.#resampler, pcm));
  }

  /** The rest of the stream. A new stream may follow. */
  flush(): Uint8Array {
    return this.#bytes(toInt16(this.#resampler.flush()));
  }

  #bytes(samples: Int16Array): Uint8Array {
    if (this.#encoding !== "pcm16") return encodeG711(this.#encoding, samples);
    return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
  }
}

/** Equal rates: the samples themselves. */
function resampled(resampler: Resampler, samples: Int16Array): Int16Array {
  if (resampler.delaySamples === 0) return samples;
  const floats = new Float32Array(samples.length);
  int16ToFloat(samples, floats);
  return toInt16(resampler.process(floats));
}

function toInt16(samples: Float32Array): Int16Array {
  const pcm = new Int16Array(samples.length);
  floatToInt16(samples, pcm);
  return pcm;
}
