import { MODEL_HZ } from "../../../src/audio/format.ts";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { EchoGuard } from "../../../src/conversation/ear/echo-guard.ts";
import { resampleAll } from "../../../src/audio/resampler.ts";
import { trimSilence } from "../../../src/audio/trim-silence.ts";
import { readWav } from "../../../src/audio/wav.ts";
import { overTelephone } from "../../../bench/telephone-line.ts";
import { soundPaths } from "../../support/room.ts";
import { noise } from "../../audio/signals.ts";

const FRAME = 512;
/** Time from sending to playback at the client. */
const SENT_AHEAD = 0.36 * MODEL_HZ;
const CHUNK = 0.12 * MODEL_HZ;

function load(name: string): Float32Array {
  const { samples, sampleRateHz } = readWav(readFileSync(new URL(`../../audio/${name}`, import.meta.url)));
  const speech = resampleAll(samples, sampleRateHz, MODEL_HZ);
  const loud = speech.filter((sample) => Math.abs(sample) > 0.02);
  const rms = Math.sqrt(loud.reduce((sum, sample) => sum + sample * sample, 0) / loud.length);
  return speech.map((sample) => (0.1 * sample) / rms);
}

const REPLY = Float32Array.from(["flite-timer.wav", "flite-lights.wav"].flatMap((name) => [...load(name)]));
const READER = load("stt-reading.wav");

interface Scene {
  /** Echo level relative to the reply's, dB. Without it there is no echo. */
  readonly echoDb?: number;
  readonly delayMs?: number;
  readonly noiseRms?: number;
  readonly reflections?: number;
  /** Start of the caller's voice, seconds. */
  readonly voiceAt?: number;
  /** The microphone is that of a telephone: 300 to 3,400 Hz, mu-law. */
  readonly isTelephone?: boolean;
}

/** Microphone frames that the guard marks as echo. The reply starts after 1 s of room noise. */
function listen({
  echoDb = -Infinity,
  delayMs = 0,
  noiseRms = 0.0003,
  reflections = 0,
  voiceAt,
  isTelephone = false,
}: Scene) {
  const guard = new EchoGuard();
  const heard = noise(MODEL_HZ + REPLY.length + MODEL_HZ, noiseRms);
  const gain = 10 ** (echoDb / 20);
  for (const { afterMs, share } of soundPaths(reflections))
    for (const [at, sample] of REPLY.entries())
      heard[MODEL_HZ + at + Math.round(((delayMs + afterMs) * MODEL_HZ) / 1000)]! += gain * share * sample;
  if (voiceAt !== undefined)
    for (const [at, sample] of READER.subarray(0, 2 * MODEL_HZ).entries()) heard[voiceAt * MODEL_HZ + at]! += sample;
  const microphone = isTelephone ? overTelephone(heard) : heard;
  const echoes: boolean[] = [];
  for (let at = 0, sent = 0; at + FRAME <= microphone.length; at += FRAME) {
    for (; sent < REPLY.length && MODEL_HZ + sent < at + FRAME + SENT_AHEAD; sent += CHUNK)
      guard.played(REPLY.subarray(sent, sent + CHUNK), ((MODEL_HZ + sent) / MODEL_HZ) * 1000);
    echoes.push(guard.heard(microphone.subarray(at, at + FRAME)));
  }
  const share = (fromSeconds: number, toSeconds: number) => {
    const part = echoes.slice((fromSeconds * MODEL_HZ) / FRAME, (toSeconds * MODEL_HZ) / FRAME);
    return part.filter(Boolean).length / part.length;
  };
  return { guard, share, seconds: microphone.length / MODEL_HZ };
}

/** Whether `word` over the reply is suspected as an echo 0.1 s and 1.2 s after its end. The sending pauses 0.15 s after the word's start. */
function suspicionsAfter(word: Float32Array, start: number) {
  const guard = new EchoGuard();
  const end = start + word.length;
  const microphone = noise(end + 1.3 * MODEL_HZ, 0.0003);
  for (const [at, sample] of word.entries()) microphone[start + at]! += sample;
  const suspicions: { at: number; suspected: boolean }[] = [];
  for (let at = 0, sent = 0; at + FRAME <= microphone.length; at += FRAME) {
    for (; sent < Math.min(at, start + 0.15 * MODEL_HZ) + FRAME + SENT_AHEAD; sent += CHUNK)
      guard.played(REPLY.subarray(sent, sent + CHUNK), (sent / MODEL_HZ) * 1000);
    guard.heard(microphone.subarray(at, at + FRAME));
    suspicions.push({ at: (at + FRAME - end) / MODEL_HZ, suspected: guard.suspectsEcho });
  }
  return {
    atOnce: suspicions.filter(({ at }) => at >= 0.096 && at < 0.128).map(({ suspected }) => suspected),
    later: suspicions.at(-1)!.suspected,
  };
}

describe("echo guard", () => {
  test.each([
    { echoDb: -10, delayMs: 120 },
    { echoDb: -3, delayMs: 250 },
    { echoDb: -20, delayMs: 400 },
    { echoDb: -10, delayMs: -150 },
    { echoDb: -10, delayMs: 120, noiseRms: 0.006 },
    { echoDb: -10, delayMs: 120, reflections: 60 },
    { echoDb: -4, delayMs: 200, reflections: 60 },
    { echoDb: -10, delayMs: 120, isTelephone: true },
    { echoDb: -20, delayMs: 400, isTelephone: true },
    { echoDb: -10, delayMs: 120, reflections: 60, isTelephone: true },
  ])("finds the echo of a reply within a second: %o", (scene) => {
    const { guard, share, seconds } = listen(scene);
    expect(share(2.2, seconds - 1)).toBeGreaterThan(0.95);
    expect(Math.abs((guard.delayMs ?? Infinity) - scene.delayMs)).toBeLessThanOrEqual(30);
  });

  test.each([false, true])("does not mark the caller's voice over an echo as echo, telephone: %s", (isTelephone) => {
    const echo = { echoDb: -10, delayMs: 120, isTelephone };
    const { share } = listen({ ...echo, voiceAt: 3 });
    expect(share(3.1, 4.9)).toBeLessThan(0.5);
    expect(listen(echo).share(3.1, 4.9)).toBeGreaterThan(0.95);
  });

  test.each([1, 1.2, 3])("does not mark a voice that starts at %d s as echo when there is no echo", (voiceAt) => {
    const { guard, share, seconds } = listen({ voiceAt });
    expect(share(0, seconds)).toBeLessThan(0.05);
    expect(guard.hearsEcho).toBe(false);
  });

  test("suspects fewer than 10 % of short words without echo at their end, and none later", () => {
    const words = ["flite-okay.wav", "flite-stop.wav", "flite-yeah.wav"].map((name) =>
      trimSilence(load(name), MODEL_HZ),
    );
    let [suspected, looks] = [0, 0];
    for (const word of words)
      for (let at = 0.9 * MODEL_HZ; at < REPLY.length - MODEL_HZ; at += 0.1 * MODEL_HZ) {
        const { atOnce, later } = suspicionsAfter(word, at);
        suspected += atOnce.filter(Boolean).length;
        looks += atOnce.length;
        expect(later).toBe(false);
      }
    expect(suspected / looks).toBeLessThan(0.1);
  });

  test("rules out an echo when the reply has been played for longer than the largest echo delay without one", () => {
    const guard = new EchoGuard();
    const ruledOut: number[] = [];
    for (let at = 0; at + FRAME <= 2 * MODEL_HZ; at += FRAME) {
      guard.played(REPLY.subarray(at, at + FRAME), 1000 * (1 + at / MODEL_HZ));
      guard.heard(noise(FRAME, 0.0003));
      if (guard.rulesOutEcho) ruledOut.push(at / MODEL_HZ);
    }
    // Playback starts at 1 s, and the largest echo delay is 0.7 s.
    expect(ruledOut[0]).toBeGreaterThan(1.9);
    expect(ruledOut[0]).toBeLessThan(2);
  });

  test.each([
    [{}, true],
    [{ noiseRms: 0.006 }, true],
    [{ echoDb: -10, delayMs: 120 }, false],
    [{ echoDb: -20, delayMs: 650 }, false],
  ] as const)("rules out an echo only where there is none: %o, %s", (scene, ruledOut) => {
    expect(listen(scene).guard.rulesOutEcho).toBe(ruledOut);
  });

  test("forgets an echo that has ended", () => {
    const guard = new EchoGuard();
    for (const echoed of [true, false])
      for (let at = 0; at + FRAME <= REPLY.length; at += FRAME) {
        const speech = REPLY.subarray(at, at + FRAME);
        guard.played(speech, (((echoed ? 0 : REPLY.length) + at) / MODEL_HZ) * 1000);
        guard.heard(echoed ? speech : noise(FRAME, 0.0003));
        if (echoed && at > 2 * MODEL_HZ) expect(guard.hearsEcho).toBe(true);
      }
    expect(guard.hearsEcho).toBe(false);
  });
});
