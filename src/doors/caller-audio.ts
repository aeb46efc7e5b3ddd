import { CALL_HZ } from "../audio/format.ts";
import { LowBandEqualizer } from "../audio/low-band-equalizer.ts";
import { WireDecoder, type WireFormat } from "../audio/wire-audio.ts";

/** Sample rate of telephone lines, Hz. They may have cut the low frequencies. */
const NARROW_HZ = 8_000;

/** Decodes a caller's audio to `CALL_HZ`. Restores the low frequencies that a telephone line has cut. */
export class CallerAudio {
  readonly #decoder: WireDecoder;
  readonly #equalizer: LowBandEqualizer | undefined;

  constructor(format: WireFormat) {
    this.#decoder = new WireDecoder(format);
    this.#equalizer = format.sampleRateHz === NARROW_HZ ? new LowBandEqualizer(CALL_HZ) : undefined;
  }

  decode(bytes: Uint8Array): Int16Array {
    const pcm = this.#decoder.decode(bytes);
    return this.#equalizer?.process(pcm) ?? pcm;
  }

  /** See `SampleStream.forgetHalf`. */
  forgetHalf(): void {
    this.#decoder.forgetHalf();
  }
}
