import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { CALL_HZ, MODEL_HZ } from "../../src/audio/format.ts";
import { resampleAll } from "../../src/audio/resampler.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import { OakError } from "../../src/shared/errors.ts";
import { sayWith } from "../callers/synthetic-voice.ts";
import { noiseLoop, toPower } from "../../src/simulated-callers/sound.ts";
import type { Scenario, Utterance } from "../../src/simulated-callers/scenario.ts";
import { readAudio, requireReadable } from "../../src/simulated-callers/recordings/read-audio.ts";
import { lastVoiceSample } from "../turns/last-voice.ts";

/** utterances.yaml explains the fields. */
const planSchema = z.array(
  z.strictObject({
    name: z.string(),
    kind: z.enum(["warm-up", "plain", "hesitation", "barge-in", "sound"]),
    file: z.string().optional(),
    voice: z.string().optional(),
    text: z.string().optional(),
    part: z.tuple([z.number(), z.number()]).optional(),
    hesitates_at: z.number().optional(),
  }),
);

type PlannedUtterance = z.output<typeof planSchema>[number];
export type UtteranceKind = PlannedUtterance["kind"];

const INTO_REPLY_SECONDS = 0.8;
const PAUSE = 0.7 * MODEL_HZ;
/** Silence between the end of a reply and the next turn. */
const REST_SECONDS = 1;
const PEAK = 0.5;
/** Kept of a recording before and after the voice. */
const AROUND_VOICE = 0.05 * MODEL_HZ;
const ROOM_DBFS = -65;

export const plannedUtterances = (): readonly PlannedUtterance[] =>
  planSchema.parse(parse(readFileSync(join(packageRoot, "bench", "peers", "utterances.yaml"), "utf8")));

/** The call of one caller, with its sounds. @throws OakError `BENCH_FAILED` when recordings or programs are missing. */
export function loadCall(planned: readonly PlannedUtterance[], data: string): Scenario {
  requireReadable(data);
  const files = planned.flatMap(({ file }) => (file === undefined ? [] : [join(data, file)]));
  const missing = files.filter((file) => !existsSync(file));
  if (missing.length > 0) {
    const message = `--data ${data} lacks recordings (docs/bench.md, Beside Pipecat):\n  ${missing.join("\n  ")}`;
    throw new OakError(message, { code: "BENCH_FAILED" });
  }
  return {
    name: "peers",
    configId: "default",
    answerSeconds: 12,
    network: { chunk_ms: 20, jitter_ms: 0 },
    noise: toPower(noiseLoop("white", 1), 10 ** (ROOM_DBFS / 10)),
    callers: [{ settings: {}, utterances: planned.map((one) => prepare(one, data)), secrets: [] }],
  };
}

function prepare({ kind, file, voice = "slt", text, part, hesitates_at }: PlannedUtterance, data: string): Utterance {
  const whole = file === undefined ? sayWith(voice, text ?? "", MODEL_HZ) : readAudio(join(data, file));
  const all = part === undefined ? whole : whole.subarray(part[0] * MODEL_HZ, part[1] * MODEL_HZ);
  const to = lastVoiceSample(all);
  const from = all.length - lastVoiceSample(all.toReversed());
  const start = Math.max(0, from - AROUND_VOICE);
  const clip = all.subarray(start, to + AROUND_VOICE);
  const gain = PEAK / clip.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 1e-3);
  const level = clip.map((sample) => sample * gain);
  const hesitates = hesitates_at !== undefined;
  const speech = hesitates ? withPause(level, Math.round(hesitates_at * MODEL_HZ) - start) : level;
  const position = (sample: number) => ((sample - start) * CALL_HZ) / MODEL_HZ;
  return {
    speech: resampleAll(speech, MODEL_HZ, CALL_HZ),
    voiced: { from: position(from), to: position(hesitates ? to + PAUSE : to) },
    text,
    intoReplySeconds: kind === "barge-in" || kind === "sound" ? INTO_REPLY_SECONDS : undefined,
    meantAs: kind === "barge-in" ? "interruption" : kind === "sound" ? "backchannel" : undefined,
    pauseSeconds: REST_SECONDS,
  };
}

/** Puts the pause at the quietest 10 ms near `at`, so that no sound is cut. */
function withPause(samples: Float32Array, at: number): Float32Array {
  const frame = MODEL_HZ / 100;
  const power = (from: number) => samples.subarray(from, from + frame).reduce((sum, sample) => sum + sample ** 2, 0);
  const places = Array.from({ length: 13 }, (_, step) => at + (step - 6) * frame);
  const cut = places.reduce((best, place) => (power(place) < power(best) ? place : best)) + frame / 2;
  const out = new Float32Array(samples.length + PAUSE);
  out.set(samples.subarray(0, cut));
  out.set(samples.subarray(cut), cut + PAUSE);
  return out;
}
