import { readdirSync } from "node:fs";
import { join } from "node:path";
import { MODEL_HZ } from "../../src/audio/format.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { loadSilero } from "../../src/engines/vad/silero.ts";
import { rejectTones } from "../../src/engines/vad/tone-rejection.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { seededRandom } from "../../src/simulated-callers/random.ts";
import { readAudio } from "../../src/simulated-callers/recordings/read-audio.ts";
import { Line, starterEngines } from "../../test/support/line.ts";
import { HALVES, isInHalf, readOptions } from "../options.ts";
import { overTelephone } from "../telephone-line.ts";
import { chunksOf } from "./front-end.ts";
import { levelled, repeated } from "./noises.ts";

const USAGE = `npm run bench:music -- --music DIR [--data DIR] [--sets A,B] [--half even|odd] [--no-turns]
How often music, noises and voices are named music in voice_activity: share of the time without pauses, and of the recordings. Then the turns and replies
of an assistant on hold: the models that ship, in virtual time. --music: recordings of music; 30 s of each, from 20 s on. DIR (../shared/data)
has the folder noise and one folder for each set, with one folder for each person. --half: every second recording and person.`;

const MUSIC_FROM_SECONDS = 20;
const PIECE_SECONDS = 30;
const NOISE_SECONDS = 20;
const VOICE_SECONDS = 60;
const LOUD_DBFS = -30;
const SOFT_DBFS = -45;
const DISTANCES_DB = [10, 0];
/** A sound counts where it is louder. */
const LEAST_SAMPLE = 0.01;
/** Between two utterances. */
const PAUSE_SECONDS = 1.5;

const values = readOptions(
  USAGE,
  {
    data: { type: "string", default: join(packageRoot, "..", "shared", "data") },
    music: { type: "string", default: "" },
    sets: {
      type: "string",
      default:
        "librispeech-mini,librispeech-test-clean,librispeech-dev-clean,librispeech-test-other,common-voice,common-voice-2,an4,speechocean-adults,emotion",
    },
    half: { type: "string", default: "even" },
    turns: { type: "boolean", default: true },
  },
  { half: HALVES },
);
if (values.music === "") {
  console.error(`--music: a folder is needed\n${USAGE}`);
  process.exit(2);
}
const vad = rejectTones(await loadSilero(loadServerConfig(undefined, {}).config.models.vad.path));

type Ways = Readonly<Record<string, (samples: Float32Array) => Float32Array>>;
const ways: Ways = {
  [`${LOUD_DBFS} dBFS`]: (samples) => levelled(samples, LOUD_DBFS),
  [`${SOFT_DBFS} dBFS`]: (samples) => levelled(samples, SOFT_DBFS),
  telephone: (samples) => overTelephone(levelled(samples, LOUD_DBFS)),
};

/** Names of a folder's files, or of its folders, in the half. */
const namesIn = (folder: string, isFolder: boolean): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() === isFolder ? [entry.name] : []))
    .toSorted()
    .filter((_, at) => isInHalf(values.half, at));

/** Counts frames of a sound and those that are named music. The sound counts where `clean` is loud. */
function countNamed(clean: Float32Array, changed: Float32Array) {
  const detector = vad.open();
  const { frameSamples } = detector;
  let [frames, named] = [0, 0];
  for (let at = 0; at + frameSamples <= clean.length; at += frameSamples) {
    detector.speechProbability(changed.subarray(at, at + frameSamples));
    const isLoud = clean.subarray(at, at + frameSamples).some((sample) => Math.abs(sample) > LEAST_SAMPLE);
    if (!isLoud) continue;
    frames += 1;
    if (detector.kind === "music") named += 1;
  }
  return { minutes: (frames * frameSamples) / MODEL_HZ / 60, share: frames === 0 ? 0 : named / frames };
}

function report(name: string, sounds: readonly Float32Array[], ofWays: Ways = ways): void {
  for (const [way, change] of Object.entries(ofWays)) {
    const counts = sounds.map((samples) => countNamed(samples, change(samples)));
    const minutes = counts.reduce((sum, each) => sum + each.minutes, 0);
    const named = counts.reduce((sum, each) => sum + each.minutes * each.share, 0);
    const ever = counts.filter(({ share }) => share > 0).length;
    const share = ((100 * named) / minutes).toFixed(2);
    console.log(
      `${name}, ${way}: ${share} % of ${minutes.toFixed(0)} minutes, ${String(ever)} of ${String(sounds.length)} recordings`,
    );
  }
}

/** A minute of one person, with pauses. */
function voice(folder: string): Float32Array {
  const call = new Float32Array(VOICE_SECONDS * MODEL_HZ);
  let at = 0;
  for (const file of readdirSync(folder).toSorted()) {
    const clip = levelled(readAudio(join(folder, file)), LOUD_DBFS);
    call.set(clip.subarray(0, Math.max(0, call.length - at)), Math.min(at, call.length));
    at += clip.length + PAUSE_SECONDS * MODEL_HZ;
    if (at >= call.length) break;
  }
  return call.subarray(0, Math.min(at, call.length));
}

async function holdMusic(
  pieces: readonly Float32Array[],
  way: string,
  change: (samples: Float32Array) => Float32Array,
) {
  const engines = await starterEngines();
  let [turns, worded, replies] = [0, 0, 0];
  for (const piece of pieces) {
    await using line = new Line(engines);
    for (const chunk of chunksOf(change(piece)))
      await line.speak(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    turns += line.all("turn_start").length;
    worded += line.all("turn_end").filter(({ data }) => data.transcript !== "").length;
    replies += line.replies;
  }
  console.log(
    `on hold, ${way}: ${String(turns)} turns, ${String(worded)} with words, ${String(replies)} replies in ${String(pieces.length)} pieces`,
  );
}

/** A copy, because the whole pieces would not fit in memory. */
const piece = (path: string): Float32Array =>
  readAudio(path).slice(MUSIC_FROM_SECONDS * MODEL_HZ, (MUSIC_FROM_SECONDS + PIECE_SECONDS) * MODEL_HZ);

const pieces = namesIn(values.music, false)
  .map((name) => levelled(piece(join(values.music, name)), LOUD_DBFS))
  .filter(({ length }) => length > 0);
report("music", pieces);
const kinds = readdirSync(join(values.data, "noise")).toSorted();
const noises = kinds.map((kind) =>
  namesIn(join(values.data, "noise", kind), false).map((name) =>
    levelled(repeated(readAudio(join(values.data, "noise", kind, name)), NOISE_SECONDS * MODEL_HZ), LOUD_DBFS),
  ),
);
for (const [at, kind] of kinds.entries())
  report(kind, noises[at]!, { [`${LOUD_DBFS} dBFS`]: ways[`${LOUD_DBFS} dBFS`]! });
const random = seededRandom(9);
const anyNoise = () => noises.flat()[Math.floor(random() * noises.flat().length)]!;
const over = (distance: number) => (samples: Float32Array) => {
  const noise = repeated(levelled(anyNoise(), LOUD_DBFS - distance), samples.length);
  return levelled(samples, LOUD_DBFS).map((sample, at) => sample + noise[at]!);
};
const mixtures = Object.fromEntries(
  DISTANCES_DB.map((distance) => [`${String(distance)} dB over noise`, over(distance)]),
);
for (const set of values.sets.split(",")) {
  const voices = namesIn(join(values.data, set), true).map((name) => voice(join(values.data, set, name)));
  report(set, voices, { ...ways, ...mixtures });
}
await vad.close();
if (values.turns) for (const [way, change] of Object.entries(ways)) await holdMusic(pieces, way, change);
process.exit();
