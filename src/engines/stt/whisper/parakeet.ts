import type { WorkerHandlers } from "../../../child-processes/model-process.ts";
import { MODEL_HZ } from "../../../audio/format.ts";
import { loadAddon, type NativeModel } from "./addon.ts";
import { type NativeLane } from "../decoded.ts";
import { cutClip, POSITION_SAMPLES, type Piece } from "../audio/clip.ts";
import { loadGpu, type GpuKind } from "./gpu.ts";
import { evidenceOf } from "../text/heard.ts";
import { countsAsSilence } from "../text/doubt.ts";
import { Loudness } from "../audio/loudness.ts";
import { modelUnusable } from "../files/model-header.ts";
import { withNoiseFloor } from "../audio/noise-floor.ts";
import { checkParakeetFile } from "../files/parakeet-header.ts";
import { ServedLanes } from "../lanes/serve-lanes.ts";
import type { WhisperCppInit } from "./whisper-cpp.ts";
import { shifted, wordsFromTokens } from "../text/words.ts";

/** Longer clips are cut at a quiet place. `SpeechToText` promises 35 s, and the memory of a lane grows with the clip. */
const LONGEST_PIECE_POSITIONS = (36 * MODEL_HZ) / POSITION_SAMPLES;
/** A short warm-up touches the model's memory. The memory of a lane is allocated for each clip. */
const WARM_UP_SAMPLES = MODEL_HZ;
/** Settings that only Whisper has. Parakeet detects the language. */
const WHISPER_ONLY = { audioContext: 0, beams: 1, maxTokens: 0, alignsWords: true, language: "auto" };

/** The addon takes no shorter clips. */
const MIN_SAMPLES = MODEL_HZ / 4;

/** With silence at the end if too short. */
function withEnd(samples: Float32Array) {
  const longer = new Float32Array(Math.max(MIN_SAMPLES, samples.length));
  longer.set(samples);
  return { samples: longer, startSeconds: 0 };
}

/** The worker's handlers for a Parakeet model. */
export async function serveParakeet(init: WhisperCppInit): Promise<WorkerHandlers> {
  const { model, gpu } = load(init);
  const options = { ...WHISPER_ONLY, threads: init.threads };
  const cut = (samples: Float32Array) => cutClip(samples, [LONGEST_PIECE_POSITIONS], 0, withEnd);
  // A transducer does not loop. A guard against loops would delete words that were said twice.
  const decode = async (lane: NativeLane, { samples, startSeconds }: Piece) => {
    const decoded = await lane.transcribe(withNoiseFloor(samples), options);
    const loudness = new Loudness(samples);
    const evidence = evidenceOf(decoded, loudness.voicedSeconds);
    const words = countsAsSilence(evidence) ? [] : wordsFromTokens(decoded.tokens, samples.length / MODEL_HZ, loudness);
    return { words: words.map((word) => shifted(word, startSeconds)), isDoubtful: false, evidence };
  };
  const lanes = Array.from({ length: init.lanes }, () => model.createLane());
  const { transcribe } = await ServedLanes.open(lanes, { cut, decode }, WARM_UP_SAMPLES);
  return { info: { ...model.facts, gpu: gpu ?? false }, requests: { transcribe } };
}

function load({ modelPath, gpu: choice }: WhisperCppInit): { model: NativeModel; gpu: GpuKind | undefined } {
  checkParakeetFile(modelPath);
  const addon = loadAddon();
  const gpu = loadGpu(addon, choice);
  try {
    return { model: addon.loadParakeet(modelPath, { gpu: gpu !== undefined }), gpu };
  } catch (error) {
    throw modelUnusable(modelPath, error);
  }
}
