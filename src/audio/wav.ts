import { OakError } from "../shared/errors.ts";
import { floatToPcm16 } from "./pcm16.ts";

/** RIFF/WAVE files for tools and tests; the service itself speaks raw PCM. */
export interface WavAudio {
  /** Mono, -1 to 1. */
  readonly samples: Float32Array;
  readonly sampleRateHz: number;
}

const FORMAT_PCM = 1;
const FORMAT_FLOAT = 3;
const FORMAT_EXTENSIBLE = 0xfffe;
const HEADER_BYTES = 44;
/** Rates outside these limits mean a damaged header. A small file at 1 Hz would become hours of samples when it is resampled. */
const MIN_RATE_HZ = 1_000;
const MAX_RATE_HZ = 768_000;

/** PCM of 16, 24 or 32 bits and float32, any rate; channels are averaged. Throws OakError `WAV_INVALID`. */
export function readWav(bytes: Uint8Array): WavAudio {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || tag(view, 0) !== "RIFF" || tag(view, 8) !== "WAVE")
    throw invalid("it does not begin with RIFF ... WAVE");

  let format: WavFormat | undefined;
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = tag(view, at);
    const body = at + 8;
    const size = view.getUint32(at + 4, true);
    if (name === "fmt ") {
      format = readFormat(view, body, size);
    } else if (name === "data") {
      if (format === undefined) throw invalid("its data come before their format");
      // Recorders that stream leave 0 or 2^32 - 1 here: everything up to the end is data then.
      const length = size === 0 ? bytes.length - body : Math.min(size, bytes.length - body);
      return { samples: readSamples(view, body, length, format), sampleRateHz: format.sampleRateHz };
    }
    at = body + size + (size % 2);
  }
  throw invalid("it has no data");
}

/** PCM16; clamps. With several channels the samples are interleaved. */
export function writeWav({ samples, sampleRateHz }: WavAudio, channels = 1): Uint8Array {
  const dataBytes = samples.length * 2;
  const bytes = new Uint8Array(HEADER_BYTES + dataBytes);
  const view = new DataView(bytes.buffer);
  setTag(bytes, 0, "RIFF");
  view.setUint32(4, HEADER_BYTES - 8 + dataBytes, true);
  setTag(bytes, 8, "WAVE");
  setTag(bytes, 12, "fmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, FORMAT_PCM, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * 2 * channels, true);
  view.setUint16(32, 2 * channels, true);
  view.setUint16(34, 16, true);
  setTag(bytes, 36, "data");
  view.setUint32(40, dataBytes, true);
  floatToPcm16(samples, bytes.subarray(HEADER_BYTES));
  return bytes;
}

interface WavFormat {
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly bytesPerSample: number;
  readonly read: (view: DataView, at: number) => number;
}

function readFormat(view: DataView, at: number, size: number): WavFormat {
  if (size < 16 || at + size > view.byteLength) throw invalid("its format chunk is cut off");
  const declared = view.getUint16(at, true);
  const code = declared === FORMAT_EXTENSIBLE && size >= 26 ? view.getUint16(at + 24, true) : declared;
  const channels = view.getUint16(at + 2, true);
  const sampleRateHz = view.getUint32(at + 4, true);
  const bits = view.getUint16(at + 14, true);
  const read = sampleReader(code, bits);
  const isRate = sampleRateHz >= MIN_RATE_HZ && sampleRateHz <= MAX_RATE_HZ;
  if (read === undefined || channels === 0 || !isRate) {
    throw invalid(
      `format ${code}, ${bits} bits, ${channels} channels, ${sampleRateHz} Hz is not one of PCM 16/24/32 or float32 at ${MIN_RATE_HZ} to ${MAX_RATE_HZ} Hz`,
    );
  }
  return { channels, sampleRateHz, bytesPerSample: bits / 8, read };
}

function sampleReader(code: number, bits: number): WavFormat["read"] | undefined {
  if (code === FORMAT_FLOAT && bits === 32) return (view, at) => view.getFloat32(at, true);
  if (code !== FORMAT_PCM) return undefined;
  if (bits === 16) return (view, at) => view.getInt16(at, true) / 2 ** 15;
  if (bits === 24) return (view, at) => (view.getUint16(at, true) + view.getInt8(at + 2) * 2 ** 16) / 2 ** 23;
  if (bits === 32) return (view, at) => view.getInt32(at, true) / 2 ** 31;
  return undefined;
}

function readSamples(view: DataView, start: number, bytes: number, format: WavFormat): Float32Array {
  const { channels, bytesPerSample, read } = format;
  const samples = new Float32Array(Math.floor(bytes / (bytesPerSample * channels)));
  for (let i = 0; i < samples.length; i++) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel++)
      sum += read(view, start + (i * channels + channel) * bytesPerSample);
    samples[i] = sum / channels;
  }
  return samples;
}

function tag(view: DataView, at: number): string {
  return String.fromCharCode(view.getUint8(at), view.getUint8(at + 1), view.getUint8(at + 2), view.getUint8(at + 3));
}

function setTag(bytes: Uint8Array, at: number, name: string): void {
  for (let i = 0; i < name.length; i++) bytes[at + i] = name.charCodeAt(i);
}

function invalid(why: string): OakError {
  return new OakError(`Not a usable WAV file: ${why}. Convert it to 16-bit PCM WAV.`, { code: "WAV_INVALID" });
}
