import { MODEL_HZ } from "../../src/audio/format.ts";

const STEP = MODEL_HZ / 25;
const JOIN = MODEL_HZ / 100;

/**
 * Extends a recording by `seconds` of its own room noise. The noise consists of the quietest pieces of 40 ms in random order, some
 * reversed, joined over 10 ms. Only the missing voice then shows where the recording ended.
 */
export function continueRoom(samples: Float32Array, seconds: number, random: () => number): Float32Array {
  const tone = roomTone(samples, Math.round(seconds * MODEL_HZ) + JOIN, random);
  const out = new Float32Array(samples.length + tone.length - JOIN);
  out.set(samples);
  const joinAt = samples.length - JOIN;
  for (let i = 0; i < JOIN; i++) {
    const angle = (i / JOIN) * (Math.PI / 2);
    out[joinAt + i] = samples[joinAt + i]! * Math.cos(angle) + tone[i]! * Math.sin(angle);
  }
  out.set(tone.subarray(JOIN), samples.length);
  return out;
}

export function roomTone(samples: Float32Array, length: number, random: () => number): Float32Array {
  const quiet = quietStarts(samples);
  const out = new Float32Array(length + STEP);
  for (let at = 0; at < length; at += STEP - JOIN) {
    const from = quiet[Math.floor(random() * quiet.length)]!;
    const backwards = random() < 0.5;
    for (let i = 0; i < STEP; i++) {
      const edge = Math.min(1, i / JOIN, (STEP - 1 - i) / JOIN);
      out[at + i]! += samples[from + (backwards ? STEP - 1 - i : i)]! * Math.sin((edge * Math.PI) / 2);
    }
  }
  return out.subarray(0, length);
}

/** Digital silence in a part of a recording does not count as room noise. */
function quietStarts(samples: Float32Array): readonly number[] {
  const places: { readonly start: number; readonly power: number }[] = [];
  for (let start = 0; start + STEP <= samples.length; start += STEP / 2) {
    let power = 0;
    for (let i = start; i < start + STEP; i++) power += samples[i]! ** 2;
    places.push({ start, power });
  }
  const live = places.filter(({ power }) => power > 1e-10 * STEP).toSorted((a, b) => a.power - b.power);
  const least = live[0]?.power ?? 0;
  const quiet = live.slice(0, Math.max(4, live.length / 25)).filter(({ power }) => power < 4 * least);
  return quiet.length > 0 ? quiet.map(({ start }) => start) : [0];
}
