import { MODEL_HZ } from "../../src/audio/format.ts";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { sayWith } from "../callers/synthetic-voice.ts";
import { readAudio } from "../../src/simulated-callers/recordings/read-audio.ts";
import { seededRandom } from "../../src/simulated-callers/random.ts";

/** Level of the loudest half of a sound. */
export const LEVEL_DBFS = -20;

/** A sound over a reply, at 16 kHz. */
export interface OverlapSound {
  readonly name: string;
  readonly samples: Float32Array;
}

export interface OverlapSet {
  readonly name: string;
  /** Whether the reply must stop for these sounds. */
  readonly stops: boolean;
  readonly sounds: readonly OverlapSound[];
}

interface Choice {
  readonly voices: readonly string[];
  readonly interruptions: readonly string[];
  readonly backchannels: readonly string[];
  /** Recordings of a folder that are used. */
  readonly nth: number;
}

/** Sounds for choosing the thresholds, and separate voices and texts for the report. */
export const CHOICES: Readonly<Record<"choose" | "report", Choice>> = {
  choose: {
    voices: ["slt", "kal", "Andy", "f2", "m3", "Annie", "edward", "Michael"],
    interruptions: (
      "please stop|quiet|enough|one moment please|tomorrow|seven|never mind|sorry what was that|book a table for two|" +
      "what time is it|how much does it cost|make it eight o'clock|play some music|you got that wrong|is there parking|" +
      "i want to change my appointment"
    ).split("|"),
    backchannels: (
      "hmm|mm|yep|alright|great|okay okay|of course|wow|oh|ah|yeah yeah|thank you|sounds good|cool|oh okay|right right|" +
      "very good|makes sense|uh-huh yeah|perfect"
    ).split("|"),
    nth: 1,
  },
  report: {
    voices: ["rms", "awb", "kal16", "f4", "m6", "steph2", "linda", "adam"],
    interruptions: (
      "stop|no|wait|cancel that|hold on|actually|excuse me|not that one|what about friday|turn on the lights in the kitchen|" +
      "set a timer for ten minutes|can you repeat that|i said the second one|do you have a double room"
    ).split("|"),
    backchannels: "mm-hmm|uh-huh|okay|yeah|right|i see|sure|got it|oh really|that's right".split("|"),
    nth: 0,
  },
};

/** Loads the sets. `data` is a folder with librispeech-mini, digits and noise. */
export function* overlapSets({ voices, interruptions, backchannels, nth }: Choice, data: string): Iterable<OverlapSet> {
  const said = (texts: readonly string[]) =>
    voices.flatMap((voice) =>
      texts.map((text) => ({ name: `${voice}: ${text}`, samples: levelled(sayWith(voice, text, MODEL_HZ)) })),
    );
  yield { name: "interruptions", stops: true, sounds: said(interruptions) };
  yield { name: "sentences read", stops: true, sounds: beginnings(join(data, "librispeech-mini"), nth) };
  yield { name: "single digits", stops: true, sounds: digits(join(data, "digits"), nth) };
  yield { name: "back-channels", stops: false, sounds: said(backchannels) };
  yield { name: "noises", stops: false, sounds: noises(join(data, "noise"), nth) };
}

/** The first 0.7 to 2.5 s of two utterances of each speaker. */
function beginnings(folder: string, nth: number): OverlapSound[] {
  const random = seededRandom(5);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      chosen(join(folder, name), ".opus", 2 * nth, 2).map((file) => {
        const samples = readAudio(join(folder, name, file)).slice(0, Math.round((0.7 + 1.8 * random()) * MODEL_HZ));
        return { name: file, samples: levelled(samples) };
      }),
    );
}

/** Five recorded digits of each of the six speakers. */
function digits(folder: string, nth: number): OverlapSound[] {
  const take = String(46 + 2 * nth);
  const files = readdirSync(folder).filter((file) => file.endsWith(`_${take}.flac`));
  return files
    .filter((file) => Number(file[0]) % 2 === nth)
    .map((file) => ({ name: file, samples: levelled(readAudio(join(folder, file))) }));
}

/** Four clips of each kind. */
function noises(folder: string, nth: number): OverlapSound[] {
  return readdirSync(folder).flatMap((kind) =>
    chosen(join(folder, kind), "", 4 * nth, 4).map((file) => ({
      name: `${kind}/${file}`,
      samples: levelled(readAudio(join(folder, kind, file))),
    })),
  );
}

const chosen = (folder: string, ending: string, from: number, count: number): string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(ending))
    .toSorted()
    .slice(from, from + count);

/** Normalises by the loudest half, so that silence around a word does not count. */
function levelled(samples: Float32Array): Float32Array {
  const powers: number[] = [];
  for (let at = 0; at < samples.length; at += 320) {
    const part = samples.subarray(at, at + 320);
    powers.push(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length);
  }
  const loud = powers.toSorted((a, b) => b - a).slice(0, Math.ceil(powers.length / 2));
  const power = loud.reduce((sum, value) => sum + value, 0) / loud.length;
  const gain = 10 ** (LEVEL_DBFS / 20) / Math.sqrt(power + 1e-12);
  return samples.map((sample) => Math.max(-1, Math.min(1, sample * gain)));
}
