import { MODEL_HZ } from "../../src/audio/format.ts";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, parse } from "node:path";
import { LevelMeter } from "../../src/audio/level.ts";
import { RumbleFilter } from "../../src/audio/rumble-filter.ts";
import type { EndOfTurnModel } from "../../src/engines/end-of-turn/end-of-turn-model.ts";
import { PunctuationOdds } from "../../src/conversation/ear/punctuation-odds.ts";
import type { SpeechRecognizer, Transcript } from "../../src/engines/stt/speech-to-text.ts";
import { soundsUnfinished } from "../../src/language/packs/en/unfinished.ts";
import type { VadEngine } from "../../src/engines/vad/voice-activity-detector.ts";
import type { Call } from "./call.ts";

/** The clip of a short turn, as in src/conversation/transcripts/turn-transcriber.ts. Turns of more than 5 s are divided there, but not here. */
const LEAD_IN_MS = 300;
const TAIL_MS = 90;
const LONGEST_MS = 27_000;

/** Results of the models for a call. They are computed once, stored in a folder and replayed. */
export interface HeardCall {
  readonly frameMs: number;
  readonly probabilities: Float32Array;
  readonly aboveNoiseDb: Float32Array;
  readonly noiseFloorDbfs: Float32Array;
  /** The end-of-turn model's probability. Undefined without a model. */
  over(startMs: number, pauseMs: number, atMs: number): Promise<number | undefined>;
  /**
   * The judgements of the words so far, the early words first, and the final ones last. Empty without a recogniser. `isAnswer`: the words
   * follow a question.
   */
  words(startMs: number, pauseMs: number, isAnswer: boolean): Promise<readonly HeardWords[]>;
  save(): void;
}

export interface HeardWords {
  /** From the request to the words, ms. */
  readonly afterMs: number;
  readonly unfinished: boolean;
  readonly wordOdds: number;
}

export interface Ears {
  readonly vad: VadEngine;
  readonly model: EndOfTurnModel | undefined;
  /** Identifies the model. */
  readonly modelPath: string;
  readonly recognizer?: SpeechRecognizer | undefined;
  readonly recognizerPath?: string | undefined;
}

export async function hear(call: Call, ears: Ears, cacheDir: string): Promise<HeardCall> {
  mkdirSync(cacheDir, { recursive: true });
  const audio = hash(Buffer.from(call.samples.buffer));
  const detector = ears.vad.open();
  const { frameSamples } = detector;
  const frames = Math.floor(call.samples.length / frameSamples);
  const meter = new LevelMeter(frameSamples / MODEL_HZ);
  const rumble = new RumbleFilter(MODEL_HZ);
  const aboveNoiseDb = new Float32Array(frames);
  const noiseFloorDbfs = new Float32Array(frames);
  const vadFile = join(cacheDir, `${audio}.vad`);
  const cached = existsSync(vadFile);
  const probabilities = cached
    ? new Float32Array(Uint8Array.from(readFileSync(vadFile)).buffer)
    : new Float32Array(frames);
  for (let i = 0; i < frames; i++) {
    const frame = call.samples.subarray(i * frameSamples, (i + 1) * frameSamples);
    meter.update(rumble.process(frame.slice()));
    noiseFloorDbfs[i] = meter.noiseFloorDbfs;
    aboveNoiseDb[i] = meter.levelDbfs - meter.noiseFloorDbfs;
    if (!cached) probabilities[i] = detector.speechProbability(frame);
  }
  if (!cached) writeFileSync(vadFile, Buffer.from(probabilities.buffer));

  const { model } = ears;
  const answersFile = join(cacheDir, `${audio}.${model === undefined ? "none" : hashOfModel(ears.modelPath)}.json`);
  const answers = new Map<string, number>(
    existsSync(answersFile) ? (JSON.parse(readFileSync(answersFile, "utf8")) as [string, number][]) : [],
  );
  const before = answers.size;
  const melodies = new Map<number, number | undefined>();
  const { recognizer } = ears;
  const heardFile = join(
    cacheDir,
    `${audio}.${recognizer === undefined ? "none" : hashOfModel(ears.recognizerPath ?? "")}.texts.json`,
  );
  const transcripts = new Map<string, readonly Transcribed[]>(
    existsSync(heardFile) ? (JSON.parse(readFileSync(heardFile, "utf8")) as [string, Transcribed[]][]) : [],
  );
  const punctuation = new PunctuationOdds();
  return {
    frameMs: (frameSamples * 1000) / MODEL_HZ,
    probabilities,
    aboveNoiseDb,
    noiseFloorDbfs,
    async over(startMs, pauseMs, atMs) {
      if (model === undefined) return undefined;
      const key = `${String(pauseMs)}:${String(atMs)}`;
      const known = answers.get(key);
      if (known !== undefined) return known;
      const until = Math.round((atMs * MODEL_HZ) / 1000);
      const samples = call.samples.slice(Math.max(0, until - model.windowSamples), until);
      const odds = melodies.get(pauseMs) ?? (await melodyOdds(model, call.samples, startMs, until));
      melodies.set(pauseMs, odds);
      const answer = await model.probabilityOver(samples, atMs - pauseMs, odds);
      answers.set(key, answer);
      return answer;
    },
    async words(startMs, pauseMs, isAnswer) {
      if (recognizer === undefined || model === undefined) return [];
      const key = `${String(startMs)}:${String(pauseMs)}`;
      const known = transcripts.get(key) ?? (await transcribe(recognizer, call.samples, startMs, pauseMs));
      transcripts.set(key, known);
      return known.map(({ text, confidence, afterMs }) => ({
        afterMs,
        unfinished: soundsUnfinished(text),
        wordOdds: model.oddsByWords(text, confidence, isAnswer) + punctuation.of(text),
      }));
    },
    save() {
      if (transcripts.size > 0) writeFileSync(heardFile, JSON.stringify([...transcripts]));
      if (answers.size > before) writeFileSync(answersFile, JSON.stringify([...answers]));
    },
  };
}

/** As src/conversation/ear/end-of-turn-watch.ts asks. */
function melodyOdds(model: EndOfTurnModel, samples: Float32Array, startMs: number, until: number) {
  const from = Math.max(0, (startMs - LEAD_IN_MS) * (MODEL_HZ / 1000), until - model.melodySamples);
  return model.melodyOdds(samples.slice(Math.round(from), until));
}

interface Transcribed {
  readonly text: string;
  readonly confidence: number;
  readonly afterMs: number;
}

/** Decodes a pausing turn like the service. The times are those of this machine. */
async function transcribe(
  recognizer: SpeechRecognizer,
  samples: Float32Array,
  startMs: number,
  pauseMs: number,
): Promise<readonly Transcribed[]> {
  const from = Math.max(0, startMs - LEAD_IN_MS, pauseMs - LONGEST_MS) * (MODEL_HZ / 1000);
  const clip = samples.slice(Math.round(from), Math.round((pauseMs + TAIL_MS) * (MODEL_HZ / 1000)));
  const request = { samples: clip, kind: "final", language: "en" } as const;
  const heard: Transcribed[] = [];
  const startedMs = performance.now();
  const add = ({ text, confidence }: Transcript) =>
    void heard.push({ text, confidence, afterMs: Math.round(performance.now() - startedMs) });
  add(await recognizer.transcribe(request, new AbortController().signal, add));
  return heard;
}

/** Covers a model file and the files beside it: `model.bin`, `model.words`, `model-melody.onnx`. */
function hashOfModel(file: string): string {
  const stem = parse(file).name;
  const names = readdirSync(dirname(file)).filter(
    (name) => name.startsWith(stem) && /^[.-]/.test(name.slice(stem.length)),
  );
  return hash(Buffer.concat(names.toSorted().map((name) => readFileSync(join(dirname(file), name)))));
}

const hash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex").slice(0, 16);
