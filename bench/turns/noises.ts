import { readdirSync } from "node:fs";
import { join } from "node:path";
import { MODEL_HZ } from "../../src/audio/format.ts";
import { highPass, lowPass, Section } from "../../src/audio/second-order-section.ts";
import { readAudio } from "../../src/simulated-callers/recordings/read-audio.ts";

/** A sound of a room, to be mixed with a caller's voice. */
export interface Noise {
  readonly name: string;
  readonly samples: Float32Array;
}

const SECONDS = 30;
const LENGTH = SECONDS * MODEL_HZ;
const BABBLE_VOICES = 8;

export interface Material {
  /** A folder with the kinds of ESC-10. */
  readonly environments: string;
  /** Readings by people who are not the callers. */
  readonly voices: readonly Float32Array[];
  /** Recordings of music. Empty: music is made. */
  readonly music: readonly Float32Array[];
  readonly random: () => number;
}

/** Rooms in which callers sit: two of each kind. */
export function rooms(material: Material): readonly { readonly kind: string; readonly noises: readonly Noise[] }[] {
  const kinds: Readonly<Record<string, (which: number) => Float32Array>> = {
    ward: (which) => ward(material, which),
    street: (which) => street(material, which),
    office: (which) => office(material, which),
    music: (which) => material.music[which] ?? madeMusic(which),
    babble: (which) => sum(voicesFrom(material, which, BABBLE_VOICES)),
  };
  return Object.entries(kinds).map(([kind, make]) => ({
    kind,
    noises: [0, 1].map((which) => ({
      name: `${kind} ${String(which + 1)}`,
      samples: levelled(repeated(make(which), LENGTH), 0),
    })),
  }));
}

/** Ventilation, a monitor that beeps, a voice behind a curtain. */
function ward(material: Material, which: number): Float32Array {
  const period = which === 0 ? 0.7 : 1;
  const hz = which === 0 ? 960 : 880;
  const beep = tones((at) => (at % period < 0.1 ? Math.sin(2 * Math.PI * hz * at) : 0));
  const voice = sum(voicesFrom(material, 3 + which, 1));
  return sum([levelled(brown(material.random), -6), scaled(beep, 0.8), levelled(dulled(voice, 2500), -9)]);
}

function street({ environments, random }: Material, which: number): Float32Array {
  const [near, far] = which === 0 ? (["rain", "dog-bark"] as const) : (["helicopter", "rain"] as const);
  const part = (kind: string, dbfs: number) => levelled(repeated(environment(environments, kind, which), LENGTH), dbfs);
  return sum([levelled(brown(random), -4), part(near, 0), part(far, -6)]);
}

/** A fan, a clock, keys that are pressed, a colleague some desks away. */
function office(material: Material, which: number): Float32Array {
  const { random, environments } = material;
  const keys = new Float32Array(LENGTH);
  for (let at = 0; at < LENGTH - MODEL_HZ; at += Math.round((0.1 + 0.4 * random()) * MODEL_HZ)) {
    const loud = 0.5 + random();
    for (let i = 0; i < 600; i++) keys[at + i]! += loud * (2 * random() - 1) * Math.exp(-i / 120);
  }
  new Section(highPass(1000, 0.7, MODEL_HZ)).process(keys);
  const clock = repeated(environment(environments, "clock-tick", which), LENGTH);
  const voice = sum(voicesFrom(material, 5 + which, 1));
  const fan = dulled(
    tones(() => 2 * random() - 1),
    400,
  );
  return sum([levelled(fan, -8), levelled(keys, -6), levelled(clock, -8), levelled(dulled(voice, 3000), -10)]);
}

/** A melody over chords. */
function madeMusic(which: number): Float32Array {
  const melody = which === 0 ? [262, 330, 392, 523, 440, 349, 294, 392] : [440, 494, 523, 587, 659, 587, 523, 494];
  const chord = which === 0 ? [131, 165, 196] : [110, 131, 165];
  const saw = (hz: number, at: number) => 2 * ((hz * at) % 1) - 1;
  return tones((at) => {
    const note = melody[Math.floor(4 * at) % melody.length]!;
    const fade = Math.exp(-3 * ((4 * at) % 1));
    return fade * Math.sin(2 * Math.PI * note * at) + 0.3 * chord.reduce((all, hz) => all + saw(hz, at), 0);
  });
}

/** The first or second recording of a kind. */
function environment(folder: string, kind: string, which: number): Float32Array {
  const names = readdirSync(join(folder, kind)).toSorted();
  return readAudio(join(folder, kind, names[which] ?? names[0]!));
}

const voicesFrom = ({ voices }: Material, first: number, count: number): readonly Float32Array[] =>
  Array.from({ length: count }, (_, at) => levelled(repeated(voices[(first + at) % voices.length]!, LENGTH), -25));

function brown(random: () => number): Float32Array {
  let low = 0;
  return tones(() => (low = 0.99 * low + 2 * random() - 1));
}

const tones = (sound: (seconds: number) => number): Float32Array =>
  Float32Array.from({ length: LENGTH }, (_, at) => sound(at / MODEL_HZ));

function dulled(samples: Float32Array, hz: number): Float32Array {
  const out = samples.slice();
  new Section(lowPass(hz, 0.7, MODEL_HZ)).process(out);
  return out;
}

const scaled = (samples: Float32Array, gain: number): Float32Array => samples.map((sample) => gain * sample);

const sum = (parts: readonly Float32Array[]): Float32Array =>
  Float32Array.from({ length: LENGTH }, (_, at) => parts.reduce((all, part) => all + part[at]!, 0));

export const repeated = (samples: Float32Array, length: number): Float32Array =>
  Float32Array.from({ length }, (_, i) => samples[i % samples.length]!);

export function levelled(samples: Float32Array, dbfs: number): Float32Array {
  const power = samples.reduce((total, sample) => total + sample * sample, 0) / samples.length;
  const gain = 10 ** (dbfs / 20) / Math.sqrt(power + 1e-12);
  return samples.map((sample) => sample * gain);
}
