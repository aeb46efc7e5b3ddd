import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resampleAll } from "../../src/audio/resampler.ts";
import { packageRoot } from "../../src/shared/package-root.ts";
import type { SureRecognizer } from "../../src/engines/stt/ears/ear.ts";
import type { SpeechToTextProcess } from "../../src/engines/stt/recognizer.ts";
import { startWhisperCpp } from "../../src/engines/stt/whisper/whisper-cpp.ts";
import { startSherpa } from "../../src/engines/tts/sherpa/sherpa-engine.ts";
import type { TextToSpeech } from "../../src/engines/tts/text-to-speech.ts";
import { languageOf } from "../../src/language/packs/languages.ts";
import { silentLog } from "../../src/shared/log.ts";
import { STARTER_MODEL } from "../engines/stt/support.ts";
import { englishValue, numberWords } from "../support/number-words.ts";

const never = new AbortController().signal;
let voice: TextToSpeech;
let recogniser: SpeechToTextProcess<SureRecognizer>;

beforeAll(async () => {
  voice = await startSherpa({ modelDir: `${packageRoot}/models/starter/tts`, threads: 1 }, silentLog);
  recogniser = await startWhisperCpp({ path: STARTER_MODEL, lanes: 1, deadlineSeconds: 120 }, silentLog);
});
afterAll(async () => {
  await voice.close();
  await recogniser.close();
});

/** The transcript of the voice's audio. */
async function heard(text: string): Promise<string> {
  const spoken = languageOf("en").speakable(text);
  const samples = await voice.synthesize({ text: spoken, voice: "heart", speed: 1 }, never);
  const call = resampleAll(samples, voice.sampleRateHz, 16_000);
  const { text: words } = await recogniser.open().transcribe({ samples: call, kind: "final", language: "en" }, never);
  return words;
}

/** The number in a transcript, in digits or in words. Whisper may write a pause between two decimals: "653.0, 1". */
function numberIn(transcript: string): number {
  const digits = /\d[\d,]*(?:\.\d+)?/u.exec(transcript.replace(/(?<=\.\d), (?=\d)/u, ""))?.[0];
  return digits === undefined
    ? englishValue(numberWords(transcript.toLowerCase().replaceAll("-", " ")))
    : Number(digits.replaceAll(",", ""));
}

const units = ["milligrams", "kilograms", "percent", "kilometers"];
const written = fc.tuple(
  fc.oneof(fc.integer({ min: 2, max: 999 }), fc.integer({ min: 2_100, max: 99_999 })),
  fc.option(fc.stringMatching(/^(?:\d|\d[1-9])$/u)),
  fc.constantFrom(...units),
);

test("Whisper hears 60 numbers of the default voice as written", { timeout: 600_000 }, async () => {
  const missed: string[] = [];
  for (const [value, decimals, unit] of fc.sample(written, { numRuns: 60, seed: 1 })) {
    const number = `${value.toLocaleString("en-US")}${decimals === null ? "" : `.${decimals}`}`;
    const transcript = await heard(`The result is ${number} ${unit}.`);
    if (numberIn(transcript) !== Number(number.replaceAll(",", ""))) missed.push(`${number} ${unit}: ${transcript}`);
  }
  expect(missed).toEqual([]);
});
