import { z } from "zod";
import { MODEL_HZ } from "../../../audio/format.ts";
import type { Token } from "../decoded.ts";
import { countsAsSilence } from "../text/doubt.ts";
import { guarded } from "../text/guards.ts";
import { Loudness } from "../audio/loudness.ts";
import type { Transcript } from "../speech-to-text.ts";
import { toTranscript, wordsFromTokens } from "../text/words.ts";

const wordSchema = z.object({
  word: z.string(),
  /** Seconds. */
  start: z.number(),
  /** whisper.cpp and faster-whisper. */
  probability: z.number().min(0).max(1).nullish(),
});

const transcriptionSchema = z.object({
  text: z.string(),
  words: z.array(wordSchema).nullish(),
  segments: z
    .array(
      z.object({
        text: z.string(),
        avg_logprob: z.number().nullish(),
        no_speech_prob: z.number().nullish(),
        words: z.array(wordSchema).nullish(),
      }),
    )
    .nullish(),
});

/** Counts for a word when the server says nothing about it: enough for the rules that read words. */
const UNKNOWN_PROBABILITY = 0.8;

/**
 * A clip's transcript from the answer to `/audio/transcriptions` (`verbose_json`, or `json` without times), with the guards of the
 * built-in recogniser. `text` gives the words; the list of words, which may lack punctuation or hold parts of words, gives their
 * times. Without it times are distributed by the number of letters. `startSeconds`: time in the clip at which the sent sound begins.
 * @returns Undefined for any other text.
 */
export function readTranscription(body: string, samples: Float32Array, startSeconds = 0): Transcript | undefined {
  const answer = parse(body);
  if (answer === undefined) return undefined;
  const { text, words, segments } = answer;
  const timed = words?.length ? words : (segments ?? []).flatMap((segment) => segment.words ?? []);
  const at = timesByLetters(timed);
  const clipSeconds = samples.length / MODEL_HZ;
  let letters = 0;
  const tokens: Token[] = [];
  for (const { text: part, avg_logprob: logProbability, no_speech_prob: noSpeech } of segments?.length
    ? segments
    : [{ text, avg_logprob: null, no_speech_prob: null }]) {
    const isSilence = countsAsSilence({ logProbability: logProbability ?? 0, noSpeechProbability: noSpeech ?? 0 });
    for (const word of part.split(/\s+/u).filter((each) => each !== "")) {
      const found = at(letters);
      const start = found === undefined || found.start < 0 ? Infinity : found.start + startSeconds;
      letters += lettersIn(word);
      if (isSilence) continue;
      const probability =
        found?.probability ?? (logProbability == null ? UNKNOWN_PROBABILITY : Math.min(1, Math.exp(logProbability)));
      const bytes = Buffer.from(` ${word}`).toString("latin1");
      tokens.push({
        id: 0,
        bytes,
        probability,
        logProbability: Math.log(probability),
        alignedSeconds: start <= clipSeconds ? Math.max(0, start) : -1,
      });
    }
  }
  const loudness = new Loudness(samples);
  return toTranscript(guarded(wordsFromTokens(tokens, clipSeconds, loudness), loudness.voicedSeconds), clipSeconds);
}

type TimedWord = z.output<typeof wordSchema>;

/** Finds the word that holds the letter with this number. */
function timesByLetters(timed: readonly TimedWord[]): (letter: number) => TimedWord | undefined {
  const spelled = timed.flatMap((word) => Array<TimedWord>(lettersIn(word.word)).fill(word));
  return (letter) => spelled[letter] ?? spelled.at(-1);
}

const lettersIn = (text: string): number => text.match(/[\p{L}\p{Nd}]/gu)?.length ?? 0;

function parse(body: string): z.output<typeof transcriptionSchema> | undefined {
  try {
    return transcriptionSchema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
