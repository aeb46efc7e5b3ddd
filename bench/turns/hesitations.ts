import { MODEL_HZ } from "../../src/audio/format.ts";
import { DEFAULT_SETTINGS, type TurnSettings } from "../../src/config/settings/session-settings.ts";
import { seededRandom } from "../../src/simulated-callers/random.ts";
import { callOf, type Call, type Utterance } from "./call.ts";
import { measure, type HeardCalls } from "./curve.ts";
import { lastVoiceSample } from "./last-voice.ts";
import { roomTone } from "./room-tone.ts";

/** Length of the inserted silence. */
const SECONDS = 0.7;
/** A turn that ends so soon after it ended before the voice was detected again. */
const LAG_MS = 150;
/** Voice before and after it, at least. */
const MARGIN = MODEL_HZ / 2;
/** The silence is put into the quietest `STEP` of a random stretch of this length, so that it cuts no sound. */
const STRETCH = MODEL_HZ / 2;
const STEP = MODEL_HZ / 50;

/** The same callers, who hesitate once in each turn that is long enough. Other turns are left out. */
export const hesitating = (caller: string, utterances: readonly Utterance[]): Call => {
  const random = seededRandom(23);
  return callOf(
    caller,
    utterances.flatMap((said) => hesitate(said, random) ?? []),
  );
};

function hesitate({ name, samples }: Utterance, random: () => number): Utterance | undefined {
  const room = lastVoiceSample(samples) - 2 * MARGIN - STRETCH;
  if (room <= 0) return undefined;
  const from = MARGIN + Math.floor(random() * room);
  let hesitatesAt = from;
  let least = Infinity;
  for (let start = from; start < from + STRETCH; start += STEP / 2) {
    let power = 0;
    for (let i = start; i < start + STEP; i++) power += samples[i]! ** 2;
    if (power < least) [least, hesitatesAt] = [power, start + STEP / 2];
  }
  const silence = roomTone(samples, SECONDS * MODEL_HZ, random);
  const out = new Float32Array(samples.length + silence.length);
  out.set(samples.subarray(0, hesitatesAt));
  out.set(silence, hesitatesAt);
  out.set(samples.subarray(hesitatesAt), hesitatesAt + silence.length);
  return { name, samples: out, hesitatesAt };
}

/** Share of the hesitations, 0 to 1, in which the turn ends at the default `silence_threshold`. */
export async function cutHesitations(calls: readonly HeardCalls[], settings: Partial<TurnSettings>): Promise<number> {
  const [point] = await measure(calls, settings, [DEFAULT_SETTINGS.turnDetection.silenceThresholdMs / 1000]);
  const turns = calls.flatMap(({ call }) => call.turns);
  const cut = point!.outcomes.filter((outcome, index) => {
    const since = outcome.kind === "cut-off" ? outcome.atMs - turns[index]!.hesitatesAtMs! : -1;
    return since >= 0 && since <= 1000 * SECONDS + LAG_MS;
  });
  return cut.length / Math.max(1, turns.length);
}
