import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { CALL_SAMPLES_PER_MS } from "../../../src/audio/format.ts";
import { samplesOf } from "../../../src/audio/pcm16.ts";
import { AudioInput } from "../../../src/conversation/ear/audio-input.ts";
import { loadServerConfig } from "../../../src/config/server-config.ts";
import type { FrameEvent } from "../../../src/conversation/turn/machine/turn-state.ts";
import type { VadEngine } from "../../../src/engines/vad/voice-activity-detector.ts";
import { loadSilero } from "../../../src/engines/vad/silero.ts";
import { clip, silence } from "../../support/audio.ts";
import { faults } from "../../support/faults.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

let vad: VadEngine;
beforeAll(async () => {
  vad = await loadSilero(loadServerConfig(undefined, {}).config.models.vad.path);
});

let scope = new AbortController();
afterEach(() => {
  scope.abort();
  scope = new AbortController();
});

function setup(needsTime = () => false) {
  const clock = new VirtualClock();
  const frames: FrameEvent[] = [];
  const failures: unknown[] = [];
  const hearing = new AudioInput({
    detector: vad.open(),
    clock,
    signal: scope.signal,
    onFrame: (frame) => {
      frames.push(frame);
      return needsTime();
    },
    onFailure: (error) => failures.push(error),
    faults,
  });
  return { clock, frames, failures, hearing };
}

test("jitter is the delay of the latest recent audio, and is forgotten", () => {
  const { clock, hearing } = setup();
  const chunk = new Int16Array(100 * CALL_SAMPLES_PER_MS);
  const push = (afterMs: number) => {
    clock.advance(afterMs);
    hearing.push(chunk);
  };
  for (let chunks = 0; chunks < 5; chunks += 1) push(100);
  expect(hearing.jitterMs).toBe(0);
  push(250);
  push(0);
  expect(hearing.jitterMs).toBe(150);
  for (let chunks = 0; chunks < 250; chunks += 1) push(chunks === 0 ? 50 : 100);
  expect(hearing.jitterMs).toBe(0);
});

/** Waits until all pushed frames are processed. */
const drained = async () => {
  for (let turns = 0; turns < 100; turns += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe("AudioInput", () => {
  // A 20 ms chunk is shorter than a frame, so the next chunk completes it.
  test.each([20, 32, 100, 170])("gives the same frames for chunks of %i ms as for the whole clip", async (chunkMs) => {
    const pcm = samplesOf(clip("flite-time.wav"));
    const whole = setup();
    whole.hearing.push(pcm);
    await drained();

    const pieces = setup();
    for (let at = 0; at < pcm.length; at += chunkMs * CALL_SAMPLES_PER_MS) {
      pieces.hearing.push(pcm.subarray(at, at + chunkMs * CALL_SAMPLES_PER_MS));
      await drained();
    }
    expect(whole.frames.length).toBeGreaterThan(30);
    expect(pieces.frames).toEqual(whole.frames);
    expect(pieces.failures).toEqual([]);
  });

  test("replaces a stopped stream by silence during a turn, so session time goes on", async () => {
    const { clock, frames, hearing } = setup(() => true);
    hearing.push(samplesOf(clip("flite-time.wav")));
    await drained();
    const before = frames.length;
    clock.advance(250);
    await drained();
    expect(frames.length).toBe(before);
    clock.advance(1000);
    await drained();
    expect(frames.length - before).toBeGreaterThanOrEqual(25);
    expect(frames.length - before).toBeLessThanOrEqual(32);
  });

  test("counts frames on which the detector fails as time, so the echo guard still knows the reply", async () => {
    const clock = new VirtualClock();
    const detector = vad.open();
    const echoes: number[] = [];
    const failures: unknown[] = [];
    let failing = 40;
    const hearing = new AudioInput({
      detector: {
        frameSamples: detector.frameSamples,
        speechProbability: (frame) => {
          if (failing-- > 0) throw new Error("no answer");
          return detector.speechProbability(frame);
        },
      },
      clock,
      signal: scope.signal,
      onFrame: ({ echo, atMs }) => {
        if (echo) echoes.push(atMs);
        return false;
      },
      onFailure: (error) => failures.push(error),
      faults,
    });
    const hear = async (pcm: Int16Array) => {
      for (let at = 0; at < pcm.length; at += 480) {
        clock.advance(20);
        hearing.push(pcm.subarray(at, at + 480));
        await drained();
      }
    };
    await hear(samplesOf(silence(1.5)));
    const reply = samplesOf(Buffer.concat([clip("flite-lights.wav"), clip("flite-timer.wav")]));
    hearing.sent(reply, clock.nowMs());
    await hear(reply);
    expect(echoes.length).toBeGreaterThan(10);
    expect(failures, "said once").toHaveLength(1);
  });

  test("knows the echo of a greeting that was sent before the first audio of the caller", async () => {
    const { clock, frames, hearing } = setup();
    const greeting = samplesOf(Buffer.concat([clip("flite-lights.wav"), clip("flite-timer.wav")]));
    hearing.sent(greeting, clock.nowMs());
    for (let at = 0; at < greeting.length; at += 480) {
      clock.advance(20);
      hearing.push(greeting.subarray(at, at + 480));
      await drained();
    }
    expect(frames.filter(({ echo }) => echo).length).toBeGreaterThan(10);
  });

  test("keeps the last seconds of speech that was sent before the first audio of the caller", async () => {
    const { clock, frames, hearing } = setup();
    const greeting = samplesOf(Buffer.concat([clip("flite-lights.wav"), clip("flite-timer.wav")]));
    const chunk = () => new Int16Array(100 * CALL_SAMPLES_PER_MS);
    const first = new WeakRef(chunk());
    hearing.sent(first.deref() ?? chunk(), clock.nowMs());
    for (let sent = 0; sent < 6_000; sent += 1) {
      clock.advance(100);
      hearing.sent(chunk(), clock.nowMs());
    }
    await drained();
    collectGarbage();
    expect(first.deref()).toBeUndefined();
    hearing.sent(greeting, clock.nowMs());
    for (let at = 0; at < greeting.length; at += 480) {
      clock.advance(20);
      hearing.push(greeting.subarray(at, at + 480));
      await drained();
    }
    expect(frames.filter(({ echo }) => echo).length).toBeGreaterThan(10);
  });

  test("does not learn the room's noise from the silence that replaces a stopped stream", async () => {
    const { clock, frames, hearing } = setup(() => true);
    const room = Int16Array.from({ length: 4000 * CALL_SAMPLES_PER_MS }, (_, at) => (at % 8 < 4 ? 250 : -250));
    const hear = async (ms: number) => {
      for (let heard = 0; heard < ms; heard += 100) {
        hearing.push(room.subarray(0, 2400));
        await drained();
        clock.advance(100);
      }
    };
    await hear(4000);
    const floor = frames.at(-1)?.noiseFloorDbfs;
    clock.advance(700);
    await drained();
    expect(frames.at(-1)?.aboveNoiseDb, "nothing is heard").toBeLessThan(-30);
    await hear(1000);
    expect(frames.at(-1)?.noiseFloorDbfs).toBeCloseTo(floor ?? 0, 0);
    expect(frames.at(-1)?.aboveNoiseDb).toBeCloseTo(0, 0);
  });

  test("stops session time when the stream stops outside a turn", async () => {
    const { clock, frames, hearing } = setup(() => false);
    hearing.push(samplesOf(clip("flite-time.wav")));
    await drained();
    const before = frames.length;
    expect(clock.pendingTimers, "nothing to wake up for").toBe(0);
    clock.advance(5000);
    await drained();
    expect(frames.length).toBe(before);
  });

  test("starts and stops the silence timer with a turn while the stream is stopped", async () => {
    let inTurn = false;
    const { clock, frames, hearing } = setup(() => inTurn);
    hearing.push(samplesOf(clip("flite-time.wav")));
    await drained();
    inTurn = true;
    hearing.push(samplesOf(silence(0.1)));
    await drained();
    const before = frames.length;
    clock.advance(1000);
    await drained();
    expect(frames.length).toBeGreaterThan(before);
    inTurn = false;
    clock.advance(300);
    expect(clock.pendingTimers).toBe(0);
  });
});
