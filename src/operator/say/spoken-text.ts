import { CALL_HZ } from "../../audio/format.ts";
import type { WavAudio } from "../../audio/wav.ts";
import { toCallAudio } from "../../conversation/reply/speech/call-audio.ts";
import { ClauseSplitter } from "../../conversation/reply/text/clause-splitter.ts";
import type { TextToSpeech } from "../../engines/tts/text-to-speech.ts";
import type { Language } from "../../language/language.ts";

export interface Speaking {
  readonly language: Pick<Language, "keepsDot" | "speakable">;
  /** Speaker name or number of the model. */
  readonly voice: string;
  /** 1 is the model's own rate. */
  readonly speed: number;
}

/** A text as a reply is cut when all of it is there. */
export function clausesOf(text: string, keepsDot: Language["keepsDot"]): readonly string[] {
  const splitter = new ClauseSplitter(keepsDot);
  return [...splitter.push(text), ...splitter.flush()].map((clause) => clause.text);
}

/** A text as a caller hears it in a reply: cut into clauses, said as words, with the pauses of a reply. Empty without a word. */
export async function speakText(
  speech: TextToSpeech,
  text: string,
  { language, voice, speed }: Speaking,
  signal: AbortSignal,
  split: (text: string) => readonly string[] = (whole) => clausesOf(whole, language.keepsDot),
): Promise<WavAudio> {
  const parts: Int16Array[] = [];
  for (const clause of split(text)) {
    const spoken = language.speakable(clause);
    if (spoken === "") continue;
    const samples = await speech.synthesize({ text: spoken, voice, speed }, signal);
    if (samples.length > 0) parts.push(toCallAudio(samples, speech.sampleRateHz, spoken));
  }
  const samples = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    samples.set(
      Float32Array.from(part, (sample) => sample / 2 ** 15),
      at,
    );
    at += part.length;
  }
  return { samples, sampleRateHz: CALL_HZ };
}
