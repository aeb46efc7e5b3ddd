import type { EmotionClassifier } from "./emotion/emotion-classifier.ts";
import type { EndOfTurnModel } from "./end-of-turn/end-of-turn-model.ts";
import type { NoiseSuppressionEngine } from "./enhancement/noise-suppressor.ts";
import type { LanguageModel } from "./llm/language-model.ts";
import type { SpeakerEncoder } from "./speaker/speaker-encoder.ts";
import type { SpeechToText } from "./stt/speech-to-text.ts";
import type { TextToSpeech } from "./tts/text-to-speech.ts";
import type { VadEngine } from "./vad/voice-activity-detector.ts";

/** The engines that a session uses. */
export interface Engines {
  readonly vad: VadEngine;
  readonly stt: SpeechToText;
  readonly llm: LanguageModel;
  readonly tts: TextToSpeech;
  readonly emotion: EmotionClassifier;
  /** Undefined when it could not be loaded: then turns end by silence alone. */
  readonly endOfTurn: EndOfTurnModel | undefined;
  /** Absent: noise is not suppressed. */
  readonly noise?: NoiseSuppressionEngine | undefined;
  /** Absent: no voice configuration wants other voices to be ignored. */
  readonly speaker?: SpeakerEncoder | undefined;
  /** Languages that the recogniser knows. Undefined when that is not known: any may work. */
  readonly languages?: readonly string[] | undefined;
  /** The voice for a language that the recogniser heard. Absent: `tts` speaks all. */
  readonly speechIn?: ((language: string) => TextToSpeech) | undefined;
}
