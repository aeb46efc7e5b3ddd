import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { EmotionClassifier } from "../engines/emotion/emotion-classifier.ts";
import type { EndOfTurnModel } from "../engines/end-of-turn/end-of-turn-model.ts";
import type { LanguageModel } from "../engines/llm/language-model.ts";
import type { SpeechToText } from "../engines/stt/speech-to-text.ts";
import type { TextToSpeech } from "../engines/tts/text-to-speech.ts";
import type { VadEngine } from "../engines/vad/voice-activity-detector.ts";
import type { Emit } from "./events.ts";
import type { SessionSettingsPatch } from "./settings.ts";

export interface SessionRequest {
  readonly connectionId: string;
  readonly voice: VoiceConfiguration;
  readonly emit: Emit;
  /** Called once, with a fault of the program inside this session, which does nothing from then on. Tell the client and close it. */
  readonly onFault: (error: unknown) => void;
}

/** The engines that a session uses. */
export interface Engines {
  readonly vad: VadEngine;
  readonly stt: SpeechToText;
  readonly llm: LanguageModel;
  readonly tts: TextToSpeech;
  readonly emotion: EmotionClassifier;
  /** Undefined when it could not be loaded: then turns end by silence alone. */
  readonly endOfTurn: EndOfTurnModel | undefined;
  /** Languages that the recogniser knows. Undefined when that is not known: any may work. */
  readonly languages?: readonly string[] | undefined;
}

/** What a client that counts its playback knows about it. */
export type PlaybackReport =
  | { readonly type: "played"; readonly reply: number; readonly playedMs: number }
  /** The client's buffer is full, or has room again. */
  | { readonly type: "full" | "room" };

/** One caller's conversation, from connect to close. These methods are its commands; its events go to `emit`. */
export interface VoiceSession {
  /** Merges a validated patch into the settings and emits `ready` before it returns. The first call makes the session ready. */
  configure(patch: SessionSettingsPatch): void;
  readonly ready: boolean;
  /** Languages that `configure` may choose. Undefined: any. */
  readonly languages?: readonly string[] | undefined;
  /** The caller's audio at `CALL_HZ`. The array is not kept. */
  pushAudio(pcm: Int16Array): void;
  /** Words that the caller gave without speaking, such as pressed keys. They interrupt the reply and are answered. */
  addText(text: string): void;
  /** Makes the heard position exact, and stops sending while the client's buffer is full. */
  reportPlayback(report: PlaybackReport): void;
  /** Resolves when no turn is under way and no reply is owed or heard, at once or later. */
  quiet(): Promise<void>;
  /** Stops all work of the session. Resolves when nothing of it runs any more. */
  close(): Promise<void>;
}

export type OpenSession = (request: SessionRequest) => VoiceSession;
