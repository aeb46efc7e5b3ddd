import { addAbortListener } from "node:events";
import { serveWorker } from "../engine/worker.ts";
import { errorMessage, OakError } from "../shared/errors.ts";
import { loadAddon, type Decoded, type NativeLane, type NativeModel } from "./addon.ts";
import { cutClip, POSITION_SAMPLES, SAMPLE_RATE_HZ, type Piece } from "./clip.ts";
import type { TranscribeRequest, Transcript } from "./contract.ts";
import { loadGpu, type GpuKind } from "./gpu.ts";
import { isHallucination, needsFullContext, withoutLoop, withoutSoundTags } from "./guards.ts";
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
  const { model, gpu } = load(init);
  const contexts =
    init.contexts.length > 0
      ? init.contexts.filter((size) => size <= model.facts.audioContext)
      : [model.facts.audioContext];
  const lanes = Array.from({ length: init.lanes }, () => model.createLane());

  const decodePiece = async (lane: NativeLane, piece: Piece, request: TranscribeRequest): Promise<DecodedWord[]> => {
    const { samples, startSeconds } = piece;
    const beams = request.kind === "final" ? init.beams : 1;
    // Higher temperatures are random. A prepared reply is kept only when the final text is the same, so the text must not vary.
    const options = { threads: init.threads, beams, temperatureStep: 0, language: request.language };
    const decodeAt = async (audioContext: number) => {
      const decoded = await lane.transcribe(samples, { ...options, audioContext });
      return { decoded, words: wordsOf(decoded, samples, init) };
    };
    let result = await decodeAt(piece.audioContext);
    const isShort = piece.audioContext < model.facts.audioContext;
    if (
      init.retriesAtFullContext &&
      isShort &&
      request.kind === "final" &&
      needsFullContext(result.decoded, result.words)
    )
      result = await decodeAt(model.facts.audioContext);
    const words = isHallucination(result.decoded) ? [] : withoutLoop(withoutSoundTags(result.words));
    return words.map((word) => shifted(word, startSeconds));
  };

  const decode = async (lane: NativeLane, request: TranscribeRequest, signal: AbortSignal): Promise<Transcript> => {
    using _ = addAbortListener(signal, () => lane.abort());
    const words: DecodedWord[] = [];
    try {
      // whisper.cpp crashes on them.
      if (!request.samples.every((sample) => Math.abs(sample) < MAX_LEVEL)) throw new Error("the clip is no sound");
      for (const piece of cutClip(request.samples, contexts, init.contextMarginSeconds)) {
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
    info: { ...model.facts, gpu: gpu ?? false },
    calls: {
      transcribe: async (payload: TranscribePayload, signal, alive) =>
        pool.run(payload.caller, payload.kind, signal, async (lane, stop) => decode(lane, payload, stop), alive),
    },
  };
});

function load({ modelPath, alignment, gpu: choice }: WhisperCppInit): { model: NativeModel; gpu: GpuKind | undefined } {
  checkModelFile(modelPath);
  const addon = loadAddon();
  const gpu = loadGpu(addon, choice);
  const options = { alignment, alignmentLayers: 1, flashAttention: true, gpu: gpu !== undefined };
  try {
    return { model: addon.loadModel(modelPath, options), gpu };
  } catch (error) {
    throw modelUnusable(modelPath, error);
  }
}

function wordsOf(decoded: Decoded, samples: Float32Array, init: WhisperCppInit): DecodedWord[] {
  const tokens = aligned(decoded.tokens, init.alignmentDelaySeconds);
  return wordsFromTokens(tokens, samples.length / SAMPLE_RATE_HZ, new Loudness(samples));
}
