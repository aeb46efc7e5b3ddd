import { MODEL_HZ } from "../../audio/format.ts";
import { addAbortListener } from "node:events";
import { errorMessage, OakError } from "../../shared/errors.ts";
import type { NativeLane } from "./addon.ts";
import { type Piece } from "./clip.ts";
import type { LanguageScores, TranscribeRequest, Transcript } from "./speech-to-text.ts";
import { LanePool } from "./lane-pool.ts";
import { warmUp } from "./warm-up.ts";
import { toTranscript, type DecodedWord } from "./words.ts";

export interface LanguagePayload {
  readonly caller: number;
  readonly samples: Float32Array;
}

export interface TranscribePayload extends TranscribeRequest {
  readonly caller: number;
}

/** A model family's part of a transcription. */
export interface PieceDecoder {
  /** Cuts a clip into pieces that the model accepts, in order. */
  cut(samples: Float32Array): readonly Piece[];
  /** Times count from the first sample of the clip. */
  decode(lane: NativeLane, piece: Piece, request: TranscribeRequest): Promise<readonly DecodedWord[]>;
  /** Absent: the model does not identify languages. */
  identifyLanguage?(lane: NativeLane, samples: Float32Array): Promise<LanguageScores>;
}

/** Limit of the warm-up, so that restarts of large models on slow machines stay short. */
const WARM_UP_MS = 3_000;

/** Resampled sound slightly exceeds 1. */
const MAX_LEVEL = 10;

/** The worker's calls on these lanes, after a warm-up decode of `warmUpSamples` of silence on each lane. */
export async function serveLanes(lanes: readonly NativeLane[], decoder: PieceDecoder, warmUpSamples: number) {
  const decode = async (lane: NativeLane, request: TranscribeRequest, signal: AbortSignal): Promise<Transcript> => {
    const words: DecodedWord[] = [];
    await onLane(lane, request.samples, signal, async () => {
      for (const piece of decoder.cut(request.samples)) {
        signal.throwIfAborted();
        words.push(...(await decoder.decode(lane, piece, request)));
      }
    });
    return toTranscript(words, request.samples.length / MODEL_HZ);
  };

  const silence = { samples: new Float32Array(warmUpSamples), kind: "final", language: "en" } as const;
  await warmUp(lanes, async (lane, signal) => decode(lane, silence, signal), AbortSignal.timeout(WARM_UP_MS));

  const pool = new LanePool(lanes);
  return {
    transcribe: async (payload: TranscribePayload, signal: AbortSignal, alive: () => void) =>
      pool.run(payload.caller, payload.kind, signal, async (lane, stop) => decode(lane, payload, stop), alive),
    identifyLanguage: async ({ caller, samples }: LanguagePayload, signal: AbortSignal, alive: () => void) => {
      const identify = async (lane: NativeLane, stop: AbortSignal): Promise<LanguageScores> =>
        onLane(lane, samples, stop, async () => {
          if (decoder.identifyLanguage === undefined) throw new Error("the model does not identify languages");
          return decoder.identifyLanguage(lane, samples);
        });
      return pool.run(caller, "language", signal, identify, alive);
    },
  };
}

async function onLane<Result>(
  lane: NativeLane,
  samples: Float32Array,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  using _ = addAbortListener(signal, () => lane.abort());
  try {
    // whisper.cpp crashes on NaN and infinities.
    if (!samples.every((sample) => Math.abs(sample) < MAX_LEVEL))
      throw new Error("the clip has samples that are not finite or far too loud");
    return await work();
  } catch (cause) {
    throw new OakError(`Speech could not be recognised: ${errorMessage(cause)}`, { code: "STT_FAILED", cause });
  }
}
