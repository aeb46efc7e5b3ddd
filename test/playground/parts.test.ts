import { CALL_HZ } from "../../src/audio/format.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JitterBuffer } from "../../src/playground/jitter-buffer.ts";
import { Loudness } from "../../src/playground/loudness.ts";
import { SoundWatch } from "../../src/playground/sound-watch.ts";
import { SpeakingRate, spokenLength } from "../../src/playground/spoken-text.ts";
import { TimelineModel } from "../../src/playground/timeline-model.ts";
import { TurnTimer } from "../../src/playground/turn-times.ts";

const QUANTUM = 128;
const samples = (ms: number, value = 0.5) => new Float32Array(ms * (CALL_HZ / 1000)).fill(value);

describe("the jitter buffer", () => {
  it("plays every sample once, in order and without gaps while samples are available", () => {
    const chunks = fc.array(
      fc.record({ length: fc.integer({ min: 0, max: 3000 }), reads: fc.integer({ min: 0, max: 40 }) }),
    );
    fc.assert(
      fc.property(chunks, (row) => {
        const buffer = new JitterBuffer(CALL_HZ);
        const heard: number[] = [];
        let next = 1;
        const read = () => {
          const out = new Float32Array(QUANTUM);
          const before = buffer.played;
          buffer.read(out);
          heard.push(...out.subarray(0, buffer.played - before));
        };
        for (const { length, reads } of row) {
          buffer.push(Float32Array.from({ length }, () => next++));
          for (let count = 0; count < reads; count += 1) read();
        }
        for (let count = 0; buffer.buffered > 0; count += 1) {
          expect(count).toBeLessThan(2000);
          read();
        }
        expect(heard).toEqual(Array.from({ length: next - 1 }, (_, index) => index + 1));
      }),
    );
  });

  it("starts at once with a full chunk, and waits briefly with less", () => {
    const out = new Float32Array(QUANTUM);
    const buffer = new JitterBuffer(CALL_HZ);
    buffer.push(samples(120));
    buffer.read(out);
    expect(buffer.isPlaying).toBe(true);
    const short = new JitterBuffer(CALL_HZ);
    short.push(samples(20));
    short.read(out);
    expect(short.isPlaying).toBe(false);
    for (let ms = 0; ms < 60; ms += QUANTUM / 24) short.read(out);
    expect(short.isPlaying || short.buffered === 0).toBe(true);
  });

  it("waits longer after a gap", () => {
    const startsWith = (buffer: JitterBuffer, ms: number) => {
      buffer.push(samples(ms));
      buffer.read(new Float32Array(QUANTUM));
      return buffer.isPlaying;
    };
    const buffer = new JitterBuffer(CALL_HZ);
    expect(startsWith(buffer, 70)).toBe(true);
    const drain = () => {
      while (buffer.buffered > 0) buffer.read(new Float32Array(QUANTUM));
    };
    drain();
    expect(startsWith(buffer, 70)).toBe(false);
    expect(buffer.gaps).toBe(1);
    drain();
    // Samples after a longer silence belong to the next reply. They are not a gap and reset the wait.
    for (let ms = 0; ms < 400; ms += QUANTUM / 24) buffer.read(new Float32Array(QUANTUM));
    expect(startsWith(buffer, 70)).toBe(true);
    expect(buffer.gaps).toBe(1);
  });

  it("waits as long after a stop as at the first start", () => {
    const blocksToStart = (buffer: JitterBuffer) => {
      buffer.push(samples(20));
      for (let blocks = 1; ; blocks += 1) {
        buffer.read(new Float32Array(QUANTUM));
        if (buffer.played > 0 || blocks > 100) return blocks;
      }
    };
    const stopped = new JitterBuffer(CALL_HZ);
    stopped.push(samples(20));
    for (let blocks = 0; blocks < 9; blocks += 1) stopped.read(new Float32Array(QUANTUM));
    stopped.stop();
    expect(stopped.played).toBe(0);
    expect(blocksToStart(stopped)).toBe(blocksToStart(new JitterBuffer(CALL_HZ)));
  });

  it("does not count speech soon after a stop as a gap, but silence after that speech", () => {
    const out = new Float32Array(QUANTUM);
    const buffer = new JitterBuffer(CALL_HZ);
    buffer.push(samples(500));
    buffer.read(out);
    buffer.stop();
    for (let blocks = 0; blocks < 20; blocks += 1) buffer.read(out);
    buffer.push(samples(120));
    expect(buffer.gaps).toBe(0);
    buffer.read(out);
    buffer.stop();
    // The fade has not played yet.
    buffer.push(samples(120));
    while (buffer.buffered > 0) buffer.read(out);
    buffer.push(samples(120));
    expect(buffer.gaps).toBe(1);
  });

  it("stops within 5 ms without a click", () => {
    const buffer = new JitterBuffer(CALL_HZ);
    buffer.push(samples(500));
    buffer.read(new Float32Array(QUANTUM));
    buffer.stop();
    const out = new Float32Array(512);
    for (let at = 0; at < out.length; at += QUANTUM) buffer.read(out.subarray(at, at + QUANTUM));
    const steps = out.slice(1).map((sample, index) => Math.abs(sample - (out[index] ?? 0)));
    expect(Math.max(...steps)).toBeLessThan(0.01);
    expect(out.findLastIndex((sample) => Math.abs(sample) > 1e-3)).toBeLessThan(0.006 * CALL_HZ);
    expect(buffer.isPlaying).toBe(false);
    expect(buffer.played).toBe(QUANTUM + 0.005 * CALL_HZ);
  });
});

describe("the end of the caller's speech", () => {
  it("is found to 10 ms in a noisy room", () => {
    const loudness = new Loudness();
    const noise = (ms: number, level: number) =>
      Float32Array.from({ length: ms * 24 }, (_, i) => level * Math.sin(i * i));
    let nowMs = 0;
    const hear = (chunk: Float32Array) => {
      nowMs += chunk.length / 24;
      loudness.add(chunk, nowMs);
    };
    for (let count = 0; count < 20; count += 1) hear(noise(50, 0.002));
    for (let count = 0; count < 20; count += 1) hear(noise(50, 0.3));
    for (let count = 0; count < 40; count += 1) hear(noise(50, 0.002));
    expect(loudness.lastLoudMs).toBeCloseTo(2000, -1);
  });
});

describe("the delays of a turn", () => {
  it("add up to the whole delay", () => {
    const timer = new TurnTimer();
    timer.turnEnded({ transcript: "what time is it", duration: 0.8, decode_duration: 0.15 }, 1000, 1600);
    timer.textCame(1650);
    timer.textCame(1700);
    timer.speechCame(1800);
    expect(timer.soundCame(1850)).toEqual({
      transcript: "what time is it",
      spokenMs: 800,
      silenceMs: 450,
      decodeMs: 150,
      textMs: 50,
      speechMs: 150,
      soundMs: 50,
      totalMs: 850,
    });
    expect(timer.soundCame(2000)).toBeUndefined();
  });

  it("have no decode where the server reports none, and none longer than the wait", () => {
    const decodeOf = (decode_duration: number | undefined) => {
      const timer = new TurnTimer();
      const measured = decode_duration === undefined ? {} : { decode_duration };
      timer.turnEnded({ transcript: "hello", duration: 1, ...measured }, 1000, 1300);
      timer.speechCame(1500);
      const { silenceMs, decodeMs } = timer.soundCame(1600) ?? { silenceMs: NaN, decodeMs: NaN };
      return [silenceMs, decodeMs];
    };
    expect(decodeOf(undefined)).toEqual([300, 0]);
    expect(decodeOf(2)).toEqual([0, 300]);
  });

  it("are not measured for a turn without words or with an interruption", () => {
    const timer = new TurnTimer();
    timer.turnEnded({ transcript: "", duration: 1 }, 0, 10);
    timer.speechCame(20);
    expect(timer.soundCame(30)).toBeUndefined();
    timer.turnEnded({ transcript: "hello", duration: 1 }, 0, 10);
    timer.speechCame(20);
    timer.forget();
    expect(timer.soundCame(30)).toBeUndefined();
  });
});

describe("a microphone without sound", () => {
  const asksAt = (levels: readonly number[]) => {
    const watch = new SoundWatch();
    return levels.flatMap((db, index) => (watch.add(db, index * 1000) ? [index] : []));
  };

  it("is noticed after some seconds, until a sound comes", () => {
    expect(asksAt([-100, -100, -90, -70, -70, -70, -70, -70, -30, -100])).toEqual([6, 7]);
  });

  it("is not noticed in a pause after a sound", () => {
    expect(asksAt([-100, -30, ...Array<number>(20).fill(-100)])).toEqual([]);
  });
});

describe("the spoken place in the text", () => {
  it("moves by whole words, only forward, and reaches the end", () => {
    const text = "It is nine o'clock in the morning.";
    const places = [0, 0.1, 0.5, 1, 1.5, 2, 9].map((seconds) => spokenLength(text, seconds, 15, false));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    for (const place of places.slice(1)) expect([" ", undefined]).toContain(text[place]);
    expect(places[0]).toBe(0);
    expect(places.at(-1)).toBe(text.length);
    expect(spokenLength(text, 0.1, 15, true)).toBe(text.length);
  });

  it("adapts to the voice's pace", () => {
    const rate = new SpeakingRate();
    for (let count = 0; count < 8; count += 1) rate.learn(60, 6);
    expect(rate.lettersPerSecond).toBeCloseTo(10, 0);
  });
});

describe("the timeline", () => {
  it("drops entries that are out of view", () => {
    const model = new TimelineModel(10_000);
    for (let atMs = 0; atMs < 60_000; atMs += 50) {
      if (atMs % 5_000 === 0) model.begin("turn", "", atMs);
      if (atMs % 5_000 === 2_000) model.end("turn", atMs);
      model.level(-30, atMs);
      model.voiceActivity(0.5, atMs);
      model.mark("any", atMs);
    }
    expect(model.levels.length).toBeLessThanOrEqual(401);
    expect(model.activity.length).toBeLessThanOrEqual(401);
    expect(model.spans.length).toBeLessThan(6);
    expect(model.levels[0]?.atMs).toBeGreaterThanOrEqual(39_000);
  });

  it("ends a turn at its own end, also when another turn ends before", () => {
    const model = new TimelineModel(10_000);
    model.begin("turn", "a", 0);
    model.begin("turn", "b", 2000);
    model.end("turn", 2300, "a");
    model.end("turn", 6000, "b");
    expect(model.spans.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [0, 2000],
      [2000, 6000],
    ]);
  });

  it("shows a lasting emotion as one span", () => {
    const model = new TimelineModel(10_000);
    model.continue("emotion", "joy", 0, 1200);
    model.continue("emotion", "joy", 500, 1700);
    model.continue("emotion", "sadness", 1000, 2200);
    expect(model.spans).toEqual([
      { kind: "emotion", label: "joy", fromMs: 0, toMs: 1000 },
      { kind: "emotion", label: "sadness", fromMs: 1000, toMs: 2200 },
    ]);
  });
});
