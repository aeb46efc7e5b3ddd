import type { ServerConfig } from "../../src/config/server-config.ts";
import { startEmotion } from "../../src/emotion/emotion-engine.ts";
import { loadEndOfTurn } from "../../src/endpoint/onnx-end-of-turn.ts";
import { startLlama } from "../../src/llm/llama-engine.ts";
import { silentLog } from "../../src/shared/log.ts";
import { startWhisperCpp } from "../../src/stt/whisper-cpp.ts";
import { startSherpa } from "../../src/tts/sherpa-engine.ts";
import { loadSilero } from "../../src/vad/silero.ts";

/** The engines that the server would run, on the same models, without the server. */
export async function startAlone({ models }: ServerConfig) {
  const { path: modelPath, threads, contextTokens, gpu } = models.llm;
  const engines = {
    vad: await loadSilero(models.vad.path),
    endOfTurn: await loadEndOfTurn(models.turn.path),
    emotion: await startEmotion({ modelPath: models.emotion.path }, silentLog),
    stt: await startWhisperCpp(models.stt, silentLog),
    llm: await startLlama({ modelPath, threads, contextTokens, gpu, sequences: 1 }, silentLog),
    tts: await startSherpa({ modelDir: models.tts.dir, threads: Math.max(1, models.tts.threads) }, silentLog),
  };
  return {
    ...engines,
    close: async () => {
      await Promise.all(Object.values(engines).map(async (engine) => engine.close()));
    },
  };
}

export type EnginesAlone = Awaited<ReturnType<typeof startAlone>>;
