import { expect, test } from "vitest";
import { readWav, writeWav } from "../../src/audio/wav.ts";
import { noise } from "./signals.ts";

interface Layout {
  readonly code: number;
  readonly bits: number;
  readonly channels: number;
  readonly data: Buffer;
  readonly extra?: Buffer;
  readonly declaredSize?: number;
  readonly extensible?: boolean;
}

const chunk = (name: string, body: Buffer, size = body.length): Buffer => {
  const head = Buffer.from(`${name}\0\0\0\0`, "latin1");
  head.writeUInt32LE(size, 4);
  return Buffer.concat([head, body]);
};

function wavFile({
  code,
  bits,
  channels,
  data,
  extra = Buffer.alloc(0),
  declaredSize = data.length,
  extensible = false,
}: Layout): Buffer {
  const format = Buffer.alloc(extensible ? 40 : 16);
  format.writeUInt16LE(extensible ? 0xfffe : code, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(22050, 4);
  format.writeUInt16LE(bits, 14);
  if (extensible) format.writeUInt16LE(code, 24);
  return Buffer.concat([
    Buffer.from("RIFF\0\0\0\0WAVE", "latin1"),
    extra,
    chunk("fmt ", format),
    chunk("data", data, declaredSize),
  ]);
}

const int16 = (...values: number[]): Buffer => Buffer.from(Int16Array.from(values).buffer);

test("a written WAV file reads back equal", () => {
  const samples = noise(1001).map((sample) => Math.round(sample * 32768) / 32768);
  expect(readWav(writeWav({ samples, sampleRateHz: 24000 }))).toEqual({ samples, sampleRateHz: 24000 });
});

test("24-bit, 32-bit, float and extensible files can be read", () => {
  const data24 = Buffer.from([0, 0, 0x40, 0, 0, 0xc0, 1, 0, 0]);
  expect(readWav(wavFile({ code: 1, bits: 24, channels: 1, data: data24 })).samples).toEqual(
    new Float32Array([0.5, -0.5, 2 ** -23]),
  );
  const data32 = Buffer.from(Int32Array.from([2 ** 30, -(2 ** 31)]).buffer);
  expect(readWav(wavFile({ code: 1, bits: 32, channels: 1, data: data32 })).samples).toEqual(
    new Float32Array([0.5, -1]),
  );
  const dataFloat = Buffer.from(Float32Array.from([0.25, -0.75]).buffer);
  for (const extensible of [false, true]) {
    expect(readWav(wavFile({ code: 3, bits: 32, channels: 1, data: dataFloat, extensible })).samples).toEqual(
      new Float32Array([0.25, -0.75]),
    );
  }
});

test("stereo becomes mono, and other chunks are skipped with their pad byte", () => {
  const extra = Buffer.from("LIST\x03\0\0\0abc\0", "latin1");
  const audio = readWav(wavFile({ code: 1, bits: 16, channels: 2, data: int16(16384, 0, -16384, -16384), extra }));
  expect(audio).toEqual({ samples: new Float32Array([0.25, -0.5]), sampleRateHz: 22050 });
});

test.each([0, 0xffffffff])("the data size %i of a streaming recorder means the rest of the file", (declaredSize) => {
  const file = wavFile({ code: 1, bits: 16, channels: 1, data: int16(1, 2, 3), declaredSize });
  expect(readWav(file).samples.length).toBe(3);
});

test.each([
  ["no RIFF", Buffer.from("OggS, and then some more bytes")],
  ["a rate of one sample a second", Buffer.from(writeWav({ samples: new Float32Array(9), sampleRateHz: 1 }))],
  [
    "a rate of four thousand million",
    Buffer.from(writeWav({ samples: new Float32Array(9), sampleRateHz: 2 ** 32 - 1 })),
  ],
  ["cut off", wavFile({ code: 1, bits: 16, channels: 1, data: int16(1) }).subarray(0, 30)],
  ["8 bits", wavFile({ code: 1, bits: 8, channels: 1, data: Buffer.alloc(4) })],
  ["no channels", wavFile({ code: 1, bits: 16, channels: 0, data: int16(1) })],
  ["no data", wavFile({ code: 1, bits: 16, channels: 1, data: Buffer.alloc(0) }).subarray(0, 36)],
])("a bad file is refused with a code: %s", (_, file) => {
  expect(() => readWav(file)).toThrow(expect.objectContaining({ code: "WAV_INVALID" }));
});
