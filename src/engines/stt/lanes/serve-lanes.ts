import { MODEL_HZ } from "../../../audio/format.ts";
import { addAbortListener } from "node:events";
import { errorMessage, OakError } from "../../../shared/errors.ts";
import { type Piece } from "../audio/clip.ts";
import { type DecodedPiece, type Heard } from "../decoded.ts";
import { toHeard } from "../text/heard.ts";
import type { TranscribeRequest } from "../speech-to-text.ts";
import { kindOf, LanePool, type JobKind } from "./lane-pool.ts";
import { warmUp } from "./warm-up.ts";

/** A model's decoding state, which does one work at a time. */
interface Lane {
  /** The running work ends soon. */
  abort(): void;
}

/** The fields that each call of the worker has. */
export interface Call {
  readonly caller: number;
  readonly samples: Float32Array;
}

/** A model family's part of a transcription. */
export interface PieceDecoder<Of> {
  /** Cuts a clip into pieces that the model accepts, in order. */
  cut(samples: Float32Array): readonly Piece[];
  /** Settles soon after `stop` aborts. */
  decode(lane: Of, piece: Piece, request: TranscribeRequest, stop: AbortSignal): Promise<DecodedPiece>;
}

/** Limit of the warm-up, so that starts stay short. A second touches nearly all memory of a lane. */
const WARM_UP_MS = 1_000;

/** Resampled sound slightly exceeds 1. */
const MAX_LEVEL = 10;

/** The lanes of a worker after a warm-up decode of `warmUpSamples` of silence on each. */
export class ServedLanes<Of extends Lane> {
  readonly #pool: LanePool<Of>;
  readonly #decoder: PieceDecoder<Of>;

  private constructor(lanes: readonly Of[], decoder: PieceDecoder<Of>) {
    this.#pool = new LanePool(lanes);
    this.#decoder = decoder;
  }

  static async open<Of extends Lane>(
    lanes: readonly Of[],
    decoder: PieceDecoder<Of>,
    warmUpSamples: number,
  ): Promise<ServedLanes<Of>> {
    const served = new ServedLanes(lanes, decoder);
    const silence = { samples: new Float32Array(warmUpSamples), kind: "final", language: "en" } as const;
    const decode = async (lane: Of, signal: AbortSignal) =>
      guardedWork(lane, silence.samples, signal, async () => served.decode(lane, silence, signal));
    await warmUp(lanes, decode, AbortSignal.timeout(WARM_UP_MS));
    return served;
  }

  /** The worker's call `transcribe`. */
  readonly transcribe = async (
    request: TranscribeRequest & Call,
    signal: AbortSignal,
    alive: () => void,
  ): Promise<Heard> =>
    this.run(request, kindOf(request), signal, alive, async (lane, stop) => this.decode(lane, request, stop));

  async decode(lane: Of, request: TranscribeRequest, signal: AbortSignal): Promise<Heard> {
    const pieces: DecodedPiece[] = [];
    for (const piece of this.#decoder.cut(request.samples)) {
      signal.throwIfAborted();
      pieces.push(await this.#decoder.decode(lane, piece, request, signal));
    }
    return toHeard(pieces, request.samples.length / MODEL_HZ);
  }

  /** Work of one caller on a lane. */
  run<Result>(
    { caller, samples }: Call,
    kind: JobKind,
    signal: AbortSignal,
    alive: () => void,
    work: (lane: Of, stop: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const onLane = async (lane: Of, stop: AbortSignal) =>
      guardedWork(lane, samples, stop, async () => work(lane, stop));
    return this.#pool.run(caller, kind, signal, onLane, alive);
  }
}

async function guardedWork<Result>(
  lane: Lane,
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
