import { addAbortListener } from "node:events";
import { serveWorker } from "../engine/worker.ts";
import { errorMessage, OakError } from "../shared/errors.ts";
import { loadAddon, type Decoded, type NativeLane, type NativeModel } from "./addon.ts";
import { cutClip, POSITION_SAMPLES, SAMPLE_RATE_HZ, type Piece } from "./clip.ts";
import type { TranscribeRequest, Transcript } from "./contract.ts";
import { isHallucination, withoutLoop, withoutSoundTags } from "./guards.ts";
import { LanePool } from "./lane-pool.ts";
import { Loudness } from "./loudness.ts";
import { checkModelFile, modelUnusable } from "./model-header.ts";
import { warmUp } from "./warm-up.ts";
import type { WhisperCppInit } from "./whisper-cpp.ts";
import { aligned, shifted, toTranscript, wordsFromTokens, type DecodedWord } from "./words.ts";

export interface TranscribePayload extends TranscribeRequest {
  readonly caller: number;
}

/** A restart must not take much longer for it, however large the model and slow the machine. */
const WARM_UP_MS = 3_000;

/** Resampled sound goes a little beyond 1. */
const MAX_LEVEL = 10;

serveWorker(async (init: WhisperCppInit) => {
  const model = load(init);
  const contexts =
    init.contexts.length > 0
      ? init.contexts.filter((size) => size <= model.facts.audioContext)
      : [model.facts.audioContext];
  const lanes = Array.from({ length: init.lanes }, () => model.createLane());

  const decodePiece = async (lane: NativeLane, piece: Piece, request: TranscribeRequest): Promise<DecodedWord[]> => {
    const { audioContext, samples, startSeconds } = piece;
    const beams = request.kind === "final" ? init.beams : 1;
    // Never again at a higher temperature: that is random, and a prepared reply is kept only when the final text is the same.
    const options = { audioContext, threads: init.threads, beams, temperatureStep: 0, language: request.language };
    const decoded = await lane.transcribe(samples, options);
    return guardedWords(decoded, samples, init).map((word) => shifted(word, startSeconds));
  };

  const decode = async (lane: NativeLane, request: TranscribeRequest, signal: AbortSignal): Promise<Transcript> => {
    using _ = addAbortListener(signal, () => lane.abort());
    const words: DecodedWord[] = [];
    try {
      // whisper.cpp crashes on them.
      if (!request.samples.every((sample) => Math.abs(sample) < MAX_LEVEL)) throw new Error("the clip is no sound");
      for (const piece of cutClip(request.samples, contexts)) {
        signal.throwIfAborted();
        words.push(...(await decodePiece(lane, piece, request)));
      }
    } catch (cause) {
      throw new OakError(`Speech could not be recognised: ${errorMessage(cause)}`, { code: "STT_FAILED", cause });
    }
    return toTranscript(words, request.samples.length / SAMPLE_RATE_HZ);
  };

  // The first decode touches all of the model's memory, and the longest clip all of a lane's: no caller should wait for that.
  const samples = new Float32Array(Math.max(...contexts) * POSITION_SAMPLES);
  const longest = { samples, kind: "final", language: "en" } as const;
  await warmUp(lanes, async (lane, signal) => decode(lane, longest, signal), AbortSignal.timeout(WARM_UP_MS));

  const pool = new LanePool(lanes);
  return {
    info: model.facts,
    calls: {
      transcribe: async (payload: TranscribePayload, signal, alive) =>
        pool.run(payload.caller, payload.kind, signal, async (lane, stop) => decode(lane, payload, stop), alive),
    },
  };
});

function load({ modelPath, alignment }: WhisperCppInit): NativeModel {
  checkModelFile(modelPath, alignment);
  const addon = loadAddon();
  try {
    return addon.loadModel(modelPath, { alignment, alignmentLayers: 1, flashAttention: true });
  } catch (error) {
    throw modelUnusable(modelPath, error);
  }
}

function guardedWords(decoded: Decoded, samples: Float32Array, init: WhisperCppInit): readonly DecodedWord[] {
  if (isHallucination(decoded)) return [];
  const tokens = aligned(decoded.tokens, init.alignmentDelaySeconds);
  const words = wordsFromTokens(tokens, samples.length / SAMPLE_RATE_HZ, new Loudness(samples));
  return withoutLoop(withoutSoundTags(words));
}
