import { MODEL_HZ } from "../../audio/format.ts";
import { serveWorker } from "../process/worker.ts";
import { loadAddon, type NativeLane, type NativeModel } from "./addon.ts";
import { cutClip, POSITION_SAMPLES, type Piece } from "./clip.ts";
import type { TranscribeRequest } from "./speech-to-text.ts";
import { loadGpu, type GpuKind } from "./gpu.ts";
import { guarded } from "./guards.ts";
import { evidenceOf, type DecodedPiece } from "./decoded.ts";
import { isDoubtful, tokenBudget, whisperHeardSilence } from "./doubt.ts";
import { Loudness } from "./loudness.ts";
import { checkModelFile, modelUnusable } from "./model-header.ts";
import { serveParakeet } from "./parakeet.ts";
import { isParakeetFile } from "./parakeet-header.ts";
import { serveLanes } from "./serve-lanes.ts";
import type { WhisperCppInit } from "./whisper-cpp.ts";
import { whisperPrompt } from "./whisper-prompt.ts";
import { shifted, wordsFromTokens } from "./words.ts";

serveWorker(async (init: WhisperCppInit) => {
  if (isParakeetFile(init.modelPath)) return serveParakeet(init);
  const { model, gpu } = load(init);
  const contexts =
    init.contexts.length > 0
      ? init.contexts.filter((size) => size <= model.facts.audioContext)
      : [model.facts.audioContext];
  const lanes = Array.from({ length: init.lanes }, () => model.createLane());

  const decodePiece = async (lane: NativeLane, piece: Piece, request: TranscribeRequest): Promise<DecodedPiece> => {
    const { samples, startSeconds, audioContext } = piece;
    const { language, phrases = [] } = request;
    const seconds = samples.length / MODEL_HZ;
    const decoded = await lane.transcribe(samples, {
      threads: init.threads,
      audioContext,
      beams: request.kind === "final" ? init.beams : 1,
      maxTokens: tokenBudget(seconds, language),
      // Temperatures above 0 are random. The text must not vary, because a prepared reply is kept only if the final text is the same.
      temperatureStep: 0,
      language,
      prompt: whisperPrompt(phrases),
    });
    const loudness = new Loudness(samples);
    const evidence = evidenceOf(decoded, loudness.voicedSeconds);
    const words = whisperHeardSilence(evidence)
      ? []
      : guarded(wordsFromTokens(decoded.tokens, seconds, loudness), loudness.voicedSeconds);
    return { words: words.map((word) => shifted(word, startSeconds)), isDoubtful: isDoubtful(evidence), evidence };
  };

  const cut = (samples: Float32Array) => cutClip(samples, contexts, init.contextMarginSeconds);
  // The first decode touches the model's memory, and the longest clip all memory of a lane. Do it before the first call.
  const longest = Math.max(...contexts) * POSITION_SAMPLES;
  const calls = await serveLanes(lanes, { cut, decode: decodePiece }, longest);
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
