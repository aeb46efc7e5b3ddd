import { CALL_HZ } from "../../src/audio/format.ts";
import { LowBandEqualizer } from "../../src/audio/low-band-equalizer.ts";
import { resampleAll } from "../../src/audio/resampler.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import type { EmotionClassifier } from "../../src/engines/emotion/emotion-classifier.ts";
import { engineStarters } from "../../src/service/engine-starters.ts";
import { errorMessage, OakError } from "../../src/shared/errors.ts";
import { silentLog } from "../../src/shared/log.ts";
import type { SpeechContext, SpeechRecognizer } from "../../src/engines/stt/speech-to-text.ts";
import type { SpokenAnswer } from "../../src/language/expectation.ts";
import type { TextToSpeech } from "../../src/engines/tts/text-to-speech.ts";
import { speakable } from "../../src/language/packs/en/speakable.ts";
import { evenly } from "../evenly.ts";
import { plainWords, wordErrors } from "../../src/simulated-callers/words/word-errors.ts";
import { compareContexts } from "./contexts.ts";
import { betweenSilences, openDnsmos } from "./dnsmos.ts";
import { comparePhrases } from "./phrases.ts";
import { PARTS, partOf } from "./parts.ts";
import { readAudio, requireReadable } from "../../src/simulated-callers/recordings/read-audio.ts";
import { findRecordings, type RecordingSet } from "../../src/simulated-callers/recordings/recordings.ts";
import { readOptions } from "../options.ts";
import { overTelephone } from "../telephone-line.ts";

const USAGE = `npm run eval:models -- --data DIR [--config FILE] [--dnsmos FILE] [--limit N] [--errors] [--contexts]
                       [--telephone] [--words] [--phrases N] [--voice NAME]... [--language CODE|auto]
                       [--expects number|letters]
                       [--part work|final|all]
Runs the models of the server's configuration on each recording in DIR and prints a table. It has the word error rate
of recordings with known words (and of Oakvoice's voice with the same texts), and the invented words in recordings
without speech. Folders that are named after emotions give the accuracy of emotions. --limit uses N recordings of each
set, evenly. --errors prints each wrong or doubtful transcript. --contexts compares the recogniser's encoder contexts instead, by
length of the clips. A cell has word errors, lost and invented clauses (runs of four words and more), empty texts, and
the processor time of one final. Without speech it has the invented words and the clips with them. --telephone:
recordings and voices after a telephone line (300 to 3,400 Hz, mu-law), without emotions. --words: recordings alone.
--phrases: recordings alone, without phrases, with N rare words of other recordings as phrases, and with the
recording's own rare words among them.
--voice: speakers of the voice, by name or number.
--expects: what the service has just asked for.
--language: the language that the recogniser is given. "auto": the recogniser identifies the language of the first 10 s,
and the share of right languages is printed. Without it, a folder that is named by a language code counts, else English.
Languages other than English are measured on recordings alone.
--part: two thirds of the speakers (work) or the others (final). Choose values on work, and report final.`;

/** The recogniser accepts 35 s at most, and the pipeline never passes more than 27 s. */
const MAX_SAMPLES = 27 * 16_000;
/** Limits of `identifyLanguage`. */
const MIN_IDENTIFIED = 0.5 * 16_000;
const MAX_IDENTIFIED = 10 * 16_000;
/** Number of texts of each set that the voice speaks, and most words of a text. */
const SAID = 40;
const MAX_SAID_WORDS = 20;

const EXPECTED: readonly SpokenAnswer[] = ["number", "letters"];

/** Changes a recording as its way to the server does. */
type Line = (samples: Float32Array) => Float32Array;

interface Score {
  errors: number;
  words: number;
  whole: number;
  clips: number;
  doubtful: number;
  /** Wall time of all finals. */
  milliseconds: number;
  /** Clips whose identified language is known to be right, or known at all. */
  rightLanguages: number;
  knownLanguages: number;
}

const newScore = (): Score => ({
  errors: 0,
  words: 0,
  whole: 0,
  clips: 0,
  doubtful: 0,
  milliseconds: 0,
  rightLanguages: 0,
  knownLanguages: 0,
});

async function main(): Promise<void> {
  const values = readOptions(USAGE, {
    data: { type: "string" },
    config: { type: "string" },
    dnsmos: { type: "string" },
    limit: { type: "number" },
    errors: { type: "boolean", default: false },
    contexts: { type: "boolean", default: false },
    telephone: { type: "boolean", default: false },
    words: { type: "boolean", default: false },
    phrases: { type: "number" },
    voice: { type: "string", multiple: true, default: ["default"] },
    language: { type: "string" },
    expects: { type: "string" },
    part: { type: "string", default: "all" },
  });
  if (values.data === undefined) return console.log(USAGE);
  const part = PARTS.find((name) => name === values.part);
  if (part === undefined) throw new OakError(`--part is one of ${PARTS.join(", ")}.`, { code: "BENCH_FAILED" });
  const expects = EXPECTED.find((name) => name === values.expects);
  if (values.expects !== expects)
    throw new OakError(`--expects is one of ${EXPECTED.join(", ")}.`, { code: "BENCH_FAILED" });
  requireReadable(values.data);
  const { config } = loadServerConfig(values.config, process.env);
  const setsOf = (emotions: readonly string[]) =>
    findRecordings(values.data ?? "", emotions, values.language).map(({ name, recordings }) => ({
      name,
      recordings: evenly(
        recordings.filter((recording) => part === "all" || partOf(recording) === part),
        values.limit ?? Infinity,
      ),
    }));
  if (values.contexts) return compareContexts(setsOf([]), config);
  const start = engineStarters(config, 1, silentLog);
  const [stt, emotion, tts] = await Promise.all([start.stt(), start.emotion(), start.tts()]);
  const recognizer = stt.open();
  const dnsmos = values.dnsmos === undefined ? undefined : await openDnsmos(values.dnsmos);
  try {
    const newLine = (): Line => {
      const equalizer = new LowBandEqualizer(CALL_HZ);
      return (samples) => (values.telephone ? overTelephone(samples, equalizer) : samples);
    };
    if (values.phrases !== undefined) {
      const hear = async (samples: Float32Array, phrases: readonly string[]) =>
        (await transcribe(recognizer, samples, "en", { phrases })).text;
      const line = newLine();
      const read = (path: string) => line(readAudio(path).subarray(0, MAX_SAMPLES));
      return await comparePhrases(setsOf(emotion.labels), values.phrases, { read, hear });
    }
    for (const set of setsOf(emotion.labels)) {
      const line = newLine();
      await evaluateWords(set, recognizer, values.language, expects, values.errors, line);
      await evaluateSilence(set, recognizer, values.language, values.errors, line);
      if (values.words || (values.language ?? "en") !== "en") continue;
      await evaluateVoices(set, recognizer, voicesOf(tts, values.voice), dnsmos, line);
      if (!values.telephone) await evaluateEmotion(set, emotion);
    }
  } finally {
    recognizer.close();
    await Promise.all([stt.close(), emotion.close(), tts.close()]);
  }
}

async function evaluateWords(
  { name, recordings }: RecordingSet,
  recognizer: SpeechRecognizer,
  wanted: string | undefined,
  expects: SpokenAnswer | undefined,
  showErrors: boolean,
  line: Line,
) {
  const score = newScore();
  for (const { path, truth, language } of recordings) {
    if (truth.kind !== "words") continue;
    const samples = readAudio(path);
    if (samples.length > MAX_SAMPLES) {
      console.log(`${path}: skipped, longer than ${MAX_SAMPLES / 16_000} s`);
      continue;
    }
    const sound = line(samples);
    const used = wanted === "auto" ? await identify(recognizer, sound) : (wanted ?? language ?? "en");
    if (wanted === "auto" && language !== undefined) {
      score.knownLanguages += 1;
      score.rightLanguages += used === language ? 1 : 0;
    }
    const heard = await transcribe(recognizer, sound, used, { expects });
    const wrong = count(score, truth.text, heard, language ?? used);
    if (showErrors && (wrong > 0 || heard.isDoubtful))
      console.log(`  "${truth.text}" -> "${heard.text}"${heard.isDoubtful ? " (doubtful)" : ""}`);
  }
  if (score.clips > 0) console.log(`${name}: ${describe(score)}`);
}

async function evaluateSilence(
  { name, recordings }: RecordingSet,
  recognizer: SpeechRecognizer,
  wanted: string | undefined,
  showErrors: boolean,
  line: Line,
) {
  const silent = recordings.filter(({ truth }) => truth.kind === "no speech");
  let clips = 0;
  let words = 0;
  let doubtful = 0;
  let milliseconds = 0;
  for (const { path, language } of silent) {
    const sound = line(readAudio(path).subarray(0, MAX_SAMPLES));
    const used = wanted === "auto" ? await identify(recognizer, sound) : (wanted ?? language ?? "en");
    const heard = await transcribe(recognizer, sound, used);
    milliseconds += heard.milliseconds;
    if (heard.text === "") continue;
    clips += 1;
    doubtful += heard.isDoubtful ? 1 : 0;
    words += plainWords(heard.text, used).length;
    if (showErrors) console.log(`  ${path} -> "${heard.text}"${heard.isDoubtful ? " (doubtful)" : ""}`);
  }
  if (silent.length === 0) return;
  const invented = `words invented on ${clips} of ${silent.length} recordings without speech (${words} words)`;
  console.log(
    `${name}: ${invented}; ${doubtful} of them doubtful; ${(milliseconds / silent.length).toFixed(0)} ms a final`,
  );
}

/** 16 kHz. */
type Say = (text: string) => Promise<Float32Array>;

/** The named speakers of the voice. */
const voicesOf = (tts: TextToSpeech, speakers: readonly string[]): ReadonlyMap<string, Say> =>
  new Map(speakers.map((name) => [`voice ${name}`, (text) => sayWith(tts, name, text)]));

/** Recognises what the voices say. DNSMOS is that of the speech before the line. */
async function evaluateVoices(
  { name, recordings }: RecordingSet,
  recognizer: SpeechRecognizer,
  voices: ReadonlyMap<string, Say>,
  dnsmos: ((samples: Float32Array) => Promise<number>) | undefined,
  line: Line,
) {
  const texts = recordings
    .flatMap(({ truth }) => (truth.kind === "words" ? [truth.text] : []))
    .filter((text, index, all) => all.indexOf(text) === index && plainWords(text).length <= MAX_SAID_WORDS);
  for (const [voice, say] of voices) {
    const score = newScore();
    const qualities: number[] = [];
    for (const text of evenly(texts, SAID)) {
      const samples = await say(speakable(text));
      if (samples === undefined) continue;
      count(score, text, await transcribe(recognizer, line(samples), "en"), "en");
      if (dnsmos !== undefined) qualities.push(await dnsmos(betweenSilences(samples)));
    }
    const quality = qualities.length === 0 ? "" : `; DNSMOS overall ${mean(qualities).toFixed(2)}`;
    if (score.clips > 0) console.log(`${name}, said by ${voice}: ${describe(score)}${quality}`);
  }
}

async function evaluateEmotion({ name, recordings }: RecordingSet, classifier: EmotionClassifier) {
  const matrix = new Map(classifier.labels.map((label) => [label, new Map<string, number>()]));
  for (const { path, truth } of recordings) {
    if (truth.kind !== "emotion") continue;
    const samples = readAudio(path);
    const spare = Math.max(0, samples.length - classifier.maxSeconds * 16_000);
    const middle = samples.subarray(Math.floor(spare / 2), samples.length - Math.ceil(spare / 2));
    const scores = await classifier.classify(middle, new AbortController().signal);
    const [best] = Object.entries(scores).toSorted(([, a], [, b]) => b - a)[0] ?? [""];
    const row = matrix.get(truth.label);
    row?.set(best, (row.get(best) ?? 0) + 1);
  }
  const rows = [...matrix]
    .map(([label, row]) => ({ label, row, total: sum([...row.values()]) }))
    .filter((r) => r.total > 0);
  if (rows.length === 0) return;
  const recalls = rows.map(({ label, row, total }) => (row.get(label) ?? 0) / total);
  console.log(
    `${name}: unweighted accuracy ${percent(mean(recalls))} of ${rows.length} emotions; rows are the references`,
  );
  console.log(`  ${"".padEnd(10)}${classifier.labels.map((label) => label.padStart(9)).join("")}`);
  for (const { label, row } of rows)
    console.log(`  ${label.padEnd(10)}${classifier.labels.map((l) => String(row.get(l) ?? 0).padStart(9)).join("")}`);
}

interface Heard {
  readonly text: string;
  readonly isDoubtful: boolean;
  readonly milliseconds: number;
}

async function transcribe(
  recognizer: SpeechRecognizer,
  samples: Float32Array,
  language: string,
  known: Pick<SpeechContext, "phrases" | "expects"> = {},
): Promise<Heard> {
  const request = { samples, kind: "final", language, ...known } as const;
  const before = performance.now();
  const { text, isDoubtful = false } = await recognizer.transcribe(request, new AbortController().signal);
  return { text, isDoubtful, milliseconds: performance.now() - before };
}

/** The likeliest of the recogniser's languages. English for a clip that is too short. @throws OakError `BENCH_FAILED`. */
async function identify(recognizer: SpeechRecognizer, samples: Float32Array): Promise<string> {
  if (recognizer.identifyLanguage === undefined)
    throw new OakError("This recogniser cannot identify a language. Use --language with a code.", {
      code: "BENCH_FAILED",
    });
  if (samples.length < MIN_IDENTIFIED) return "en";
  const scores = await recognizer.identifyLanguage(samples.subarray(0, MAX_IDENTIFIED), new AbortController().signal);
  const [best] = Object.entries(scores).toSorted(([, a], [, b]) => b - a)[0] ?? ["en"];
  return best;
}

async function sayWith(tts: TextToSpeech, voice: string, text: string): Promise<Float32Array> {
  const samples = await tts.synthesize({ text, voice, speed: 1 }, new AbortController().signal);
  return resampleAll(samples, tts.sampleRateHz, 16_000);
}

/** Adds one clip and returns its errors. */
function count(score: Score, truth: string, heard: Heard, language: string): number {
  const wanted = plainWords(truth, language);
  const errors = wordErrors(wanted, plainWords(heard.text, language), language);
  score.errors += errors;
  score.words += wanted.length;
  score.whole += errors === 0 ? 1 : 0;
  score.clips += 1;
  score.doubtful += heard.isDoubtful ? 1 : 0;
  score.milliseconds += heard.milliseconds;
  return errors;
}

function describe(score: Score): string {
  const { errors, words, whole, clips, doubtful, milliseconds, rightLanguages, knownLanguages } = score;
  return [
    `word error rate ${percent(errors / words)} of ${words} words`,
    `${whole} of ${clips} recordings without an error`,
    `${doubtful} doubtful`,
    `${(milliseconds / clips).toFixed(0)} ms a final`,
    ...(knownLanguages === 0 ? [] : [`language right on ${rightLanguages} of ${knownLanguages}`]),
  ].join("; ");
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

main().catch((error: unknown) => {
  console.error(errorMessage(error));
  process.exit(1); // where one model failed to start, the others still run
});
