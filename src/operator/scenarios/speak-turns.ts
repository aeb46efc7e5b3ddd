import { CALL_HZ } from "../../audio/format.ts";
import type { TextToSpeech } from "../../engines/tts/text-to-speech.ts";
import type { Language } from "../../language/language.ts";
import { OakError } from "../../shared/errors.ts";
import { join, noiseBeside, type Scenario, type Utterance } from "../../simulated-callers/scenario.ts";
import { noiseLoop, voicedSpan } from "../../simulated-callers/sound.ts";
import { speakText } from "../say/spoken-text.ts";
import { textOf } from "./call-view.ts";
import type { ScenarioFile, ScenarioTurn } from "./scenario-file.ts";

/** Audio of one text. Equal texts give equal audio. */
export type Speak = (text: string) => Promise<Float32Array>;

/** The voice of a scenario's caller. */
export function callerVoice(
  speech: TextToSpeech,
  { voice, speed }: Pick<ScenarioFile, "voice" | "speed">,
  language: Language,
): Speak {
  return async (text) =>
    (await speakText(speech, text, { language, voice, speed }, new AbortController().signal)).samples;
}

/** The scenario for a simulated caller. @throws OakError `SCENARIO_INVALID` for a turn without a word to say. */
export async function scenarioOf(file: ScenarioFile, configId: string, speak: Speak): Promise<Scenario> {
  const utterances = [];
  for (const turn of file.turns)
    utterances.push(file.caller === "types" ? typed(turn) : await spoken(turn, speak, file.file));
  return {
    name: file.name,
    configId,
    answerSeconds: 20,
    network: { chunk_ms: 100, jitter_ms: 0 },
    noise:
      file.noise === undefined ? undefined : noiseBeside(utterances, noiseLoop(file.noise.kind, 1), file.noise.snr_db),
    callers: [{ settings: { ...file.settings, tool_calls: true }, utterances, secrets: [] }],
  };
}

const common = ({ pause, over_reply, expect, ...turn }: ScenarioTurn) => ({
  text: textOf(turn),
  intoReplySeconds: over_reply,
  meantAs:
    expect.stops_reply === false
      ? ("backchannel" as const)
      : over_reply === undefined
        ? undefined
        : ("interruption" as const),
  pauseSeconds: pause,
});

const typed = (turn: ScenarioTurn): Utterance => ({
  ...common(turn),
  speech: new Float32Array(0),
  voiced: { from: 0, to: 0 },
  isTyped: true,
});

async function spoken(turn: ScenarioTurn, speak: Speak, file: string): Promise<Utterance> {
  const parts: Float32Array[] = [];
  for (const part of [turn.say].flat()) {
    if (typeof part === "number") {
      parts.push(new Float32Array(Math.round(part * CALL_HZ)));
      continue;
    }
    const sound = await speak(part);
    // The voice's own silence does not lengthen a hesitation.
    parts.push(Array.isArray(turn.say) ? sound.subarray(voicedSpan(sound)?.from, voicedSpan(sound)?.to) : sound);
  }
  const speech = join(parts);
  const voiced = voicedSpan(speech);
  if (voiced === undefined)
    throw new OakError(`${file}: nothing of "${textOf(turn)}" can be spoken.`, { code: "SCENARIO_INVALID" });
  return { ...common(turn), speech, voiced };
}
