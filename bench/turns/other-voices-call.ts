import { readdirSync } from "node:fs";
import { join } from "node:path";
import { MODEL_HZ } from "../../src/audio/format.ts";
import { logNormal } from "../../src/simulated-callers/random.ts";
import { readAudio } from "../../src/simulated-callers/recordings/read-audio.ts";
import { OakError } from "../../src/shared/errors.ts";
import { isInHalf } from "../options.ts";
import { levelled } from "./noises.ts";

const SPEECH_DBFS = -26;
const ROOM_DBFS = -65;
/** People do not always speak equally loud. */
const LEVEL_SPREAD_DB = 2.5;
const LEARNED_SECONDS = 12;
const GAP_SECONDS = 1.5;
/** Clips of a person. The caller's last ones are their turns, and the others teach their voice. */
const CLIPS = 12;
const TURNS = 4;
/** Recordings of a person. */
const LEAST_SECONDS = 20;
const OVER_BEGINS_SECONDS = 1.5;
const LONGEST_SECONDS = 6;

export interface Person {
  readonly name: string;
  readonly clips: readonly Float32Array[];
}

export interface Part {
  readonly kind: string;
  /** Another person's voice, to compare men and women. */
  readonly other?: Person;
  readonly startMs: number;
  readonly endMs: number;
}

export const LEARNING = "learning";

/**
 * First turns of the caller alone. Then turns of theirs and of others, 6 dB below, as loud and 3 dB above; and at last another person with
 * the handset.
 */
export function callWith(people: readonly Person[], at: number, random: () => number) {
  const caller = people[at]!;
  const sounds: (readonly [at: number, sound: Float32Array])[] = [];
  const parts: Part[] = [];
  let position = 0;
  const put = (kind: string, clip: Float32Array, other?: Person, from = 0) => {
    const startMs = (1000 * (position + from)) / MODEL_HZ;
    parts.push({ kind, startMs, endMs: (1000 * (position + clip.length)) / MODEL_HZ, ...(other && { other }) });
    sounds.push([position, clip]);
    position += clip.length + GAP_SECONDS * MODEL_HZ;
  };
  const said = (clip: Float32Array, db: number) =>
    levelled(clip, SPEECH_DBFS + db + LEVEL_SPREAD_DB * Math.log(logNormal(random, 1, 1)));
  let next = 0;
  for (let seconds = 0; seconds < LEARNED_SECONDS && next < caller.clips.length - TURNS; next++) {
    put(LEARNING, said(caller.clips[next]!, 0));
    seconds += caller.clips[next]!.length / MODEL_HZ;
  }
  const anyOf = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const others = people.filter((person) => person !== caller);
  const other = (kind: string, db: number) => {
    const who = anyOf(others);
    put(kind, said(anyOf(who.clips), db), who);
  };
  for (let each = 0; each < TURNS; each++) {
    put("caller", said(caller.clips[next + (each % (caller.clips.length - next))]!, 0));
    other("other, 6 dB below", -6);
  }
  const from = OVER_BEGINS_SECONDS * MODEL_HZ;
  const voice = said(caller.clips[next]!, 0);
  const mixed = new Float32Array(from + voice.length);
  const behind = said(anyOf(others).clips[0]!, -6);
  for (const i of mixed.keys()) mixed[i] = behind[i % behind.length]! + (voice[i - from] ?? 0);
  put("caller over another", mixed, undefined, from);
  for (let each = 0; each < 2; each++) {
    other("other, equally loud", 0);
    other("other, 3 dB above", 3);
    put("caller after loud others", said(caller.clips.at(-1 - each)!, 0));
  }
  for (const [clip, sound] of anyOf(others).clips.slice(-3).entries())
    put(`handset given, turn ${clip + 1}`, said(sound, 0));
  return { samples: joined(sounds, position, random), parts };
}

function joined(
  sounds: readonly (readonly [number, Float32Array])[],
  length: number,
  random: () => number,
): Float32Array {
  const call = new Float32Array(length);
  for (const [at, sound] of sounds) call.set(sound, at);
  const room = 10 ** (ROOM_DBFS / 20) * Math.sqrt(3);
  for (const at of call.keys()) call[at]! += room * (2 * random() - 1);
  return call;
}

/**
 * Every second person with enough recordings, sorted by name; `most` of them, evenly chosen. Each of them is a caller, and another voice in the
 * calls of the others. Throws OakError `BENCH_FAILED` for fewer than two people.
 */
export function peopleOf(folder: string, half: string, most: number): readonly Person[] {
  const inHalf = readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    .toSorted()
    .filter((_, at) => isInHalf(half, at))
    .filter((name) => readdirSync(join(folder, name)).length >= TURNS + 2);
  const people: Person[] = [];
  for (const name of inHalf.filter(
    (_, at) => Math.floor((at * most) / inHalf.length) !== Math.floor(((at - 1) * most) / inHalf.length),
  )) {
    const files = readdirSync(join(folder, name)).toSorted().slice(0, CLIPS);
    const clips = files
      .map((file) => readAudio(join(folder, name, file)))
      .filter(({ length }) => length >= MODEL_HZ)
      .map((clip) => clip.subarray(0, LONGEST_SECONDS * MODEL_HZ));
    const seconds = clips.reduce((sum, { length }) => sum + length / MODEL_HZ, 0);
    if (clips.length >= TURNS + 2 && seconds > LEAST_SECONDS) people.push({ name, clips });
  }
  if (people.length < 2)
    throw new OakError(
      `${folder} has ${String(people.length)} of the two callers that the ${half} half must have. A caller needs ${String(TURNS + 2)} recordings of a second or more, ` +
        `${String(LEAST_SECONDS)} s in all. Use a larger --callers or other --sets.`,
      { code: "BENCH_FAILED" },
    );
  return people;
}
