import { setTimeout as wait } from "node:timers/promises";
import { embeddedDefault, type VoiceConfiguration } from "../../src/config/voice-configuration.ts";
import { loadModelCatalog, modelFor, modelPath, type ModelRole } from "../../src/config/model-catalog.ts";
import { Session, type Engines } from "../../src/conversation/session.ts";
import { startEmotion } from "../../src/emotion/emotion-engine.ts";
import { loadEndOfTurn } from "../../src/endpoint/onnx-end-of-turn.ts";
import { startLlama } from "../../src/llm/llama-engine.ts";
import type { ServerData, ServerMessageType } from "../../src/protocol/server-messages.ts";
import type { SessionSettingsPatch } from "../../src/protocol/session-settings.ts";
import { systemClock } from "../../src/shared/clock.ts";
import { silentLog } from "../../src/shared/log.ts";
import type { SpeechToText } from "../../src/stt/contract.ts";
import { startWhisperCpp } from "../../src/stt/whisper-cpp.ts";
import { startSherpa } from "../../src/tts/sherpa-engine.ts";
import { loadSilero } from "../../src/vad/silero.ts";
import { inRealTime } from "./audio.ts";

/** The starter models' engines, as `compose.ts` starts them, for sessions without a server around them. */
export async function starterEngines(): Promise<Engines> {
  const catalog = loadModelCatalog();
  const path = (role: ModelRole) => modelPath(modelFor(catalog, role, "starter"), "");
  const llama = { modelPath: path("llm"), gpu: false, threads: 1, contextTokens: 1024, sequences: 8 } as const;
  const [vad, stt, llm, tts, emotion, endOfTurn] = await Promise.all([
    loadSilero(path("vad")),
    startWhisperCpp({ path: path("stt") }, silentLog),
    startLlama(llama, silentLog),
    startSherpa({ modelDir: path("tts"), threads: 1 }, silentLog),
    startEmotion({ modelPath: path("emotion") }, silentLog),
    loadEndOfTurn(path("turn")),
  ]);
  return { vad, stt, llm, tts, emotion, endOfTurn };
}

export async function closeEngines(engines: Engines): Promise<void> {
  await Promise.all(Object.values(engines).map(async (engine: Engines[keyof Engines]) => engine?.close()));
}

/** The same recogniser on a machine that needs `delayMs` longer for each decode. */
export function slowed(stt: SpeechToText, delayMs: number): SpeechToText {
  return {
    threads: stt.threads,
    open() {
      const recognizer = stt.open();
      return {
        async transcribe(request, signal) {
          await wait(delayMs, undefined, { signal });
          return recognizer.transcribe(request, signal);
        },
        close: () => recognizer.close(),
      };
    },
    close: () => stt.close(),
  };
}

type Sent = { [Type in ServerMessageType]: { type: Type; data: ServerData[Type]; atMs: number } }[ServerMessageType];

/** One caller's session, and what it sends. */
export class Line implements AsyncDisposable {
  readonly sent: Sent[] = [];
  readonly session: Session;
  readonly #watchers = new Set<() => void>();

  constructor(engines: Engines, voice: Partial<VoiceConfiguration>, settings: SessionSettingsPatch = {}) {
    const client = {
      send: <Type extends ServerMessageType>(type: Type, data: ServerData[Type]) => {
        this.sent.push({ type, data, atMs: performance.now() } as Sent);
        for (const watch of this.#watchers) watch();
      },
    };
    const request = { connectionId: "line", projectId: "test", voice: { ...embeddedDefault, ...voice }, client };
    this.session = new Session(request, engines, systemClock, silentLog);
    this.session.configure(settings);
  }

  /** Sends audio at the pace it was spoken. */
  speak(pcm: Buffer): Promise<void> {
    return inRealTime(pcm, (chunk) => this.session.pushAudio(chunk));
  }

  /** Resolves when the session has sent `count` messages of this type. */
  async until(type: ServerMessageType, count = 1): Promise<void> {
    while (this.all(type).length < count) {
      await new Promise<void>((resolve) => {
        const watch = () => {
          this.#watchers.delete(watch);
          resolve();
        };
        this.#watchers.add(watch);
      });
    }
  }

  all<Type extends ServerMessageType>(type: Type): Extract<Sent, { type: Type }>[] {
    return this.sent.filter((message): message is Extract<Sent, { type: Type }> => message.type === type);
  }

  /** Bytes of speech sent so far. */
  get speechBytes(): number {
    return this.all("tts_chunk").reduce((sum, { data }) => sum + Buffer.from(data.content, "base64").length, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session.close();
  }

  /** The types in order, runs of the same type folded, voice activity left out. */
  order(): ServerMessageType[] {
    const types = this.sent.map(({ type }) => type).filter((type) => type !== "voice_activity");
    return types.filter((type, index) => type !== types[index - 1]);
  }
}
