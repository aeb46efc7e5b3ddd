import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import type { EmotionClassifier } from "../engines/emotion/emotion-classifier.ts";
import type { EndOfTurnModel } from "../engines/end-of-turn/end-of-turn-model.ts";
import type { LanguageModel } from "../engines/llm/language-model.ts";
import type { MessageId } from "../doors/voice/message-id.ts";
import type { ServerData, ServerMessageType } from "../doors/voice/server-messages.ts";
import type { SessionSettingsPatch } from "../doors/voice/session-settings.ts";
import type { SpeechToText } from "../engines/stt/speech-to-text.ts";
import type { TextToSpeech } from "../engines/tts/text-to-speech.ts";
import type { VadEngine } from "../engines/vad/voice-activity-detector.ts";

/** The wire as a session sees it: never blocks, never throws; a closed wire swallows the message. */
export interface ClientPort {
  send<Type extends ServerMessageType>(type: Type, data: ServerData[Type]): void;
}

export interface SessionRequest {
  readonly connectionId: string;
  readonly voice: VoiceConfiguration;
  readonly client: ClientPort;
  /** Called once, with a fault of the program inside this session, which does nothing from then on. Tell the client and close it. */
  readonly onFault: (error: unknown) => void;
}

/** What a session is made of. */
export interface Engines {
  readonly vad: VadEngine;
  readonly stt: SpeechToText;
  readonly llm: LanguageModel;
  readonly tts: TextToSpeech;
  readonly emotion: EmotionClassifier;
  /** Undefined when it could not be loaded: then turns end by silence alone. */
  readonly endOfTurn: EndOfTurnModel | undefined;
}

/** One caller's conversation, from connect to close. */
export interface VoiceSession {
  /** Merges a validated patch over the settings in force; the first call makes the session ready. Answers message `replyTo` with `status`. */
  configure(patch: SessionSettingsPatch, replyTo?: MessageId): void;
  readonly ready: boolean;
  /** PCM 16-bit little-endian mono 24 kHz, an even number of bytes. The buffer is not kept. */
  pushAudio(pcm: Buffer): void;
  /** Resolves when no turn is under way and no reply is owed or heard, at once or later. */
  quiet(): Promise<void>;
  /** Stops all work of the session. Resolves when nothing of it runs any more. */
  close(): Promise<void>;
}

export type OpenSession = (request: SessionRequest) => VoiceSession;
