import { spawnSync } from "node:child_process";
import { resampleAll } from "../../src/audio/resampler.ts";
import { writeWav } from "../../src/audio/wav.ts";
import { MATERIAL_HZ, toInt16 } from "./material.ts";

export interface WrongFormat {
  readonly name: string;
  /** Part of the format name that the detector must return. */
  readonly expected: RegExp;
  readonly bytesPerSecond: number;
  readonly isContainer?: boolean;
  readonly encode: (sound: Float32Array) => Uint8Array;
}

const right = (sound: Float32Array) => resampleAll(sound, MATERIAL_HZ, 24_000);
const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => new Uint8Array(buffer, byteOffset, byteLength);
const swapped = (samples: Int16Array) => new Uint8Array(Buffer.from(bytesOf(samples)).swap16());
const pcm = (hz: number) => (sound: Float32Array) => bytesOf(toInt16(sound, MATERIAL_HZ, hz));

const stereo = (other: (samples: Int16Array, index: number) => number) => (sound: Float32Array) => {
  const left = toInt16(sound, MATERIAL_HZ, 24_000);
  const both = new Int16Array(2 * left.length);
  for (const [index, sample] of left.entries()) {
    both[2 * index] = sample;
    both[2 * index + 1] = other(left, index);
  }
  return bytesOf(both);
};

/** ffmpeg encodes the other formats. */
function ffmpeg(sound: Float32Array, ...output: string[]): Uint8Array {
  const input = ["-v", "error", "-f", "f32le", "-ar", String(MATERIAL_HZ), "-ac", "1", "-i", "-"];
  const { status, stdout, stderr } = spawnSync("ffmpeg", [...input, ...output, "-"], {
    input: bytesOf(sound),
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`ffmpeg cannot encode ${output.join(" ")}: ${String(stderr)}`);
  return new Uint8Array(stdout);
}

const wav = (sound: Float32Array, sampleRateHz: number) =>
  writeWav({ samples: resampleAll(sound, MATERIAL_HZ, sampleRateHz), sampleRateHz });

export const WRONG_FORMATS: readonly WrongFormat[] = [
  { name: "float32", expected: /^32-bit float/u, bytesPerSecond: 96_000, encode: (sound) => bytesOf(right(sound)) },
  {
    name: "float64",
    expected: /^64-bit float/u,
    bytesPerSecond: 192_000,
    encode: (sound) => bytesOf(Float64Array.from(right(sound))),
  },
  {
    name: "int16 big-endian",
    expected: /big-endian/u,
    bytesPerSecond: 48_000,
    encode: (sound) => swapped(toInt16(sound, MATERIAL_HZ, 24_000)),
  },
  {
    name: "int32",
    expected: /^32-bit integer/u,
    bytesPerSecond: 96_000,
    encode: (sound) => bytesOf(Int32Array.from(right(sound), (sample) => sample * 2 ** 31 * 0.99)),
  },
  {
    name: "int24",
    expected: /^24-bit/u,
    bytesPerSecond: 72_000,
    encode: (sound) => ffmpeg(sound, "-ar", "24000", "-f", "s24le"),
  },
  {
    name: "mu-law 8 kHz",
    expected: /mu-law/u,
    bytesPerSecond: 8_000,
    encode: (sound) => ffmpeg(sound, "-ar", "8000", "-f", "mulaw"),
  },
  {
    name: "A-law 8 kHz",
    expected: /A-law/u,
    bytesPerSecond: 8_000,
    encode: (sound) => ffmpeg(sound, "-ar", "8000", "-f", "alaw"),
  },
  {
    name: "8-bit PCM 8 kHz",
    expected: /8-bit PCM/u,
    bytesPerSecond: 8_000,
    encode: (sound) => ffmpeg(sound, "-ar", "8000", "-f", "u8"),
  },
  { name: "stereo, alike", expected: /stereo/u, bytesPerSecond: 96_000, encode: stereo((left, index) => left[index]!) },
  {
    name: "stereo, nearly alike",
    expected: /stereo/u,
    bytesPerSecond: 96_000,
    encode: stereo((left, index) => left[index]! * 0.85 + ((index * 7919) % 41) - 20),
  },
  {
    name: "stereo, different",
    expected: /stereo/u,
    bytesPerSecond: 96_000,
    encode: stereo((left, index) => left[Math.max(0, index - 240)]! * 0.7),
  },
  {
    name: "base64 text",
    expected: /base64/u,
    bytesPerSecond: 64_000,
    encode: (sound) => Buffer.from(Buffer.from(bytesOf(toInt16(sound, MATERIAL_HZ, 24_000))).toString("base64")),
  },
  { name: "8 kHz", expected: /at 8000 Hz/u, bytesPerSecond: 16_000, encode: pcm(8_000) },
  { name: "16 kHz", expected: /at .*16000 Hz/u, bytesPerSecond: 32_000, encode: pcm(16_000) },
  { name: "44.1 kHz", expected: /44100 Hz/u, bytesPerSecond: 88_200, encode: pcm(44_100) },
  { name: "48 kHz", expected: /at .*48000 Hz/u, bytesPerSecond: 96_000, encode: pcm(48_000) },
  {
    name: "WAV, right samples",
    isContainer: true,
    expected: /WAV.*24000 Hz/u,
    bytesPerSecond: 48_000,
    encode: (sound) => wav(sound, 24_000),
  },
  {
    name: "WAV, 16 kHz",
    isContainer: true,
    expected: /WAV.*16000 Hz/u,
    bytesPerSecond: 32_000,
    encode: (sound) => wav(sound, 16_000),
  },
  {
    name: "WebM",
    isContainer: true,
    expected: /WebM/u,
    bytesPerSecond: 5_000,
    encode: (sound) => ffmpeg(sound, "-c:a", "libopus", "-f", "webm"),
  },
  {
    name: "Ogg Opus",
    isContainer: true,
    expected: /Ogg Opus/u,
    bytesPerSecond: 5_000,
    encode: (sound) => ffmpeg(sound, "-c:a", "libopus", "-f", "ogg"),
  },
  {
    name: "MP4",
    isContainer: true,
    expected: /MP4/u,
    bytesPerSecond: 9_000,
    encode: (sound) => ffmpeg(sound, "-c:a", "aac", "-f", "mp4", "-movflags", "frag_keyframe+empty_moov"),
  },
  {
    name: "AAC",
    isContainer: true,
    expected: /AAC/u,
    bytesPerSecond: 9_000,
    encode: (sound) => ffmpeg(sound, "-c:a", "aac", "-f", "adts"),
  },
  {
    name: "MP3",
    isContainer: true,
    expected: /MP3/u,
    bytesPerSecond: 8_000,
    encode: (sound) => ffmpeg(sound, "-c:a", "libmp3lame", "-f", "mp3"),
  },
  {
    name: "MP3 without ID3",
    isContainer: true,
    expected: /MP3/u,
    bytesPerSecond: 8_000,
    encode: (sound) => ffmpeg(sound, "-c:a", "libmp3lame", "-id3v2_version", "0", "-write_xing", "0", "-f", "mp3"),
  },
  {
    name: "FLAC",
    isContainer: true,
    expected: /FLAC/u,
    bytesPerSecond: 25_000,
    encode: (sound) => ffmpeg(sound, "-c:a", "flac", "-f", "flac"),
  },
];
