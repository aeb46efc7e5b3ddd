import { join } from "node:path";
import { contextRuleOf, secondOpinionRuleOf, loadModelCatalog, modelAt } from "../config/model-catalog.ts";
import type { ServerConfig } from "../config/server-config.ts";
import type { VoiceConfiguration } from "../config/voice-configuration.ts";
import { loadDeepFilter } from "../engines/enhancement/deep-filter.ts";
import { startEmotion } from "../engines/emotion/emotion-engine.ts";
import { loadEndOfTurn } from "../engines/end-of-turn/onnx-end-of-turn.ts";
import { Egress } from "../egress/egress.ts";
import type { EngineHealth } from "../child-processes/engine-health.ts";
import { startRemoteLanguageModel, type RemoteLanguage } from "../engines/llm/remote/remote-language-model.ts";
import type { ModelProcess } from "../child-processes/model-process.ts";
import { startLlama } from "../engines/llm/llama/llama-engine.ts";
import type { GraphicsCard } from "../resources/graphics.ts";
import { graphicsCardFor, recognitionUsesCard, threadsFor } from "../resources/resources.ts";
import type { Log } from "../shared/log.ts";
import { packageRoot } from "../shared/package-root.ts";
import { twoEars } from "../engines/stt/ears/two-ears.ts";
import { isMoonshine, startMoonshine } from "../engines/stt/moonshine/moonshine.ts";
import { startWhisperCpp } from "../engines/stt/whisper/whisper-cpp.ts";
import type { SpeechToText } from "../engines/stt/speech-to-text.ts";
import { startRemoteRecognition } from "../engines/stt/remote/remote-recognizer.ts";
import { startRemoteSpeech } from "../engines/tts/remote/remote-voice.ts";
import { startSherpa } from "../engines/tts/sherpa/sherpa-engine.ts";
import { startSpeakerEncoder } from "../engines/speaker/speaker-engine.ts";
import { loadSilero } from "../engines/vad/silero.ts";
import { rejectTones } from "../engines/vad/tone-rejection.ts";

/** The only speaker model: its thresholds would not fit another one (docs/decisions/0106-only-my-caller.md). */
const SPEAKER_MODEL = join(packageRoot, "models", "starter", "speaker", "speaker.onnx");

/** The speaker models that voice configurations need: none, or the only one. */
export const speakerModels = (voices: readonly Pick<VoiceConfiguration, "only_my_caller">[]): readonly string[] =>
  voices.some((voice) => voice.only_my_caller) ? [SPEAKER_MODEL] : [];

/** The only noise suppression model: the rule about voices is measured with it (docs/decisions/0104-noise-suppression.md). */
const NOISE_MODEL = join(packageRoot, "models", "starter", "enhancement", "deep-filter.onnx");

/** A remote recogniser's time limit when none is set. */
const REMOTE_STT_SECONDS = 30;

/**
 * Starts the engines of a configuration. Only this file names concrete engines. `callers`: how many contexts the language model
 * holds. A `path` replaces the configured model. `signal` cancels starts.
 */
export function engineStarters(
  { models, egress = { allowed_hosts: [] } }: Pick<ServerConfig, "models"> & Partial<Pick<ServerConfig, "egress">>,
  callers: number,
  log: Log,
  signal?: AbortSignal,
) {
  let card: Promise<GraphicsCard | undefined> | undefined;
  /** Probed once, on first use. */
  const graphics = () => (card ??= graphicsCardFor(models, signal));
  /** Threads when `own` replaces configured models. */
  const threads = async (own: Partial<Record<"stt" | "llm" | "tts", string>>) => {
    const stt = { ...models.stt, path: own.stt ?? models.stt.path };
    const llm = { ...models.llm, path: own.llm ?? models.llm.path };
    const tts = { ...models.tts, dir: own.tts ?? models.tts.dir };
    return threadsFor({ stt, llm, tts }, await graphics());
  };
  /** Each remote model has connections of its own. */
  const ways = () => new Egress(egress.allowed_hosts, { keepsConnections: true });
  return {
    graphics,
    vad: async () => rejectTones(await loadSilero(models.vad.path)),
    noise: () => loadDeepFilter(NOISE_MODEL),
    speaker: () => startSpeakerEncoder(SPEAKER_MODEL, log, signal),
    emotion: () => startEmotion({ ...models.emotion, modelPath: models.emotion.path }, log, signal),
    endOfTurn: () => loadEndOfTurn(models.turn.path, modelAt(loadModelCatalog(), "turn", models.turn.path)?.languages),
    stt: async (path = models.stt.path): Promise<SpeechToText & Engine> => {
      const { remote, deadlineSeconds = REMOTE_STT_SECONDS } = models.stt;
      if (remote !== undefined && path === models.stt.path)
        return startRemoteRecognition({ remote, deadlineSeconds, egress: ways(), log, signal });
      if (isMoonshine(path)) return startMoonshine({ ...models.stt, folder: path }, log, signal);
      const catalog = loadModelCatalog();
      const rules = {
        contextRule: contextRuleOf(catalog, path),
        secondOpinionRule: secondOpinionRuleOf(catalog, path),
      };
      const usesCard = recognitionUsesCard({ ...models, stt: { ...models.stt, path } }, await graphics());
      // A named kind that has no card is an error of the engine's start.
      const gpu = models.stt.gpu === "auto" && !usesCard ? "off" : models.stt.gpu;
      const options = { ...models.stt, path, gpu, ...rules, ...(await threads({ stt: path })).stt };
      const { fastPath } = models.stt;
      if (fastPath === undefined || path !== models.stt.path) return startWhisperCpp(options, log, signal);
      const [sure, fast] = await allOrNone([
        startWhisperCpp(options, log, signal),
        startMoonshine({ ...models.stt, folder: fastPath }, log, signal),
      ]);
      return { ...twoEars(fast, sure), parts: [sure, fast] };
    },
    llm: async (path = models.llm.path) => {
      const { remote, contextTokens, deadlineSeconds } = models.llm;
      if (remote !== undefined && path === models.llm.path) {
        return startRemoteLanguageModel({ remote, contextTokens, deadlineSeconds, egress: ways(), log, signal });
      }
      const { prompt, reply } = (await threads({ llm: path })).llm;
      const { temperature, trained_tokens: trainedTokens } = modelAt(loadModelCatalog(), "llm", path) ?? {};
      const limits = { temperature, trainedTokens, sequences: callers, threads: prompt, replyThreads: reply };
      return startLlama({ ...models.llm, modelPath: path, ...limits }, log, signal);
    },
    tts: async (path = models.tts.dir) => {
      const { remote, deadlineSeconds } = models.tts;
      if (remote !== undefined && path === models.tts.dir)
        return startRemoteSpeech({ remote, deadlineSeconds, egress: ways(), log, signal });
      return startSherpa({ deadlineSeconds, modelDir: path, ...(await threads({ tts: path })).tts }, log, signal);
    },
  };
}

/** Waits for both, and closes the other one when one fails. */
async function allOrNone<One extends Engine, Other extends Engine>(
  starting: readonly [Promise<One>, Promise<Other>],
): Promise<readonly [One, Other]> {
  try {
    return await Promise.all(starting);
  } catch (error) {
    for (const result of await Promise.allSettled(starting))
      if (result.status === "fulfilled") await result.value.close();
    throw error;
  }
}

export interface Engine {
  /** Two engines that act as one. */
  readonly parts?: readonly Engine[];
  /** A child process or a remote model has one of them. */
  readonly process?: ModelProcess | undefined;
  readonly health?: EngineHealth;
  readonly tokens?: RemoteLanguage["tokens"];
  close(): Promise<void>;
}
