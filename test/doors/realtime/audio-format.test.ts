import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { encodeG711 } from "../../../src/audio/g711.ts";
import { floatToInt16 } from "../../../src/audio/pcm16.ts";
import { resampleAll } from "../../../src/audio/resampler.ts";
import { readWav } from "../../../src/audio/wav.ts";
import { clip } from "../../support/audio.ts";
import { scriptedRealtime } from "../../support/scripted-realtime.ts";

const wav = readFileSync(new URL("../../audio/kathleen-a0005.wav", import.meta.url));
const { samples, sampleRateHz } = readWav(wav);
const bytesOf = (view: ArrayBufferView) => Buffer.from(view.buffer, view.byteOffset, view.byteLength);
const narrow = new Int16Array(resampleAll(samples, sampleRateHz, 8_000).length);
floatToInt16(resampleAll(samples, sampleRateHz, 8_000), narrow);
const muLaw = Buffer.from(encodeG711("ulaw", narrow));
const pcm = clip("kathleen-a0005.wav");

/** Sends the audio four times, 100 ms a message. Returns the errors. */
async function errorsOf(audio: Buffer, format?: string) {
  const { update, send, all, clock, settle } = scriptedRealtime();
  if (format !== undefined) update({ audio: { input: { format: { type: format } } } });
  for (let round = 0; round < 4; round += 1)
    for (let at = 0; at < audio.length; at += 4_799) {
      send("input_audio_buffer.append", { audio: audio.subarray(at, at + 4_799).toString("base64") });
      clock.advance(100);
      await settle();
    }
  return all("error").map(({ error }) => error);
}

test.each<[string, Buffer, string | undefined, RegExp]>([
  ["32-bit float", bytesOf(resampleAll(samples, sampleRateHz, 24_000)), undefined, /float/u],
  ["16-bit big-endian", Buffer.from(pcm).swap16(), undefined, /big-endian/u],
  ["mu-law sent as PCM", muLaw, undefined, /mu-law/u],
  ["a WAV file", wav, undefined, /WAV/u],
  ["PCM sent as mu-law", pcm, "audio/pcmu", /16-bit PCM/u],
  ["PCM sent as A-law", pcm, "audio/pcma", /16-bit PCM/u],
  ["a WAV file sent as mu-law", wav, "audio/pcmu", /WAV/u],
])("%s: one error names the format that the audio seems to have", async (_, audio, format, named) => {
  const errors = await errorsOf(audio, format);
  expect(errors).toMatchObject([{ code: "audio_format_suspect", message: expect.stringMatching(named) as string }]);
});

test.each<[string, Buffer, string | undefined]>([
  ["PCM", pcm, undefined],
  ["mu-law", muLaw, "audio/pcmu"],
  ["A-law", Buffer.from(encodeG711("alaw", narrow)), "audio/pcma"],
])("%s in its own format has no error", async (_, audio, format) => {
  expect(await errorsOf(audio, format)).toEqual([]);
});
