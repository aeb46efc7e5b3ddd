import { MODEL_HZ } from "../../audio/format.ts";
import { addAbortListener } from "node:events";
import { errorMessage, OakError } from "../../shared/errors.ts";
import type { NativeLane } from "./addon.ts";
import { type Piece } from "./clip.ts";
import { toHeard, type DecodedPiece, type Heard } from "./decoded.ts";
import type { TranscribeRequest } from "./speech-to-text.ts";
import { LanePool } from "./lane-pool.ts";
import { warmUp } from "./warm-up.ts";

export interface TranscribePayload extends TranscribeRequest {
  readonly caller: number;
}

/** A model family's part of a transcription. */
export interface PieceDecoder {
  /** Cuts a clip into pieces that the model accepts, in order. */
  cut(samples: Float32Array): readonly Piece[];
  decode(lane: NativeLane, piece: Piece, request: TranscribeRequest): Promise<DecodedPiece>;
}

/** Limit of the warm-up, so that restarts of large models on slow machines stay short. */
const WARM_UP_MS = 3_000;

/** Resampled sound slightly exceeds 1. */
const MAX_LEVEL = 10;

/** The worker's calls on these lanes, after a warm-up decode of `warmUpSamples` of silence on each lane. */
export async function serveLanes(lanes: readonly NativeLane[], decoder: PieceDecoder, warmUpSamples: number) {
  const decode = async (lane: NativeLane, request: TranscribeRequest, signal: AbortSignal): Promise<Heard> => {
    using _ = addAbortListener(signal, () => lane.abort());
    const pieces: DecodedPiece[] = [];
    try {
      // whisper.cpp crashes on NaN and infinities.
      if (!request.samples.every((sample) => Math.abs(sample) < MAX_LEVEL))
        throw new Error("the clip has samples that are not finite or far too loud");
      for (const piece of decoder.cut(request.samples)) {
        signal.throwIfAborted();
        pieces.push(await decoder.decode(lane, piece, request));
      }
    } catch (cause) {
      throw new OakError(`Speech could not be recognised: ${errorMessage(cause)}`, { code: "STT_FAILED", cause });
    }
    return toHeard(pieces, request.samples.length / MODEL_HZ);
  };

  const silence = { samples: new Float32Array(warmUpSamples), kind: "final", language: "en" } as const;
  await warmUp(lanes, async (lane, signal) => decode(lane, silence, signal), AbortSignal.timeout(WARM_UP_MS));

  const pool = new LanePool(lanes);
  return {
    transcribe: async (payload: TranscribePayload, signal: AbortSignal, alive: () => void) =>
      pool.run(payload.caller, payload.kind, signal, async (lane, stop) => decode(lane, payload, stop), alive),
  };
}
