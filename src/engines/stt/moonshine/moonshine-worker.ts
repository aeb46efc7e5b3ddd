import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { MODEL_HZ } from "../../../audio/format.ts";
import { errorMessage } from "../../../shared/errors.ts";
import { serveWorker } from "../../process/worker.ts";
import type { Decoded, Token } from "../addon.ts";
import { cutClip, MIN_DECODED_SAMPLES, POSITION_SAMPLES } from "../clip.ts";
import { modelUnusable } from "../model-header.ts";
import { serveLanes } from "../serve-lanes.ts";
import { tokenStarts } from "./align.ts";
import { END, MoonshineModel, POSITION_SECONDS } from "./moonshine-model.ts";
import type { MoonshineInit, ScoreRequest } from "./moonshine.ts";
import { Pieces } from "./pieces.ts";

/** Longer clips are cut at a quiet place. `SpeechToText` promises 35 s. */
const LONGEST_PIECE_POSITIONS = (36 * MODEL_HZ) / POSITION_SAMPLES;
const WARM_UP_SAMPLES = MODEL_HZ;
/** Tokens between two looks at the messages from the server, so that an abort stops a decode soon. */
const TOKENS_BETWEEN_LOOKS = 4;

serveWorker(async ({ folder, threads }: MoonshineInit) => {
  const model = await load(folder, threads);
  const lane = new MoonshineLane(model);
  const calls = await serveLanes([lane], {
    cut: (samples) => cutClip(samples, [LONGEST_PIECE_POSITIONS], 0, MIN_DECODED_SAMPLES),
    decode: async (_, { samples, startSeconds }) => {},
  }, WARM_UP_SAMPLES);
  return { calls };
});
