import { MODEL_HZ } from "../../../audio/format.ts";
import { serveWorker } from "../../../child-processes/worker.ts";
import { cutClip, POSITION_SAMPLES, withQuietEnd, withRoom, type Piece } from "../audio/clip.ts";
import { type DecodedPiece } from "../decoded.ts";
import { evidenceOf } from "../text/heard.ts";
import { tokenBudget } from "../text/doubt.ts";
import { guarded } from "../text/guards.ts";
import { Loudness } from "../audio/loudness.ts";
import { modelUnusable } from "../files/model-header.ts";
import { ServedLanes, type Call } from "../lanes/serve-lanes.ts";
import { shifted, wordsFromTokens } from "../text/words.ts";
import { MoonshineLane } from "./moonshine-lane.ts";
import { MoonshineModel } from "./moonshine-model.ts";
import type { MoonshineInit } from "./moonshine.ts";

/** Longer clips are cut at a quiet place. `SpeechToText` promises 35 s. */
const LONGEST_PIECE_POSITIONS = (36 * MODEL_HZ) / POSITION_SAMPLES;
const WARM_UP_SAMPLES = MODEL_HZ;

interface TextsCall extends Call {
  readonly texts: readonly string[];
}

interface DictationCall extends Call {
  readonly words: string;
}

interface GroupsCall extends Call {
  readonly groups: readonly (readonly string[])[];
  readonly most: number;
}

serveWorker(async ({ folder, threads }: MoonshineInit) => {
  const model = await MoonshineModel.open(folder, threads).catch((error: unknown) => {
    throw modelUnusable(folder, error);
  });
  // Without silence at the end, Moonshine invents words after those of a caller who is still speaking.
  const cut = (samples: Float32Array) => cutClip(withQuietEnd(samples), [LONGEST_PIECE_POSITIONS]);
  const whole = ({ samples }: Call) => withRoom(withQuietEnd(samples)).samples;
  const lanes = await ServedLanes.open([new MoonshineLane(model)], { cut, decode }, WARM_UP_SAMPLES);
  return {
    requests: {
      transcribe: lanes.transcribe,
      score: (call: TextsCall, signal: AbortSignal, alive: () => void) =>
        lanes.run(call, "final", signal, alive, async (lane) => lane.score(whole(call), call.texts)),
      dictated: (call: DictationCall, signal: AbortSignal, alive: () => void) =>
        lanes.run(call, "final", signal, alive, async (lane) =>
          lane.dictated(whole(call), call.words, tokenBudget(call.samples.length / MODEL_HZ, "en")),
        ),
      likeliest: (call: GroupsCall, signal: AbortSignal, alive: () => void) =>
        lanes.run(call, "final", signal, alive, async (lane) => lane.likeliest(whole(call), call.groups, call.most)),
    },
  };
});

async function decode(lane: MoonshineLane, { samples, startSeconds }: Piece): Promise<DecodedPiece> {
  const seconds = samples.length / MODEL_HZ;
  const decoded = await lane.transcribe(samples, tokenBudget(seconds, "en"));
  const loudness = new Loudness(samples);
  const evidence = evidenceOf(decoded, loudness.voicedSeconds);
  const words = withoutLastComma(guarded(wordsFromTokens(decoded.tokens, seconds, loudness), loudness.voicedSeconds));
  return { words: words.map((word) => shifted(word, startSeconds)), isDoubtful: false, evidence };
}

/** Moonshine often ends a whole sentence with a comma. For the end of a turn, a comma says that more words follow. */
const withoutLastComma = <Item extends { readonly word: string }>(words: readonly Item[]): readonly Item[] =>
  words.map((item, at) => (at === words.length - 1 ? { ...item, word: item.word.replace(/,$/u, "") } : item));
