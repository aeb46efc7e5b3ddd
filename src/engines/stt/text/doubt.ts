import type { Evidence } from "../decoded.ts";

/** No-speech probability above which a decode may count as silence ... */
const MAX_NO_SPEECH_PROBABILITY = 0.6;
/** ... if the mean log-probability of its tokens is also below this. */
const UNSURE_LOG_PROBABILITY = -1;
/** Mean log-probability below which a decode counts as silence at any no-speech probability. */
const MIN_LOG_PROBABILITY = -1.5;

/** True when the decode of any model should count as silence. */
export const countsAsSilence = (evidence: Pick<Evidence, "logProbability" | "noSpeechProbability">): boolean =>
  evidence.logProbability < MIN_LOG_PROBABILITY || saysNoSpeech(evidence);

/** Whisper's log-probability of the first token. Most sounds are below both limits, nearly all people's clips above. */
const MIN_FIRST_LOG_PROBABILITY = -2.4;
const UNSURE_FIRST_LOG_PROBABILITY = -1.9;

/** The same for Whisper, whose first token separates sounds from words better than the mean of all tokens. */
export const whisperHeardSilence = (evidence: Evidence): boolean =>
  evidence.firstLogProbability < MIN_FIRST_LOG_PROBABILITY || saysNoSpeech(evidence);

/** True when Whisper was unsure how to begin: the sound was probably no speech. */
export const isDoubtful = ({ firstLogProbability }: Evidence): boolean =>
  firstLogProbability < UNSURE_FIRST_LOG_PROBABILITY;

function saysNoSpeech({
  logProbability,
  noSpeechProbability,
}: Pick<Evidence, "logProbability" | "noSpeechProbability">): boolean {
  return noSpeechProbability > MAX_NO_SPEECH_PROBABILITY && logProbability < UNSURE_LOG_PROBABILITY;
}

/** Spelled letters need nine tokens a second. Other scripts have several tokens a letter. */
const TOKENS_PER_SECOND = { en: 12, other: 30 };
const TOKENS_WITHOUT_TIME = 5;

/** Most tokens of a clip's text. It ends loops early. */
export function tokenBudget(seconds: number, language: string): number {
  const perSecond = language === "en" ? TOKENS_PER_SECOND.en : TOKENS_PER_SECOND.other;
  return TOKENS_WITHOUT_TIME + Math.ceil(perSecond * seconds);
}
