import { MODEL_HZ } from "../../../audio/format.ts";
import { serveWorker } from "../../process/worker.ts";
import { cutClip, MIN_DECODED_SAMPLES, POSITION_SAMPLES } from "../clip.ts";
import { evidenceOf } from "../decoded.ts";
import { guarded } from "../guards.ts";
import { Loudness } from "../loudness.ts";
import { modelUnusable } from "../model-header.ts";
import { serveLanes, type TranscribePayload } from "../serve-lanes.ts";
import { shifted, wordsFromTokens } from "../words.ts";
import { MoonshineLane } from "./moonshine-lane.ts";
import { MoonshineModel } from "./moonshine-model.ts";
import type { MoonshineInit } from "./moonshine.ts";

/** Longer clips are cut at a quiet place. `SpeechToText` promises 35 s. */
const LONGEST_PIECE_POSITIONS = (36 * MODEL_HZ) / POSITION_SAMPLES;
const WARM_UP_SAMPLES = MODEL_HZ;

serveWorker(async ({ folder, threads }: MoonshineInit) => {
  const model = await MoonshineModel.open(folder, threads).catch((error: unknown) => {
    throw modelUnusable(folder, error);
  });
  const decoder = {
    cut: (samples: Float32Array) => cutClip(samples, [LONGEST_PIECE_POSITIONS], 0, MIN_DECODED_SAMPLES),
  };
  const calls = await serveLanes([new MoonshineLane(model)], decoder, WARM_UP_SAMPLES);
  return { calls };
});
