import { readFileSync } from "node:fs";
import { MODEL_HZ } from "../../src/audio/format.ts";
import { resampleAll } from "../../src/audio/resampler.ts";
import type { WavAudio } from "../../src/audio/wav.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { engineStarters } from "../../src/service/engine-starters.ts";
import type { SpeechRecognizer } from "../../src/engines/stt/speech-to-text.ts";
import type { TextToSpeech } from "../../src/engines/tts/text-to-speech.ts";
import { languageOf } from "../../src/language/packs/languages.ts";
import { clausesOf, speakText } from "../../src/operator/say/spoken-text.ts";
import { silentLog } from "../../src/shared/log.ts";
import { evenly } from "../evenly.ts";
import { betweenSilences, openDnsmos } from "../models/dnsmos.ts";
import { readOptions } from "../options.ts";
import { alignRows, type Row } from "../text-table.ts";
import { plainWords, wordErrors } from "../../src/simulated-callers/words/word-errors.ts";
import { melodyOf } from "./melody.ts";
import { countClicks, isCut, median, speechLevel } from "./waveform-measures.ts";

const USAGE = `npm run eval:voice -- [--config FILE] [--voice NAME] [--texts FILE] [--names FILE] [--dnsmos FILE] [--limit N] [--heard]
Speaks sentences and names with the configured voice, as a caller would hear them, and prints a table. It has DNSMOS, the words
that the configured recogniser hears wrong, clicks, levels and cut ends. It has the melody of sentences that are spoken whole and
in clauses, and the time to the first audio of a clause.
--texts, --names: one a line. Default: those of bench/voice.
--dnsmos: sig_bak_ovr.onnx of the Python package speechmos 0.0.1.1.
--limit: uses N sentences and N names, evenly.
--heard: prints what was heard wrong.`;

const options = readOptions(USAGE, {
  config: { type: "string" },
  voice: { type: "string", default: "default" },
  texts: { type: "string", default: "bench/voice/sentences.txt" },
  names: { type: "string", default: "bench/voice/names.txt" },
  dnsmos: { type: "string" },
  limit: { type: "number" },
  heard: { type: "boolean", default: false },
});
const WAVEFORM_TEXTS = 60;
const language = languageOf("en");
const signal = new AbortController().signal;
const linesOf = (file: string): readonly string[] => {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return evenly(lines, options.limit ?? lines.length);
};
const at16kHz = ({ samples, sampleRateHz }: WavAudio) => resampleAll(samples, sampleRateHz, MODEL_HZ);
const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length);

/** A text in one piece, with which its clauses are compared. */
const speakWhole = (speech: TextToSpeech, text: string): Promise<WavAudio> =>
  speakText(speech, text, { language, voice: options.voice, speed: 1 }, signal, (whole) => [whole]);

class Listener {
  readonly #ear: SpeechRecognizer;
  errors = 0;
  words = 0;

  constructor(ear: SpeechRecognizer) {
    this.#ear = ear;
  }

  async hear(wav: WavAudio): Promise<string> {
    const { text } = await this.#ear.transcribe({ samples: at16kHz(wav), kind: "final", language: "en" }, signal);
    return text;
  }

  async compare(text: string, wav: WavAudio): Promise<void> {
    const heard = await this.hear(wav);
    const errors = wordErrors(plainWords(text), plainWords(heard));
    this.words += plainWords(text).length;
    this.errors += errors;
    if (errors > 0 && options.heard) console.log(`${text} -> ${heard}`);
  }
}

async function soundRows(texts: readonly string[], spoken: readonly WavAudio[]): Promise<readonly Row[]> {
  const some = evenly(spoken, WAVEFORM_TEXTS);
  const levels = some.map(({ samples }) => speechLevel(samples));
  const score = options.dnsmos === undefined ? undefined : await openDnsmos(options.dnsmos);
  const scores: number[] = [];
  for (const wav of score === undefined ? [] : spoken) scores.push(await score!(betweenSilences(at16kHz(wav))));
  return [
    {
      name: `DNSMOS overall, ${String(texts.length)} sentences`,
      cells: [score === undefined ? "-" : mean(scores).toFixed(2)],
    },
    { name: "clicks", cells: [String(some.reduce((sum, wav) => sum + countClicks(wav.samples, wav.sampleRateHz), 0))] },
    {
      name: "largest step in level, dB",
      cells: [Math.max(...levels.map((level) => Math.abs(level - median(levels)))).toFixed(1)],
    },
    { name: "cut ends", cells: [String(some.filter((wav) => isCut(wav.samples, wav.sampleRateHz)).length)] },
  ];
}

async function melodyRows(
  speech: TextToSpeech,
  texts: readonly string[],
  spoken: readonly WavAudio[],
): Promise<readonly Row[]> {
  const pairs = texts.flatMap((text, index) => {
    const inClauses = spoken[index];
    return inClauses !== undefined && clausesOf(text, language.keepsDot).length > 1 ? [{ text, inClauses }] : [];
  });
  const shifts = { center: [] as number[], spread: [] as number[], end: [] as number[], length: [] as number[] };
  for (const { text, inClauses } of pairs) {
    const whole = await speakWhole(speech, text);
    const one = melodyOf(whole.samples, whole.sampleRateHz);
    const other = melodyOf(inClauses.samples, inClauses.sampleRateHz);
    for (const part of ["center", "spread", "end"] as const) shifts[part].push(other[part] - one[part]);
    shifts.length.push(inClauses.samples.length / inClauses.sampleRateHz / (whole.samples.length / whole.sampleRateHz));
  }
  const semitones = (numbers: readonly number[]) =>
    `${mean(numbers).toFixed(2)} (${mean(numbers.map(Math.abs)).toFixed(2)})`;
  return [
    { name: `in clauses against whole, ${String(pairs.length)} sentences, semitones: mean (absolute)`, cells: [] },
    { name: "  middle of the melody", cells: [semitones(shifts.center)] },
    { name: "  spread of the melody", cells: [semitones(shifts.spread)] },
    { name: "  pitch at the end", cells: [semitones(shifts.end)] },
    { name: "  length", cells: [mean(shifts.length).toFixed(2)] },
  ];
}

async function timeRows(speech: TextToSpeech, texts: readonly string[]): Promise<readonly Row[]> {
  const times: number[] = [];
  for (const text of texts) {
    const spoken = language.speakable(clausesOf(text, language.keepsDot)[0] ?? text);
    const start = performance.now();
    await speech.synthesize({ text: spoken, voice: options.voice, speed: 1 }, signal);
    times.push(performance.now() - start);
  }
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) =>
    `${(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(0)} ms`;
  return [{ name: "first clause, p50 and p95", cells: [at(0.5), at(0.95)] }];
}

async function main(): Promise<void> {
  const { config } = loadServerConfig(options.config, process.env);
  const start = engineStarters(config, 1, silentLog);
  const [speech, recogniser] = await Promise.all([start.tts(), start.stt()]);
  const ear = recogniser.open();
  try {
    const texts = linesOf(options.texts);
    const times = await timeRows(speech, texts);
    const spoken: WavAudio[] = [];
    for (const text of texts)
      spoken.push(await speakText(speech, text, { language, voice: options.voice, speed: 1 }, signal));
    const sentences = new Listener(ear);
    for (const [index, wav] of spoken.entries()) await sentences.compare(texts[index] ?? "", wav);
    const names = linesOf(options.names);
    let right = 0;
    for (const name of names) {
      const wav = await speakText(
        speech,
        `Please ask for ${name} today.`,
        { language, voice: options.voice, speed: 1 },
        signal,
      );
      const heard = await new Listener(ear).hear(wav);
      if (plainWords(heard).join("").includes(plainWords(name).join(""))) right += 1;
      else if (options.heard) console.log(`${name} -> ${heard}`);
    }
    const rows = [
      ...(await soundRows(texts, spoken)),
      { name: "words heard wrong", cells: [percent(sentences.errors, sentences.words)] },
      ...(await melodyRows(speech, texts, spoken)),
      ...times,
      { name: `names heard as written, of ${String(names.length)}`, cells: [percent(right, names.length)] },
    ];
    console.log(alignRows(rows));
  } finally {
    ear.close();
    await Promise.all([speech.close(), recogniser.close()]);
  }
}

await main();
