import { addAbortListener } from "node:events";
import { MODEL_HZ } from "../../../audio/format.ts";
import { writeWav } from "../../../audio/wav.ts";
import { AbortScope } from "../../../shared/abort-scope.ts";
import { OakError } from "../../../shared/errors.ts";
import type { Deadline } from "../../remote/deadline.ts";
import type { RemoteClient } from "../../remote/remote-client.ts";
import { RemoteEngine, type RemoteEngineOptions } from "../../remote/remote-engine.ts";
import { answerFault, RemoteFault } from "../../remote/remote-fault.ts";
import type { RemoteHealth } from "../../remote/remote-health.ts";
import { withRoom } from "../audio/clip.ts";
import type { SpeechRecognizer, SpeechToText, TranscribeRequest, Transcript } from "../speech-to-text.ts";
import { whisperPrompt } from "../text/whisper-prompt.ts";
import { readTranscription } from "./transcription.ts";

const NAME = "speech recognition";
const PATH = "/audio/transcriptions";
const MAX_ANSWER_BYTES = 1_048_576;
const SILENCE = { samples: new Float32Array(MODEL_HZ), language: "en" };

export interface RemoteRecognition extends SpeechToText {
  readonly health: RemoteHealth;
  /** It has none here. */
  readonly process?: undefined;
}

/**
 * A recogniser that an OpenAI-compatible server runs, such as whisper.cpp's, vLLM or a server of faster-whisper. Starts also while
 * the server cannot be reached.
 * @throws OakError `ENGINE_START_FAILED` for a fault that only the operator can remedy.
 */
export async function startRemoteRecognition(options: RemoteEngineOptions): Promise<RemoteRecognition> {
  const kind = {
    name: NAME,
    setting: "models.stt",
    tryOut: async (client: RemoteClient, deadline: Deadline) => void (await transcribe(client, SILENCE, deadline)),
    check: (client: RemoteClient, deadline: Deadline) => client.reach(deadline),
  };
  const engine = new RemoteEngine(kind, options);
  await engine.start();
  const { host, model } = engine.client.to;
  if (engine.health.state === "ready") options.log.info({ engine: NAME, host, model }, "speech recognition ready");
  return { health: engine.health, threads: 0, open: () => openRecognizer(engine), close: () => engine.close() };
}

/** One caller's recogniser. `close` aborts its running request. */
function openRecognizer(engine: RemoteEngine): SpeechRecognizer {
  const closing = new AbortController();
  return {
    async transcribe(request, signal) {
      closing.signal.throwIfAborted();
      using scope = new AbortScope(signal);
      using _ = addAbortListener(closing.signal, () => scope.abort(closing.signal.reason));
      const attempt = (deadline: Deadline) => transcribe(engine.client, request, deadline);
      try {
        return await engine.ask(scope.signal, attempt, request.kind === "final");
      } catch (error) {
        if (request.kind === "partial" && error instanceof RemoteFault && error.code === "ENGINE_BUSY")
          throw new OakError(error.message, { code: "STT_BUSY", cause: error });
        throw error;
      }
    },
    close: () => closing.abort(new OakError("This recogniser is closed.", { code: "STT_CLOSED" })),
  };
}

async function transcribe(
  client: RemoteClient,
  { samples, language, phrases = [] }: Omit<TranscribeRequest, "kind">,
  deadline: Deadline,
): Promise<Transcript> {
  const sound = withRoom(samples);
  const wav = writeWav({ samples: sound.samples, sampleRateHz: MODEL_HZ });
  const prompt = whisperPrompt(phrases);
  const form = [
    ["file", new File([wav], "clip.wav", { type: "audio/wav" })],
    ["model", client.to.model],
    ["language", language],
    ...(prompt === "" ? [] : [["prompt", prompt] as const]),
    ["temperature", "0"],
    ["response_format", "verbose_json"],
    ["timestamp_granularities[]", "word"],
    ["timestamp_granularities[]", "segment"],
  ] as const;
  const sent = { path: PATH, form, accept: "application/json", maxBytes: MAX_ANSWER_BYTES };
  const { body } = await client.read(sent, deadline);
  const transcript = readTranscription(body.toString(), samples, sound.startSeconds);
  if (transcript === undefined) throw answerFault(client.to, "something else than a transcription");
  return transcript;
}
