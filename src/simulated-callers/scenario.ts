import { CALL_HZ } from "../audio/format.ts";
import { readFileSync, statSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { resampleAll } from "../audio/resampler.ts";
import { readWav } from "../audio/wav.ts";
import { sessionSettingsPatchSchema, type SessionSettingsPatch } from "../config/settings/settings-schema.ts";
import { errorMessage, OakError } from "../shared/errors.ts";
import { readAudio } from "./recordings/read-audio.ts";
import { findRecordings } from "./recordings/recordings.ts";
import { noiseLoop, powerOf, toPower, voicedSpan, type NoiseKind } from "./sound.ts";
import { seededRandom } from "./random.ts";

const MODEL_HZ = 16_000;

const turnSchema = z.strictObject({
  /** A recording, a folder of recordings (a turn each), or parts of one utterance: recordings and seconds of silence. */
  say: z.union([z.string(), z.array(z.union([z.string(), z.number().positive().max(30)])).min(1)]),
  /** The spoken words. Optional if a table or a text file beside the recording has them. */
  text: z.string().optional(),
  /** Begins this many seconds after the reply became audible, instead of after its end. */
  into_reply: z.number().min(0).max(30).optional(),
  /** Whether the reply must stop for this utterance. */
  meant_as: z.enum(["interruption", "backchannel"]).optional(),
  /** Silence before it, from the end of the last reply, seconds. */
  pause: z.number().min(0).max(60).default(0.8),
});

const scenarioSchema = z.strictObject({
  name: z.string().min(1),
  settings: sessionSettingsPatchSchema.default({}),
  config_id: z.string().default("default"),
  /** A turn without an answer after this is missed. */
  answer_seconds: z.number().positive().max(300).default(15),
  network: z
    .strictObject({
      chunk_ms: z.number().int().min(10).max(1000).default(100),
      /** Largest delay of a chunk. */
      jitter_ms: z.number().min(0).max(1000).default(0),
      /** Nothing is sent for a while, then all audio at once. */
      stall: z
        .strictObject({ every_seconds: z.number().positive(), for_ms: z.number().positive().max(5000) })
        .optional(),
    })
    .prefault({}),
  noise: z
    .strictObject({ kind: z.enum(["white", "fan"]).optional(), file: z.string().optional(), snr_db: z.number() })
    .refine(({ kind, file }) => (kind === undefined) !== (file === undefined), "give either kind or file")
    .optional(),
  /** One script per caller. If there are more callers than scripts, they share scripts and begin at different turns. */
  callers: z
    .array(
      z.strictObject({
        settings: sessionSettingsPatchSchema.optional(),
        turns: z.array(turnSchema).min(1),
        /** Words that only this caller says and that no answer to another caller contains. In another call they are leaks. */
        secrets: z.array(z.string().min(1)).default([]),
      }),
    )
    .min(1),
});

export interface Utterance {
  /** Samples without noise, mono, 24 kHz. */
  readonly speech: Float32Array;
  /** Positions of the first and last voiced samples. */
  readonly voiced: { readonly from: number; readonly to: number };
  readonly text: string | undefined;
  readonly intoReplySeconds: number | undefined;
  readonly meantAs: "interruption" | "backchannel" | undefined;
  readonly pauseSeconds: number;
  /** `text` is typed, and `speech` is empty. */
  readonly isTyped?: boolean;
}

export interface CallerScript {
  readonly settings: SessionSettingsPatch;
  readonly utterances: readonly Utterance[];
  readonly secrets: readonly string[];
}

export interface Scenario {
  readonly name: string;
  readonly configId: string;
  readonly answerSeconds: number;
  readonly network: z.infer<typeof scenarioSchema>["network"];
  /** A loop at the power that gives the wanted ratio to the scenario's speech. */
  readonly noise: Float32Array | undefined;
  readonly callers: readonly CallerScript[];
}

/** Reads a scenario and all its recordings. Paths are relative to its file. @throws OakError `BENCH_FAILED`. */
export function loadScenario(path: string): Scenario {
  const folder = dirname(resolve(path));
  try {
    const { name, settings, config_id, answer_seconds, network, noise, callers } = scenarioSchema.parse(
      parse(readFileSync(path, "utf8")),
    );
    const scripts = callers.map((caller) => ({
      settings: { ...settings, ...caller.settings },
      utterances: caller.turns.flatMap((turn) => utterances(folder, turn)),
      secrets: caller.secrets,
    }));
    const speech = scripts.flatMap((script) => script.utterances);
    return {
      name,
      configId: config_id,
      answerSeconds: answer_seconds,
      network,
      noise: noise === undefined ? undefined : noiseFor(folder, noise, speech),
      callers: scripts,
    };
  } catch (cause) {
    const message = cause instanceof z.ZodError ? z.prettifyError(cause) : errorMessage(cause);
    throw new OakError(`The scenario ${path} cannot be used: ${message}`, { code: "BENCH_FAILED", cause });
  }
}

function utterances(folder: string, turn: z.infer<typeof turnSchema>): Utterance[] {
  const { say } = turn;
  if (typeof say === "string" && statSync(resolve(folder, say)).isDirectory()) {
    const recordings = findRecordings(resolve(folder, say), []).flatMap((set) => set.recordings);
    return recordings.flatMap(({ path, truth }) =>
      truth.kind === "words" ? [utterance(readSpeech(path), truth.text, turn)] : [],
    );
  }
  const parts = [say].flat();
  const sounds = parts.map((part) => {
    if (typeof part === "number") return new Float32Array(Math.round(part * CALL_HZ));
    const sound = readSpeech(resolve(folder, part));
    // The recordings' own silence does not lengthen the pause between them.
    return parts.length === 1 ? sound : sound.subarray(voicedSpan(sound)?.from, voicedSpan(sound)?.to);
  });
  const files = parts.filter((part) => typeof part === "string");
  const known = files.map((file) => textBeside(resolve(folder, file)));
  const text = turn.text ?? (known.includes(undefined) ? undefined : known.join(" "));
  return [utterance(join(sounds), text, turn)];
}

function utterance(speech: Float32Array, text: string | undefined, turn: z.infer<typeof turnSchema>): Utterance {
  const voiced = voicedSpan(speech);
  if (voiced === undefined) throw new Error(`no sound in ${JSON.stringify(turn.say)}`);
  return {
    speech,
    voiced,
    text,
    intoReplySeconds: turn.into_reply,
    meantAs: turn.meant_as ?? (turn.into_reply === undefined ? undefined : "interruption"),
    pauseSeconds: turn.pause,
  };
}

/** WAV files keep their sample rate. ffmpeg converts other files to the models' rate. */
function readSpeech(path: string): Float32Array {
  if (extname(path).toLowerCase() !== ".wav") return resampleAll(readAudio(path), MODEL_HZ, CALL_HZ);
  const { samples, sampleRateHz } = readWav(readFileSync(path));
  return resampleAll(samples, sampleRateHz, CALL_HZ);
}

function textBeside(path: string): string | undefined {
  const file = path.slice(0, -extname(path).length) + ".txt";
  return statSync(file, { throwIfNoEntry: false }) === undefined ? undefined : readFileSync(file, "utf8").trim();
}

export function join(sounds: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(sounds.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const sound of sounds) {
    all.set(sound, at);
    at += sound.length;
  }
  return all;
}

function noiseFor(
  folder: string,
  noise: { kind?: NoiseKind | undefined; file?: string | undefined; snr_db: number },
  speech: readonly Utterance[],
): Float32Array {
  const loop = noise.file === undefined ? noiseLoop(noise.kind ?? "white", 1) : readSpeech(resolve(folder, noise.file));
  return noiseBeside(speech, loop, noise.snr_db);
}

/** A loop at the power that gives the wanted ratio to the speech. */
export function noiseBeside(speech: readonly Utterance[], loop: Float32Array, snrDb: number): Float32Array {
  const powers = speech.map((said) => powerOf(said.speech.subarray(said.voiced.from, said.voiced.to)));
  const power = powers.reduce((sum, value) => sum + value, 0) / Math.max(1, powers.length);
  return toPower(loop, power / 10 ** (snrDb / 10));
}

/** The script of caller number `index`. Shared scripts begin at different turns. */
export function scriptFor({ callers }: Scenario, index: number): CallerScript {
  const script = callers[index % callers.length];
  if (script === undefined) throw new RangeError("a scenario has at least one caller");
  const round = Math.floor(index / callers.length);
  if (round === 0 || script.utterances.some(({ intoReplySeconds }) => intoReplySeconds !== undefined)) return script;
  const from = Math.floor(seededRandom(index)() * script.utterances.length);
  return { ...script, utterances: [...script.utterances.slice(from), ...script.utterances.slice(0, from)] };
}
