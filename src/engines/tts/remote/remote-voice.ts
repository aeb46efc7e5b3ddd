import type { RemoteSpeechConfig } from "../../remote/remote-model.ts";
import { CALL_HZ } from "../../../audio/format.ts";
import { pcm16ToFloat } from "../../../audio/pcm16.ts";
import { resampleAll } from "../../../audio/resampler.ts";
import { readWav } from "../../../audio/wav.ts";
import { OakError } from "../../../shared/errors.ts";
import type { Deadline } from "../../remote/deadline.ts";
import type { RemoteClient } from "../../remote/remote-client.ts";
import { RemoteEngine, type RemoteEngineOptions } from "../../remote/remote-engine.ts";
import { answerFault } from "../../remote/remote-fault.ts";
import type { RemoteHealth } from "../../remote/remote-health.ts";
import type { SynthesizeRequest, TextToSpeech } from "../text-to-speech.ts";
import { isAudible } from "../sherpa/voice-check.ts";

const NAME = "speech synthesis model";
const PATH = "/audio/speech";
/** A clause is shorter. */
const MAX_SECONDS = 90;
const PCM_TYPE = /^(?:audio\/(?:pcm|l16)|application\/octet-stream|)$/u;
const HELLO = { text: "Hello.", voice: "default", speed: 1 };
const hasWord = /[\p{L}\p{Nd}]/u;

export interface RemoteSpeech extends TextToSpeech {
  readonly health: RemoteHealth;
  /** It has none here. */
  readonly process?: undefined;
}

/**
 * A speech model that an OpenAI-compatible server runs. Starts also while the server cannot be reached.
 * @throws OakError `ENGINE_START_FAILED` for a fault that only the operator can remedy.
 */
export async function startRemoteSpeech(options: RemoteEngineOptions<RemoteSpeechConfig>): Promise<RemoteSpeech> {
  const { remote, log } = options;
  const say = (client: RemoteClient, request: SynthesizeRequest, deadline: Deadline) =>
    synthesize(client, remote.voice, request, deadline);
  const kind = {
    name: NAME,
    setting: "models.tts",
    tryOut: async (client: RemoteClient, deadline: Deadline) => {
      if (!isAudible(await say(client, HELLO, deadline))) throw answerFault(client.to, "silence");
    },
    check: (client: RemoteClient, deadline: Deadline) => client.reach(deadline),
  };
  const engine = new RemoteEngine(kind, options);
  await engine.start();
  const { host, model } = engine.client.to;
  if (engine.health.state === "ready") log.info({ engine: NAME, host, model }, "speech synthesis model ready");
  return {
    health: engine.health,
    sampleRateHz: CALL_HZ,
    async synthesize(request, signal) {
      if (!hasWord.test(request.text)) return new Float32Array(0);
      const samples = await engine.ask(signal, (deadline) => say(engine.client, request, deadline));
      if (isAudible(samples)) return samples;
      throw new OakError("The voice made no sound for a text with words.", { code: "TTS_SAID_NOTHING" });
    },
    close: () => engine.close(),
  };
}

async function synthesize(
  client: RemoteClient,
  standard: string,
  { text, voice, speed }: SynthesizeRequest,
  deadline: Deadline,
): Promise<Float32Array> {
  const json = {
    model: client.to.model,
    input: text,
    voice: voice === "" || voice === "default" ? standard : voice,
    response_format: "pcm",
    speed: Math.min(2, Math.max(0.5, speed)),
  };
  const maxBytes = MAX_SECONDS * 2 * CALL_HZ;
  const { body, type } = await client.read({ path: PATH, json, accept: "audio/*", maxBytes }, deadline);
  const samples = body.toString("latin1", 0, 4) === "RIFF" ? wavSamples(body) : pcmSamples(body, type);
  if (samples === undefined) throw answerFault(client.to, "something else than PCM or WAV");
  return samples;
}

/** Undefined when the file is damaged or too long. */
function wavSamples(file: Buffer): Float32Array | undefined {
  try {
    const { samples, sampleRateHz } = readWav(file);
    return samples.length > MAX_SECONDS * sampleRateHz ? undefined : resampleAll(samples, sampleRateHz, CALL_HZ);
  } catch {
    return undefined;
  }
}

/** Bytes at 24 kHz. Undefined for text and compressed audio. */
function pcmSamples(bytes: Buffer, type: string): Float32Array | undefined {
  if (!PCM_TYPE.test(type)) return undefined;
  const whole = bytes.subarray(0, bytes.length & ~1);
  const samples = new Float32Array(whole.length / 2);
  pcm16ToFloat(whole, samples);
  return samples;
}
