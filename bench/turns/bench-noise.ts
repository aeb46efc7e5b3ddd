import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MODEL_HZ } from "../../src/audio/format.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import type { SpeechRecognizer } from "../../src/engines/stt/speech-to-text.ts";
import { engineStarters } from "../../src/service/engine-starters.ts";
import { silentLog } from "../../src/shared/log.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { seededRandom } from "../../src/simulated-callers/random.ts";
import { readAudio } from "../../src/simulated-callers/recordings/read-audio.ts";
import { plainWords, wordErrors } from "../../src/simulated-callers/words/word-errors.ts";
import { readOptions } from "../options.ts";
import { callOf, type Call } from "./call.ts";
import { measure } from "./curve.ts";
import { suppressedSound, throughFrontEnd, type FrontEnd } from "./front-end.ts";
import { levelled, repeated, rooms, type Noise } from "./noises.ts";
import type { Outcome } from "./replay.ts";

const USAGE = `npm run bench:noise -- [--data DIR] [--config FILE] [--music DIR] [--no-words]
Twelve short LibriSpeech utterances, 4 s apart, in five kinds of rooms at several distances, and the rooms alone. Three
values for each figure: background_noise_adaptation off, on without noise suppression, and on. Turns end after 0.5 s of
silence, without words. The last columns are the words wrong (and doubtful texts) of the configured recogniser with the
sound as it is, which sessions use, and with its noise suppressed. DIR (../shared/data) has librispeech-mini and noise.
--music: recordings of music instead of made pieces. --no-words: without recogniser.`;

const SPEAKERS = 12;
const SPEECH_DBFS = -25;
const DISTANCES_DB = [20, 10, 5, 0];
const ALONE_DBFS = [-45, -35, -25];
const ALONE_SECONDS = 30;
/** Suppression is ready after this time of noise. */
const BEFORE_SECONDS = 5;
/** As src/conversation/transcripts/turn-transcriber.ts. */
const LEAD_IN_MS = 300;
const TAIL_MS = 90;
/** Longest time from the caller's last word to the end of a turn that noise did not hold open. */
const PROMPT_MS = 1300;
const SILENCE_ONLY = { naturalPauses: false, speakingRateAdaptation: false } as const;

/** With noise suppression only the third, which `background_noise_adaptation` switches on as well. */
const WAYS = [
  { backgroundNoiseAdaptation: false, suppresses: false },
  { backgroundNoiseAdaptation: true, suppresses: false },
  { backgroundNoiseAdaptation: true, suppresses: true },
] as const;

interface Reading extends Noise {
  readonly text: string;
}

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    data: { type: "string", default: join(packageRoot, "..", "shared", "data") },
    config: { type: "string" },
    music: { type: "string" },
    words: { type: "boolean", default: true },
  });
  const { config } = loadServerConfig(values.config, process.env);
  const start = engineStarters(config, 1, silentLog);
  const frontEnd = { vad: await start.vad(), noise: await start.noise() };
  const stt = values.words ? await start.stt() : undefined;
  const recognizer = stt?.open();
  try {
    const speech = readings(join(values.data, "librispeech-mini"));
    const callers = speech.slice(0, SPEAKERS);
    const before = { name: "", samples: new Float32Array(BEFORE_SECONDS * MODEL_HZ) };
    const said = callers.map(({ name, samples }) => ({ name, samples: levelled(samples, SPEECH_DBFS) }));
    const whole = callOf("readers", [before, ...said]);
    const call = { ...whole, turns: whole.turns.slice(1) };
    const texts = new Map(callers.map(({ name, text }) => [name, text]));
    const kinds = rooms({
      environments: join(values.data, "noise"),
      voices: speech.slice(SPEAKERS).map(({ samples }) => samples),
      music: values.music === undefined ? [] : musicIn(values.music),
      random: seededRandom(3),
    });
    printRow("", HEADINGS);
    const add = async (name: string, calls: readonly Call[]) => {
      const words = await wordCells(calls, texts, frontEnd, recognizer);
      printRow(name, [...(await turnCells(calls, frontEnd)), ...words]);
    };
    await add("no noise", [call]);
    for (const distance of DISTANCES_DB)
      for (const { kind, noises } of kinds) {
        const mixed = noises.map((noise) => mix(call, noise, distance));
        await add(`${kind} ${String(distance)} dB`, mixed);
      }
    console.log("\nThe rooms alone: seconds of 30 in which a turn begins or ends");
    for (const level of ALONE_DBFS)
      for (const { kind, noises } of kinds)
        console.log(`${kind} ${String(level)} dBFS`.padEnd(20), await aloneCell(noises, level, frontEnd));
  } finally {
    recognizer?.close();
    await Promise.all([frontEnd.vad.close(), stt?.close()]);
  }
}

const HEADINGS = ["end in time, %", "cut off, %", "unheard, %", "words wrong, %", "suppressed"];

/** Rows appear as they are known: the whole table takes minutes. */
const printRow = (name: string, cells: readonly string[]) =>
  console.log([name.padEnd(16), ...cells.map((cell) => cell.padStart(15))].join(""));

/** The outcomes of all calls in each way. */
async function inEachWay(calls: readonly Call[], frontEnd: FrontEnd): Promise<readonly (readonly Outcome[])[]> {
  const hear = async (suppresses: boolean) => {
    const heard = [];
    for (const call of calls) heard.push({ call, heard: await throughFrontEnd(call.samples, frontEnd, suppresses) });
    return heard;
  };
  const [plain, suppressed] = [await hear(false), await hear(true)];
  const points = WAYS.map(({ suppresses, backgroundNoiseAdaptation }) =>
    measure(suppresses ? suppressed : plain, { ...SILENCE_ONLY, backgroundNoiseAdaptation }, [0.5]),
  );
  return (await Promise.all(points)).map(([point]) => point!.outcomes);
}

async function turnCells(calls: readonly Call[], frontEnd: FrontEnd): Promise<readonly string[]> {
  const ways = await inEachWay(calls, frontEnd);
  const cell = (is: (outcome: Outcome) => boolean) =>
    ways.map((outcomes) => ((100 * outcomes.filter(is).length) / outcomes.length).toFixed(0)).join(" / ");
  return [
    cell((outcome) => outcome.kind === "ended" && outcome.delayMs <= PROMPT_MS),
    cell(({ kind }) => kind === "cut-off"),
    cell(({ kind }) => kind === "unheard"),
  ];
}

async function wordCells(
  calls: readonly Call[],
  texts: ReadonlyMap<string, string>,
  { noise }: FrontEnd,
  recognizer: SpeechRecognizer | undefined,
): Promise<readonly string[]> {
  if (recognizer === undefined) return [];
  const cells: string[] = [];
  for (const change of [
    (samples: Float32Array) => samples,
    (samples: Float32Array) => suppressedSound(samples, noise),
  ]) {
    let [wrong, words, doubtful] = [0, 0, 0];
    for (const { samples, turns } of calls) {
      const sound = change(samples);
      for (const { name, startMs, endMs } of turns) {
        const [from, to] = [startMs - LEAD_IN_MS, endMs + TAIL_MS].map((atMs) => Math.round((atMs * MODEL_HZ) / 1000));
        const request = { samples: sound.slice(from, to), kind: "final", language: "en" } as const;
        const { text, isDoubtful } = await recognizer.transcribe(request, new AbortController().signal);
        const truth = plainWords(texts.get(name) ?? "");
        wrong += wordErrors(truth, plainWords(text));
        words += truth.length;
        doubtful += isDoubtful === true ? 1 : 0;
      }
    }
    cells.push(`${((100 * wrong) / words).toFixed(1)} (${String(doubtful)})`);
  }
  return cells;
}

/** Calls without speech. Each turn that begins or ends in them is an error. */
async function aloneCell(noises: readonly Noise[], level: number, frontEnd: FrontEnd): Promise<string> {
  const turns = Array.from({ length: ALONE_SECONDS }, (_, second) => ({
    name: "",
    startMs: 1000 * second,
    endMs: 1000 * second,
    untilMs: 1000 * (second + 1),
  }));
  const calls = noises.map(({ name, samples }) => ({
    caller: name,
    samples: levelled(repeated(samples, ALONE_SECONDS * MODEL_HZ), level),
    turns,
  }));
  const ways = await inEachWay(calls, frontEnd);
  return ways
    .map((outcomes) => (outcomes.filter(({ kind }) => kind !== "unheard").length / noises.length).toFixed(1))
    .join(" / ");
}

/** The shortest recording of two seconds or more of each speaker. */
function readings(folder: string): readonly Reading[] {
  const lines = readFileSync(join(folder, "transcripts.tsv"), "utf8").trim().split("\n").slice(1);
  const texts = new Map(lines.map((line) => line.split("\t")).map(([file = "", , text = ""]) => [file, text]));
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const all = readdirSync(join(folder, name)).filter((file) => file.endsWith(".opus"));
      const read = all.map((file) => ({ file, samples: readAudio(join(folder, name, file)) }));
      const long = read.filter(({ samples }) => samples.length > 2 * MODEL_HZ);
      const shortest = long.toSorted((a, b) => a.samples.length - b.samples.length)[0]!;
      return { name, samples: shortest.samples, text: texts.get(`${name}/${shortest.file}`) ?? "" };
    });
}

const musicIn = (folder: string): readonly Float32Array[] =>
  readdirSync(folder)
    .toSorted()
    .slice(0, 2)
    .map((name) => readAudio(join(folder, name)).subarray(0, ALONE_SECONDS * MODEL_HZ));

function mix(call: Call, noise: Noise, distanceDb: number): Call {
  const behind = levelled(repeated(noise.samples, call.samples.length), SPEECH_DBFS - distanceDb);
  return { ...call, samples: call.samples.map((sample, i) => sample + behind[i]!) };
}

await main();
