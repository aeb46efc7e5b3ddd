import { seededRandom } from "../../src/simulated-callers/random.ts";
import { MATERIAL_HZ } from "./material.ts";

type Random = () => number;

const between = (random: Random, low: number, high: number) => low + (high - low) * random();
const pick = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
const noteHz = (note: number) => 440 * 2 ** ((note - 69) / 12);
const SCALES = [
  [0, 2, 4, 5, 7, 9, 11],
  [0, 2, 3, 5, 7, 8, 10],
  [0, 3, 5, 7, 10],
];

/** A piece of music from a seed: melody, chords, bass and drums, each present or not, with its own timbre. */
export function music(seed: number, seconds: number): Float32Array {
  const random = seededRandom(seed);
  const out = new Float32Array(Math.round(seconds * MATERIAL_HZ));
  const beat = 60 / between(random, 50, 190);
  const scale = pick(random, SCALES);
  const root = Math.floor(between(random, 40, 52));
  const parts = [
    { chance: 0.8, octave: pick(random, [1, 2, 3, 4]), voices: 1, steps: [0.25, 0.5, 1], gain: 0.25 },
    { chance: 0.6, octave: pick(random, [1, 2]), voices: 3, steps: [1, 2, 4], gain: 0.1 },
    { chance: 0.5, octave: 0, voices: 1, steps: [0.5, 1, 2], gain: 0.3 },
  ].filter(({ chance }, index) => random() < chance || index === 0);
  for (const { octave, voices, steps, gain } of parts) {
    const timbre = timbreOf(random);
    for (let at = 0; at < seconds;) {
      const length = beat * pick(random, steps);
      if (random() < 0.85)
        for (let voice = 0; voice < voices; voice++) {
          const note = root + 12 * octave + pick(random, scale) + (voice === 0 ? 0 : pick(random, [0, 12]));
          addNote(out, at, length * between(random, 0.5, 1.2), noteHz(note), gain, timbre, random);
        }
      at += length;
    }
  }
  if (random() < 0.5) addDrums(out, beat / pick(random, [1, 2]), random);
  return out;
}

interface Timbre {
  readonly partials: number;
  readonly fall: number;
  readonly attack: number;
  readonly decay: number;
  readonly vibratoHz: number;
  readonly vibrato: number;
  readonly oddOnly: boolean;
}

const timbreOf = (random: Random): Timbre => ({
  partials: Math.floor(between(random, 1, 30)),
  fall: between(random, 0.5, 2.5),
  attack: between(random, 0.002, 0.12),
  decay: between(random, 0.5, 8),
  vibratoHz: between(random, 4, 7),
  vibrato: random() < 0.4 ? between(random, 0.002, 0.02) : 0,
  oddOnly: random() < 0.3,
});

function addNote(
  out: Float32Array,
  start: number,
  seconds: number,
  hz: number,
  gain: number,
  timbre: Timbre,
  random: Random,
): void {
  const from = Math.round(start * MATERIAL_HZ);
  const length = Math.min(out.length - from, Math.round(seconds * MATERIAL_HZ));
  for (let partial = 1; partial <= timbre.partials; partial += timbre.oddOnly ? 2 : 1) {
    if (hz * partial > 20_000) break;
    const level = gain / partial ** timbre.fall;
    const phase = random() * 2 * Math.PI;
    for (let i = 0; i < length; i++) {
      const t = i / MATERIAL_HZ;
      const envelope = Math.min(1, t / timbre.attack, (seconds - t) / 0.02) * Math.exp(-timbre.decay * t);
      const bend = timbre.vibrato * Math.sin(2 * Math.PI * timbre.vibratoHz * t) * (hz / timbre.vibratoHz);
      out[from + i]! += level * envelope * Math.sin(2 * Math.PI * hz * partial * t + partial * bend + phase);
    }
  }
}

function addDrums(out: Float32Array, every: number, random: Random): void {
  for (let at = 0; at * MATERIAL_HZ < out.length; at += every) {
    const decay = between(random, 8, 60);
    const deep = random() < 0.4;
    const level = between(random, 0.05, 0.4);
    const from = Math.round(at * MATERIAL_HZ);
    for (let i = 0; i < 0.3 * MATERIAL_HZ && from + i < out.length; i++) {
      const t = i / MATERIAL_HZ;
      const sound = deep ? Math.sin(2 * Math.PI * 60 * t + 5 * Math.exp(-40 * t)) : 2 * random() - 1;
      out[from + i]! += level * Math.exp(-decay * t) * sound;
    }
  }
}

const VOWELS = [
  [730, 1090, 2440],
  [270, 2290, 3010],
  [300, 870, 2240],
  [530, 1840, 2480],
  [570, 840, 2410],
];

/** A sung line from a seed: pulses through the resonances of vowels. The size of the singer varies, children included. */
export function singing(seed: number, seconds: number): Float32Array {
  const random = seededRandom(seed);
  const out = new Float32Array(Math.round(seconds * MATERIAL_HZ));
  const size = between(random, 0.95, 1.45);
  const lowest = between(random, 40, 66);
  const scale = pick(random, SCALES);
  let at = 0;
  while (at < out.length) {
    const length = Math.round(between(random, 0.15, 1.2) * MATERIAL_HZ);
    const hz = noteHz(lowest + pick(random, scale) + pick(random, [0, 0, 12]));
    const note = pulses(hz, length, random);
    const formants = pick(random, VOWELS).map((formant) => formant * size);
    const sung = formants.reduce((sound, formant, index) => resonate(sound, formant, 60 + 30 * index), note);
    const peak = sung.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1e-9);
    for (let i = 0; i < length && at + i < out.length; i++)
      out[at + i] = (0.4 * sung[i]! * Math.min(1, i / 2000, (length - i) / 2000)) / peak;
    at += length + Math.round(between(random, 0, 0.2) * MATERIAL_HZ);
  }
  return out;
}

function pulses(hz: number, length: number, random: Random): Float32Array {
  const out = new Float32Array(length);
  let phase = 0;
  let smooth = 0;
  for (let i = 0; i < length; i++) {
    phase += (hz * (1 + 0.01 * Math.sin((2 * Math.PI * 5.5 * i) / MATERIAL_HZ))) / MATERIAL_HZ;
    const pulse = phase >= 1 ? 1 : 0;
    if (pulse === 1) phase -= 1;
    smooth = 0.9 * smooth + pulse;
    out[i] = smooth + 0.01 * (random() - 0.5);
  }
  return out;
}

function resonate(input: Float32Array, hz: number, width: number): Float32Array {
  const r = Math.exp((-Math.PI * width) / MATERIAL_HZ);
  const a = 2 * r * Math.cos((2 * Math.PI * hz) / MATERIAL_HZ);
  const out = new Float32Array(input.length);
  let one = 0;
  let two = 0;
  for (let i = 0; i < input.length; i++) {
    const value = input[i]! * (1 - r) + a * one - r * r * two;
    two = one;
    one = value;
    out[i] = value;
  }
  return out;
}

const NOISES = ["white", "pink", "brown", "hum", "sweep", "tone", "square", "clicks"] as const;

/** Noises and test signals of all kinds, from a seed. */
export function testSignal(seed: number, seconds: number): Float32Array {
  const random = seededRandom(seed);
  const kind = NOISES[seed % NOISES.length]!;
  const level = 10 ** (-between(random, 0, 50) / 20);
  const base = kind === "hum" ? pick(random, [50, 60]) : between(random, 30, 11_900);
  let brown = 0;
  let pink = 0;
  let phase = 0;
  return new Float32Array(Math.round(seconds * MATERIAL_HZ)).map((_, i) => {
    const white = 2 * random() - 1;
    brown = 0.998 * brown + 0.06 * white;
    pink = 0.95 * pink + 0.25 * white;
    phase += (kind === "sweep" ? 20 * 600 ** ((i / MATERIAL_HZ / seconds) % 1) : base) / MATERIAL_HZ;
    const sine = Math.sin(2 * Math.PI * phase);
    switch (kind) {
      case "white":
        return level * white;
      case "pink":
        return level * pink;
      case "brown":
        return level * brown;
      case "hum":
        return level * (0.6 * sine + 0.3 * Math.sin(6 * Math.PI * phase) + 0.02 * white);
      case "square":
        return level * 0.7 * Math.sign(sine);
      case "clicks":
        return phase % 1 < base / MATERIAL_HZ / 4 && random() < 0.02 ? level : 0.0005 * white;
      case "sweep":
      case "tone":
        return level * sine;
    }
  });
}
