import { CALL_HZ } from "../format.ts";
import { ArrivalPace } from "./arrival-pace.ts";
import { containerFormat, isRightWav } from "./container-format.ts";
import { SampleFormat } from "./sample-format.ts";
import { SampleStream } from "../sample-stream.ts";
import { SpeechRate } from "../speech-rate.ts";
import type { WireFormat } from "../wire-audio.ts";

/** The text of an error about it. */
export const describeSuspicion = ({ looksLike, advice }: Suspicion): string =>
  `The audio looks like ${looksLike}. ${advice}`;

export interface Suspicion {
  /** The format that the audio seems to have. */
  readonly looksLike: string;
  /** The format to send instead. */
  readonly advice: string;
}

const SAMPLES: Readonly<Record<WireFormat["encoding"], string>> = {
  pcm16: "16-bit little-endian mono PCM",
  ulaw: "8-bit mu-law",
  alaw: "8-bit A-law",
};
const CALL_FORMAT: WireFormat = { encoding: "pcm16", sampleRateHz: CALL_HZ };
const G711: ReadonlySet<string> = new Set(["8-bit mu-law", "8-bit A-law"]);
/** Number of first messages that may begin with a file header. */
const FIRST_MESSAGES = 20;
/** After this many messages with half a sample, noise counts as compressed audio. */
const ODD_MESSAGES = 3;

interface Analysis {
  readonly samples: SampleFormat;
  /** Undefined where the rate cannot be checked. */
  readonly rate: { readonly speech: SpeechRate; readonly pace: ArrivalPace } | undefined;
}

/**
 * Checks the first seconds of a caller's audio for a wrong format. Audio in the right format is never suspected. A wrong sample rate
 * is recognised where `CALL_HZ` is right.
 */
export class FormatSuspect {
  /** Released after the verdict, because a call may last for hours. */
  #analysis: Analysis | undefined;
  readonly #format: WireFormat;
  readonly #advice: string;
  #messages = 0;
  #oddMessages = 0;
  readonly #stream = new SampleStream();

  constructor(format: WireFormat = CALL_FORMAT) {
    this.#format = format;
    const isCallRate = format.encoding === "pcm16" && format.sampleRateHz === CALL_HZ;
    const rate = isCallRate ? { speech: new SpeechRate(), pace: new ArrivalPace() } : undefined;
    this.#analysis = { samples: new SampleFormat(), rate };
    this.#advice = `Send ${SAMPLES[format.encoding]} at ${String(format.sampleRateHz)} Hz, without a header.`;
  }

  /** Takes one unmodified message of audio. Returns a suspicion at most once and stops analysing after it. */
  push(bytes: Uint8Array, nowMs: number): Suspicion | undefined {
    if (this.#analysis === undefined) return undefined;
    const suspicion = this.#suspect(this.#analysis, bytes, nowMs);
    const { samples, rate } = this.#analysis;
    if (suspicion !== undefined || (samples.isDone && rate?.speech.isDone !== false)) this.#analysis = undefined;
    return suspicion;
  }

  /** The next byte begins a sample. */
  forgetHalf(): void {
    this.#stream.forgetHalf();
    this.#analysis?.samples.forgetHalf();
  }

  #suspect({ samples, rate }: Analysis, bytes: Uint8Array, nowMs: number): Suspicion | undefined {
    this.#messages += 1;
    if (bytes.length % 2 === 1) this.#oddMessages += 1;
    const container = this.#messages <= FIRST_MESSAGES ? containerFormat(bytes) : undefined;
    if (container !== undefined) return this.#ofContainer(container, bytes);
    const format = samples.push(bytes);
    if (this.#format.encoding !== "pcm16") return this.#notG711(format, samples);
    if (format !== undefined) return { looksLike: `${format} samples`, advice: this.#advice };
    if (this.#oddMessages >= ODD_MESSAGES && samples.isNoise)
      return { looksLike: "compressed audio, such as Opus packets", advice: `Decode it. ${this.#advice}` };
    rate?.pace.push(bytes.length, nowMs);
    const wrongRate = rate?.speech.push(this.#stream.take(bytes), rate.pace.value);
    if (wrongRate === undefined) return undefined;
    return { looksLike: `16-bit PCM at ${wrongRate}`, advice: `Resample it to 24000 Hz. ${this.#advice}` };
  }

  /** Both laws make a wave of each other's bytes, so the other law is not suspected. */
  #notG711(format: string | undefined, samples: SampleFormat): Suspicion | undefined {
    if (format !== undefined && !G711.has(format)) return { looksLike: `${format} samples`, advice: this.#advice };
    return samples.isPcm16 ? { looksLike: "16-bit PCM", advice: this.#advice } : undefined;
  }

  #ofContainer(looksLike: string, bytes: Uint8Array): Suspicion {
    if (this.#format.encoding === "pcm16" && this.#format.sampleRateHz === CALL_HZ && isRightWav(bytes))
      return { looksLike, advice: "The samples are right: leave out the file header." };
    return { looksLike, advice: `Decode it first. ${this.#advice}` };
  }
}
