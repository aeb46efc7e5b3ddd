import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { OakError } from "../../../shared/errors.ts";
import type { VoiceFiles } from "./model-files.ts";
import type { Lexicon } from "../lexicon-voice/lexicon.ts";
import { asToken } from "../lexicon-voice/phone-text.ts";

/** Below this peak nothing is heard. */
const QUIETEST_PEAK = 0.001;
const SHORTEST_SECONDS = 0.3;
const LONGEST_SECONDS = 60;
/** Six words last longer than one. The same length means that the voice skips the words. */
const LEAST_GROWTH = 1.2;
const DEADLINE_MS = 30_000;
/** Share of the lexicon's words that the tokens must cover, and how many words are looked at. */
const LEAST_COVERED = 0.5;
const WORDS_CHECKED = 2000;
const ESPEAK_FILES = ["phontab", "phonindex", "phondata", "intonations"];

/** NaN does not count as sound. */
export function isAudible(samples: Float32Array): boolean {
  return samples.some((sample) => Math.abs(sample) >= QUIETEST_PEAK);
}

/** The files that sherpa-onnx does not check itself: with a broken one it stays silent or hangs. Rejects with MODEL_BROKEN. */
export async function checkVoiceFiles({ model }: VoiceFiles): Promise<void> {
  const { tokens: tokensFile, lexicon, dataDir, ...models } = Object.values(model)[0] as Record<string, string>;
  for (const file of Object.values(models)) {
    if (file !== "" && (await stat(file)).size === 0) throw broken(`${path.basename(file)} is empty`);
  }
  const tokens = readTokens(await readFile(tokensFile ?? "", "utf8"));
  if (tokens === undefined) throw broken('tokens.txt is not a list of symbols and their numbers, such as "a 12"');
  if (lexicon) checkLexicon(await readFile(lexicon, "utf8"), tokens, path.basename(lexicon));
  for (const name of dataDir ? ESPEAK_FILES : []) {
    const file = await stat(path.join(dataDir ?? "", name)).catch(() => undefined);
    if (file === undefined || file.size === 0) throw broken(`espeak-ng-data has no ${name}`);
  }
}

/** The lexicon of a voice whose words this program reads. Rejects with MODEL_BROKEN when the tokens lack its sounds. */
export async function checkLexiconSounds({ model }: VoiceFiles, lexicon: Lexicon): Promise<void> {
  const tokens = readTokens(await readFile(Object.values(model)[0]?.tokens ?? "", "utf8"));
  const sounds = lexicon.sample(WORDS_CHECKED);
  if (sounds.length === 0) throw broken("lexicon.txt.gz holds no words");
  const covered = sounds.filter((each) => Array.from(each, asToken).every((token) => tokens?.has(token) === true));
  if (covered.length < LEAST_COVERED * sounds.length)
    throw broken("lexicon.txt.gz and tokens.txt do not belong together: most words have sounds that tokens.txt lacks");
}

/** Six English words; digits for a voice that speaks from espeak-ng's data, whatever its language. */
export const trialWords = (isEnglish: boolean): readonly string[] =>
  isEnglish ? ["one", "two", "three", "four", "five", "six"] : ["1", "2", "3", "4", "5", "6"];

/** Text in, sound out. Rejects with MODEL_BROKEN, or with what `say` rejects with. */
export async function checkSpeech(
  say: (text: string) => Promise<Float32Array>,
  words: readonly string[],
  sampleRateHz: number,
): Promise<void> {
  const secondsOf = async (text: string): Promise<number> => {
    const samples = await withinDeadline(say(text));
    if (!isAudible(samples)) throw broken("it makes no sound");
    return samples.length / sampleRateHz;
  };
  const shortest = await secondsOf(`${words[0] ?? ""}.`);
  const longest = await secondsOf(`${words.join(" ")}.`);
  if (longest < Math.max(SHORTEST_SECONDS, words.length > 1 ? LEAST_GROWTH * shortest : 0))
    throw broken(`it skips words: ${String(words.length)} words last ${longest.toFixed(1)} s`);
  if (longest > LONGEST_SECONDS) throw broken(`${String(words.length)} words last ${longest.toFixed(0)} s`);
}

/** Undefined when a line is not a symbol and its number. The space is a symbol, and may be written as nothing. */
function readTokens(text: string): ReadonlySet<string> | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length < 2 || !lines.every((line) => /^(?:\S*|\s)\s+\d+\s*$|^\d+\s*$/u.test(line))) return undefined;
  return new Set(lines.map((line) => /^\S*/u.exec(line)?.[0] ?? ""));
}

function checkLexicon(text: string, tokens: ReadonlySet<string>, name: string): void {
  const lines = text.split("\n").filter((line) => /^\S+\s+\S/u.test(line));
  const step = Math.max(1, Math.floor(lines.length / WORDS_CHECKED));
  const checked = lines.filter((_, index) => index % step === 0);
  // Numbers are tones in some voices.
  const covered = checked.filter((line) =>
    line
      .trim()
      .split(/\s+/u)
      .slice(1)
      .every((phone) => tokens.has(phone) || /^\d+$/.test(phone)),
  );
  if (lines.length === 0) throw broken(`${name} holds no words`);
  if (covered.length < LEAST_COVERED * checked.length)
    throw broken(`${name} and tokens.txt do not belong together: most words have sounds that tokens.txt lacks`);
}

async function withinDeadline<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const seconds = String(DEADLINE_MS / 1000);
    timer = setTimeout(() => reject(broken(`it did not say six words within ${seconds} s`)), DEADLINE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function broken(why: string): OakError {
  return new OakError(`the voice cannot speak: ${why}`, { code: "MODEL_BROKEN" });
}
