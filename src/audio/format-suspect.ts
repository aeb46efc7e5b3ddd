import { ArrivalPace } from "./arrival-pace.ts";
import { containerFormat, isRightWav } from "./container-format.ts";
import { SampleFormat } from "./sample-format.ts";
import { SpeechRate } from "./speech-rate.ts";

export interface Suspicion {
  /** The format that the audio seems to have. */
  readonly looksLike: string;
  /** The format to send instead. */
  readonly advice: string;
}

const ADVICE = "Send 16-bit little-endian mono PCM at 24000 Hz, without a header.";
/** Number of first messages that may begin with a file header. */
const FIRST_MESSAGES = 20;
/** After this many messages with half a sample, noise counts as compressed audio. */
const ODD_MESSAGES = 3;

interface Analysis {
  readonly samples: SampleFormat;
  readonly rate: SpeechRate;
  readonly pace: ArrivalPace;
}

/** Checks the first seconds of a caller's audio for a wrong format. Audio in the right format is never suspected. */
export class FormatSuspect {
  /** Released after the verdict, because a call may last for hours. */
  #analysis: Analysis | undefined = { samples: new SampleFormat(), rate: new SpeechRate(), pace: new ArrivalPace() };
  #messages = 0;
  #oddMessages = 0;
  /** First byte of a sample whose second byte is in the next message; -1: none. */
  #half = -1;

  /** Takes one unmodified message of audio. Returns a suspicion at most once and stops analysing after it. */
  push(bytes: Uint8Array, nowMs: number): Suspicion | undefined {
    if (this.#analysis === undefined) return undefined;
    const suspicion = this.#suspect(this.#analysis, bytes, nowMs);
    if (suspicion !== undefined || (this.#analysis.samples.isDone && this.#analysis.rate.isDone))
      this.#analysis = undefined;
    return suspicion;
  }

  #suspect({ samples, rate, pace }: Analysis, bytes: Uint8Array, nowMs: number): Suspicion | undefined {
    this.#messages += 1;
    if (bytes.length % 2 === 1) this.#oddMessages += 1;
    const container = this.#messages <= FIRST_MESSAGES ? containerFormat(bytes) : undefined;
    if (container !== undefined) return ofContainer(container, bytes);
    pace.push(bytes.length, nowMs);
    const format = samples.push(bytes);
    if (format !== undefined) return { looksLike: `${format} samples`, advice: ADVICE };
    if (this.#oddMessages >= ODD_MESSAGES && samples.isNoise)
      return { looksLike: "compressed audio, such as Opus packets", advice: `Decode it. ${ADVICE}` };
    const wrongRate = rate.push(this.#toSamples(bytes), pace.value);
    if (wrongRate === undefined) return undefined;
    return { looksLike: `16-bit PCM at ${wrongRate}`, advice: `Resample it to 24000 Hz. ${ADVICE}` };
  }

  #toSamples(bytes: Uint8Array): Int16Array {
    const carried = this.#half === -1 ? 0 : 1;
    const samples = new Int16Array((bytes.length + carried) >> 1);
    let low = this.#half;
    let count = 0;
    for (const byte of bytes) {
      if (low === -1) low = byte;
      else {
        samples[count++] = (byte << 8) | low;
        low = -1;
      }
    }
    this.#half = low;
    return samples;
  }
}

function ofContainer(looksLike: string, bytes: Uint8Array): Suspicion {
  if (isRightWav(bytes)) return { looksLike, advice: "The samples are right: leave out the file header." };
  return { looksLike, advice: `Decode it first. ${ADVICE}` };
}
