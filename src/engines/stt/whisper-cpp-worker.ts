import { MODEL_HZ } from "../../audio/format.ts";
import { serveWorker } from "../process/worker.ts";
import { loadAddon, type Decoded, type NativeLane, type NativeModel } from "./addon.ts";
import { contextOf, cutClip, POSITION_SAMPLES, type Piece } from "./clip.ts";
import type { TranscribeRequest } from "./speech-to-text.ts";
import { loadGpu, type GpuKind } from "./gpu.ts";
import { isHallucination, needsFullContext, withoutLoop, withoutSoundTags } from "./guards.ts";
import { Loudness } from "./loudness.ts";
import { checkModelFile, modelUnusable } from "./model-header.ts";
import { serveParakeet } from "./parakeet.ts";
import { isParakeetFile } from "./parakeet-header.ts";
import { serveLanes } from "./serve-lanes.ts";
import type { WhisperCppInit } from "./whisper-cpp.ts";
import { whisperPrompt } from "./whisper-prompt.ts";
import { shifted, wordsFromTokens, type DecodedWord } from "./words.ts";

/** The language is heard in the first seconds. */
const LANGUAGE_SAMPLES = 10 * MODEL_HZ;

serveWorker(async (init: WhisperCppInit) => {
  if (isParakeetFile(init.modelPath)) return serveParakeet(init);
  const { model, gpu } = load(init);
  const contexts =
    init.contexts.length > 0
      ? init.contexts.filter((size) => size <= model.facts.audioContext)
      : [model.facts.audioContext];
  const lanes = Array.from({ length: init.lanes }, () => model.createLane());

  const decodePiece = async (lane: NativeLane, piece: Piece, request: TranscribeRequest): Promise<DecodedWord[]> => {
    const { samples, startSeconds } = piece;
    const { language, phrases = [] } = request;
    const beams = request.kind === "final" ? init.beams : 1;
    // Temperatures above 0 are random. The text must not vary, because a prepared reply is kept only if the final text is the same.
    const options = {
      threads: init.threads,
      beams,
      temperatureStep: 0,
      language,
      prompt: whisperPrompt(phrases),
    };
    const decodeAt = async (audioContext: number) => {
      const decoded = await lane.transcribe(samples, { ...options, audioContext });
      return { decoded, words: wordsOf(decoded, samples) };
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
    const kept = isHallucination(result.decoded) ? [] : withoutLoop(withoutSoundTags(result.words));
    return kept.map((word) => shifted(word, startSeconds));
  };

  const cut = (samples: Float32Array) => cutClip(samples, contexts, init.contextMarginSeconds);
  // The first decode touches the model's memory, and the longest clip all memory of a lane. Do it before the first call.
  const longest = Math.max(...contexts) * POSITION_SAMPLES;
  const identifyLanguage = async (lane: NativeLane, samples: Float32Array) => {
    const clip = samples.subarray(0, Math.min(LANGUAGE_SAMPLES, longest));
    return lane.identifyLanguage(clip, { audioContext: contextOf(clip.length, contexts, 0), threads: init.threads });
  };
  const calls = await serveLanes(lanes, { cut, decode: decodePiece, identifyLanguage }, longest);
  return { info: { ...model.facts, gpu: gpu ?? false }, calls };
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

function wordsOf({ tokens }: Decoded, samples: Float32Array): DecodedWord[] {
  return wordsFromTokens(tokens, samples.length / MODEL_HZ, new Loudness(samples));
}
