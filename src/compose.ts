import { createAuthenticator } from "./auth/authenticate.ts";
import { openApiKeys } from "./auth/api-keys.ts";
import { createTokenVerifier } from "./auth/jwt.ts";
import { keyFilePath } from "./auth/key-file.ts";
import type { ServerConfig } from "./config/server-config.ts";
import { openVoiceStore } from "./config/voice-store.ts";
import { Session, type Engines } from "./conversation/session.ts";
import { startEmotion } from "./emotion/emotion-engine.ts";
import { startLlama } from "./llm/llama-engine.ts";
import { startServer } from "./server/voice-server.ts";
import { systemClock } from "./shared/clock.ts";
import type { Log } from "./shared/log.ts";
import { startWhisperCpp } from "./stt/whisper-cpp.ts";
import { startWhisperNode } from "./stt/whisper-node.ts";
import { startSherpa } from "./tts/sherpa-engine.ts";
import { loadSilero } from "./vad/silero.ts";

export interface Box {
  readonly port: number;
  reloadVoices(): void;
  /** Stops taking calls, closes those under way, then the engines. */
  close(): Promise<void>;
}

/** The only place that names concrete engines. Nothing listens before every model is loaded and warm. */
export async function startBox(config: ServerConfig, log: Log): Promise<Box> {
  const voices = openVoiceStore(config.voicesDir, log);
  const { jwt } = config.auth;
  const auth = createAuthenticator({
    keys: openApiKeys(keyFilePath(config.dataDir), log),
    verifyToken: jwt === undefined ? undefined : createTokenVerifier(jwt),
  });
  const engines = await startEngines(config, log);
  try {
    const openSession = (request: ConstructorParameters<typeof Session>[0]) =>
      new Session(request, engines, systemClock, log);
    const server = await startServer({ config, auth, voices, openSession, log });
    return {
      port: server.port,
      reloadVoices: () => voices.reload(),
      async close() {
        await server.close();
        await closeEngines(engines);
      },
    };
  } catch (error) {
    await closeEngines(engines);
    throw error;
  }
}

async function startEngines({ models }: ServerConfig, log: Log): Promise<Engines> {
  const starting = {
    vad: loadSilero(models.vad.path),
    stt: models.stt.engine === "whisper-node" ? startWhisperNode(models.stt, log) : startWhisperCpp(models.stt, log),
    llm: startLlama({ ...models.llm, modelPath: models.llm.path, gpu: models.llm.gpu === "off" ? false : "auto" }, log),
    tts: startSherpa({ modelDir: models.tts.dir, threads: models.tts.threads }, log),
    emotion: startEmotion({ modelPath: models.emotion.path }, log),
  };
  const results = await Promise.allSettled(Object.values(starting));
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) {
    await Promise.allSettled(results.map((result) => result.status === "fulfilled" && result.value.close()));
    throw failed.reason;
  }
  const { vad, stt, llm, tts, emotion } = starting;
  return { vad: await vad, stt: await stt, llm: await llm, tts: await tts, emotion: await emotion };
}

async function closeEngines(engines: Engines): Promise<void> {
  await Promise.allSettled(Object.values(engines).map((engine: { close(): Promise<void> }) => engine.close()));
}
