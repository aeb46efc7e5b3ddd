import { join } from "node:path";
import { FormatSuspect } from "../../src/audio/format-check/format-suspect.ts";
import { resampleAll } from "../../src/audio/resampler.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { readOptions } from "../options.ts";
import { seededRandom } from "../../src/simulated-callers/random.ts";
import { environments, isHeldOut, load, MATERIAL_HZ, speakers, toInt16, type Recordings } from "./material.ts";
import { music, singing, testSignal } from "./synthetic.ts";
import { WRONG_FORMATS } from "./wrong-formats.ts";

const USAGE = `npm run bench:audio-format -- [--data DIR] [--held-out] [--share N]
Measures how often AUDIO_FORMAT_SUSPECT is correct: wrong formats that are detected within 2 s of speech, and false
alarms in the right format. DIR (../shared/data) has folders of speech by speaker, and of noise. Every other speaker
and noise is only used with --held-out. --share 4 uses a quarter of them. --no-speech and --no-other-sound skip that
part.`;

const CHUNK_MS = 100;
const PIECE_SECONDS = 8;
/** Pace of a stream, in multiples of real time. Infinity sends all audio at once. */
const PACES = [1, Infinity, 1 / 3, 2 / 3, 2, 44.1 / 24, 0.9];

/** Streams bytes as a client does, and returns the suspicion. */
function stream(bytes: Uint8Array, bytesPerSecond: number, pace: number, random: () => number): string | undefined {
  const suspect = new FormatSuspect();
  const size = Math.max(2, Math.round((bytesPerSecond * CHUNK_MS) / 2000) * 2);
  for (let at = 0, chunk = 0; at < bytes.length; at += size, chunk += 1) {
    const nowMs = 1000 + (chunk * CHUNK_MS) / pace + (pace === Infinity ? 0 : 3 * random());
    const suspicion = suspect.push(bytes.subarray(at, at + size), nowMs);
    if (suspicion !== undefined) return suspicion.looksLike;
  }
  return undefined;
}

const percent = (part: number, of: number) => `${((100 * part) / Math.max(1, of)).toFixed(1).padStart(5)} %`;

/** The recording from its first sound on. */
function fromSpeech(sound: Float32Array): Float32Array {
  const peak = sound.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  return sound.subarray(sound.findIndex((sample) => Math.abs(sample) > peak / 10));
}

class Detections {
  readonly #tries = new Map<string, { count: number; right: number; wrong: Map<string, number> }>();

  add(name: string, result: string | undefined, expected: RegExp): void {
    const row = this.#tries.get(name) ?? { count: 0, right: 0, wrong: new Map<string, number>() };
    this.#tries.set(name, row);
    row.count += 1;
    if (result === undefined) return;
    if (expected.test(result)) row.right += 1;
    else row.wrong.set(result, (row.wrong.get(result) ?? 0) + 1);
  }

  print(): void {
    for (const [name, { count, right, wrong }] of this.#tries)
      console.log(
        `${name.padEnd(40)} ${String(count).padStart(5)} ${percent(right, count)}  ${[...wrong].map(([as, times]) => `${as}: ${times}`).join(", ")}`,
      );
  }
}

class FalseAlarms {
  readonly #kinds = new Map<string, { seconds: number; streams: number; alarms: string[] }>();

  /** Streams pieces of the sound, each as a new caller. Half of them are sent at once, half at another pace. */
  add(kind: string, name: string, samples: Int16Array, random: () => number): void {
    const row = this.#kinds.get(kind) ?? { seconds: 0, streams: 0, alarms: [] };
    this.#kinds.set(kind, row);
    const piece = PIECE_SECONDS * 24_000;
    for (let at = 0; at < samples.length; at += piece) {
      const bytes = new Uint8Array(samples.slice(at, at + piece).buffer);
      const pace = PACES[row.streams % PACES.length]!;
      row.streams += 1;
      row.seconds += bytes.length / 48_000;
      const result = stream(bytes, 48_000, pace, random);
      if (result !== undefined) row.alarms.push(`${name} at ${pace.toFixed(2)}: ${result}`);
    }
  }

  print(): void {
    for (const [kind, { seconds, streams, alarms }] of this.#kinds) {
      console.log(
        `${kind.padEnd(40)} ${(seconds / 60).toFixed(1).padStart(6)} min ${String(streams).padStart(5)} callers ${String(alarms.length).padStart(4)} false alarms`,
      );
      for (const alarm of alarms.slice(0, 12)) console.log(`    ${alarm}`);
    }
  }
}

const amplified = (sound: Float32Array, gain: number, offset = 0) =>
  sound.map((sample) => Math.max(-1, Math.min(1, sample * gain + offset)));
const through = (sound: Float32Array, hz: number) => resampleAll(sound, MATERIAL_HZ, hz);

const CHILD = "asetrate=48000*1.3,aresample=48000,atempo=0.769";
const TELEPHONE = "highpass=f=300,highpass=f=300,lowpass=f=3400,lowpass=f=3400";

type Chosen = (recordings: Recordings[]) => Recordings[];

function measureSpeech(data: string, chosen: Chosen, detections: Detections, alarms: FalseAlarms): void {
  const random = seededRandom(1);
  for (const [index, recordings] of chosen(speakers(data, 4)).entries()) {
    const { name } = recordings;
    const loaded = load(recordings).subarray(0, 20 * MATERIAL_HZ);
    const peak = loaded.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1e-4);
    const sound = amplified(loaded, 0.5 / peak);
    const right = (kind: string, of: Float32Array, fromHz = MATERIAL_HZ) =>
      alarms.add(kind, name, toInt16(of, fromHz, 24_000), random);
    right("speech", sound);
    right("speech, recorded at 8 kHz", through(sound, 8_000), 8_000);
    right("speech, 30 dB quieter", amplified(sound, 0.03));
    right("speech, clipped", amplified(sound, 10));
    right("speech with DC offset", amplified(sound, 0.5, 0.1));
    right("child-like voice", load(recordings, CHILD).subarray(0, 20 * MATERIAL_HZ));
    right("telephone band", load(recordings, TELEPHONE).subarray(0, 20 * MATERIAL_HZ));
    const speech = fromSpeech(sound);
    for (const { name: format, expected, bytesPerSecond, encode, isContainer } of WRONG_FORMATS) {
      // The header of a container does not depend on the sound.
      if (isContainer && index % 10 !== 0) continue;
      const bytes = encode(speech.subarray(0, 2 * MATERIAL_HZ));
      detections.add(`${format}, all at once`, stream(bytes, bytesPerSecond, Infinity, random), expected);
      detections.add(`${format}, in real time`, stream(bytes, bytesPerSecond, 1, random), expected);
    }
  }
}

function measureOtherSound(data: string, chosen: Chosen, heldOut: boolean, count: number, alarms: FalseAlarms): void {
  const random = seededRandom(2);
  for (const recordings of chosen(environments(data))) {
    const sound = load(recordings);
    for (const gain of [1, 0.1, 5])
      alarms.add("environments", recordings.name, toInt16(amplified(sound, gain), MATERIAL_HZ, 24_000), random);
    alarms.add("environments", recordings.name, toInt16(through(sound, 8_000), 8_000, 24_000), random);
  }
  for (let index = 0; index < count; index += 1) {
    const seed = 2 * index + (heldOut ? 1 : 0);
    for (const [kind, make] of [
      ["music", music],
      ["singing", singing],
      ["noise and test signals", testSignal],
    ] as const)
      alarms.add(kind, String(seed), toInt16(make(seed, 10), MATERIAL_HZ, 24_000), random);
  }
  const silence = 30 * 60 * 24_000;
  alarms.add("silence", "zeros", new Int16Array(silence), random);
  const dither = Int16Array.from({ length: silence }, () => Math.round(3 * random() - 1.5));
  alarms.add("silence", "dither", dither, random);
}

function main(): void {
  const values = readOptions(USAGE, {
    data: { type: "string", default: join(packageRoot, "..", "shared", "data") },
    "held-out": { type: "boolean", default: false },
    share: { type: "number", default: 1 },
    speech: { type: "boolean", default: true },
    "other-sound": { type: "boolean", default: true },
  });
  const heldOut = values["held-out"];
  const share = values.share;
  const chosen: Chosen = (recordings) =>
    recordings.filter(({ name }) => isHeldOut(name) === heldOut).filter((_, index) => index % share === 0);
  const detections = new Detections();
  const alarms = new FalseAlarms();
  if (values.speech) measureSpeech(values.data, chosen, detections, alarms);
  if (values["other-sound"]) measureOtherSound(values.data, chosen, heldOut, Math.ceil(180 / share), alarms);
  console.log(
    `Within 2 s of speech, ${heldOut ? "held-out" : "development"} speakers: streams, correct formats, wrong formats`,
  );
  detections.print();
  console.log("\nSound in the right format, each caller up to 8 s, at several paces");
  alarms.print();
}

main();
