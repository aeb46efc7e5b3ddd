import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FormatSuspect, type Suspicion } from "../../../src/audio/format-check/format-suspect.ts";
import { floatToPcm16 } from "../../../src/audio/pcm16.ts";
import { resampleAll } from "../../../src/audio/resampler.ts";
import { readWav, writeWav } from "../../../src/audio/wav.ts";
import { seededRandom } from "../../../src/simulated-callers/random.ts";
import { music, singing, testSignal } from "../../../bench/audio-format/synthetic.ts";

const recording = (name: string) => readWav(readFileSync(join(import.meta.dirname, "..", name)));
const speech = recording("kathleen-a0005.wav");
const at = (hz: number) => resampleAll(speech.samples, speech.sampleRateHz, hz);
const pcm = (samples: Float32Array): Uint8Array => {
  const bytes = new Uint8Array(2 * samples.length);
  floatToPcm16(samples, bytes);
  return bytes;
};
const bytesOf = (view: ArrayBufferView) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
const ascii = (text: string) => Buffer.concat([Buffer.from(text, "latin1"), Buffer.alloc(200, 7)]);

/** All findings about a stream. @param msPerChunk Time between two chunks. 0 sends all at once. */
function suspicions(bytes: Uint8Array, msPerChunk = 0, chunkBytes = 4800): Suspicion[] {
  const suspect = new FormatSuspect();
  const found: Suspicion[] = [];
  for (let from = 0, nowMs = 0; from < bytes.length; from += chunkBytes, nowMs += msPerChunk) {
    const suspicion = suspect.push(bytes.subarray(from, from + chunkBytes), nowMs);
    if (suspicion !== undefined) found.push(suspicion);
  }
  return found;
}

const interleaved = (left: Float32Array, right: Float32Array) =>
  Float32Array.from({ length: 2 * left.length }, (_, i) => (i % 2 === 0 ? left : right)[i >> 1] ?? 0);
const muLaw = (sample: number) => {
  const magnitude = Math.min(32_635, Math.abs(Math.round(sample * 32_768))) + 132;
  const exponent = 31 - Math.clz32(magnitude) - 7;
  return ~((sample < 0 ? 128 : 0) | (exponent << 4) | ((magnitude >> (exponent + 3)) & 15)) & 255;
};

describe("sample formats", () => {
  const right = at(24_000);
  const later = Float32Array.from(right, (_, i) => 0.7 * (right[i - 2400] ?? 0));
  test.each<[string, Uint8Array]>([
    ["32-bit float", bytesOf(right)],
    ["64-bit float", bytesOf(Float64Array.from(right))],
    ["32-bit integer", bytesOf(Int32Array.from(right, (sample) => sample * 2 ** 31))],
    ["16-bit big-endian", bytesOf(Buffer.from(pcm(right)).swap16())],
    ["8-bit mu-law", Uint8Array.from(at(8_000), muLaw)],
    ["8-bit PCM", Uint8Array.from(at(8_000), (sample) => 128 + Math.round(127 * sample))],
    ["stereo", pcm(interleaved(right, right))],
    ["stereo", pcm(interleaved(right, later))],
    ["base64", Buffer.from(Buffer.from(pcm(right)).toString("base64"))],
  ])("%s is named once, within two seconds", (name, bytes) => {
    const two = bytes.subarray(0, Math.floor((bytes.length * 2 * 24_000) / right.length));
    expect(suspicions(two)[0]?.looksLike).toContain(name);
    expect(suspicions(bytes)).toHaveLength(1);
    // Leading silence changes nothing.
    const quiet = name.startsWith("8-bit") || name === "base64" ? new Uint8Array() : new Uint8Array(480_000);
    expect(suspicions(Buffer.concat([quiet, bytes]))[0]?.looksLike).toContain(name);
  });
});

describe("containers", () => {
  test.each([
    ["WebM", "\x1a\x45\xdf\xa3"],
    ["Ogg", "OggS\0\x02"],
    ["MP4", "\0\0\0\x18ftypiso5"],
    ["MP3", "ID3\x04\0"],
    ["FLAC", "fLaC\0"],
    ["AIFF", "FORM\0\0\0\0AIFF"],
    ["JSON", '{"type":"audio_input"}'],
  ])("the first bytes identify %s", (name, start) => {
    expect(suspicions(ascii(start))).toEqual([expect.objectContaining({ looksLike: expect.stringContaining(name) })]);
  });

  test("the finding names the format of a WAV file, or only its header when the format is right", () => {
    const [wrong] = suspicions(writeWav({ samples: at(16_000), sampleRateHz: 16_000 }));
    expect(wrong?.looksLike).toBe("a WAV file (PCM, 16 bits, 1 channel, 16000 Hz)");
    expect(wrong?.advice).toContain("24000 Hz");
    const [right] = suspicions(writeWav({ samples: at(24_000), sampleRateHz: 24_000 }));
    expect(right?.looksLike).toContain("24000 Hz");
    expect(right?.advice).toBe("The samples are right: leave out the file header.");
  });

  test("random bytes with odd packet lengths count as compressed audio", () => {
    const random = seededRandom(1);
    const suspect = new FormatSuspect();
    const found = Array.from({ length: 60 }, (_, i) =>
      suspect.push(
        Uint8Array.from({ length: 120 + (i % 7) }, () => 256 * random()),
        20 * i,
      ),
    );
    expect(found.findIndex((suspicion) => suspicion !== undefined)).toBeLessThan(40);
    expect(found.find((suspicion) => suspicion !== undefined)?.looksLike).toContain("compressed");
  });
});

describe("sample rates", () => {
  test.each([8_000, 48_000])("speech at %i Hz is found by its sound and the pace of the client", (hz) => {
    const twice = Buffer.concat([pcm(at(hz)), pcm(at(hz))]);
    const [suspicion] = suspicions(twice, 100, hz / 5);
    expect(suspicion?.looksLike).toBe(`16-bit PCM at ${hz} Hz`);
    expect(suspicion?.advice).toContain("Resample it to 24000 Hz");
  });
});

describe("the right format", () => {
  const quiet = (samples: Float32Array) => samples.map((sample) => sample / 40);
  test.each<[string, Float32Array]>([
    ["speech", at(24_000)],
    ["speech that was recorded at 8 kHz", resampleAll(at(8_000), 8_000, 24_000)],
    ["quiet speech", quiet(at(24_000))],
    ["clipped speech", at(24_000).map((sample) => sample * 30)],
    ["speech with an offset", at(24_000).map((sample) => sample / 2 + 0.2)],
    ["zeros", new Float32Array(240_000)],
    ["a constant", new Float32Array(240_000).fill(0.4)],
    ...Array.from({ length: 24 }, (_, seed): [string, Float32Array] => [
      `sound ${String(seed)}`,
      resampleAll([music, singing, testSignal][seed % 3]!(seed, 4), 48_000, 24_000),
    ]),
  ])("%s is never suspected, at any pace", (_, samples) => {
    for (const msPerChunk of [0, 50, 100, 150, 300]) expect(suspicions(pcm(samples), msPerChunk)).toEqual([]);
  });

  test("speech in messages that split samples is not suspected", () => {
    expect(suspicions(pcm(at(24_000)), 100, 4801)).toEqual([]);
  });
});
