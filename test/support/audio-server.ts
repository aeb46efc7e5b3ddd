import { onTestFinished } from "vitest";
import { MODEL_HZ } from "../../src/audio/format.ts";
import { floatToPcm16 } from "../../src/audio/pcm16.ts";
import { resampleAll } from "../../src/audio/resampler.ts";
import { readWav, writeWav } from "../../src/audio/wav.ts";
import { loadServerConfig } from "../../src/config/server-config.ts";
import { engineStarters } from "../../src/service/engine-starters.ts";
import { silentLog } from "../../src/shared/log.ts";
import { ToolServer, type Answer, type ReceivedRequest } from "./tool-server.ts";

const never = new AbortController().signal;

/** The starter recogniser and voice behind `/v1/audio/transcriptions` and `/v1/audio/speech`, until the end of the test. */
export async function audioServer(): Promise<ToolServer> {
  const start = engineStarters(loadServerConfig(undefined, {}).config, 4, silentLog);
  const [stt, tts] = await Promise.all([start.stt(), start.tts()]);
  const transcribe = async (received: ReceivedRequest) => {
    const form = await formOf(received);
    const { samples, sampleRateHz } = readWav(await (form.get("file") as File).bytes());
    const recognizer = stt.open();
    const clip = resampleAll(samples, sampleRateHz, MODEL_HZ);
    const { text, words } = await recognizer.transcribe({ samples: clip, kind: "final", language: "en" }, never);
    recognizer.close();
    return { type: "application/json", body: JSON.stringify({ task: "transcribe", text, words }) };
  };
  const speak = async ({ body }: ReceivedRequest) => {
    const { input, speed } = JSON.parse(body) as { input: string; speed: number };
    const samples = await tts.synthesize({ text: input, voice: "default", speed }, never);
    return { type: "audio/wav", body: writeWav({ samples, sampleRateHz: tts.sampleRateHz }) };
  };
  /** Asked for every 15 s. */
  const models = async () => ({
    type: "application/json",
    body: JSON.stringify({ data: [{ id: "whisper-1" }, { id: "tts-1" }] }),
  });
  const server = await ToolServer.start((response, received) => {
    const work = { "/v1/audio/speech": speak, "/v1/models": models }[received.path] ?? transcribe;
    void work(received).then(
      ({ type, body }) => response.writeHead(200, { "content-type": type }).end(body),
      // The models are closed while a request runs.
      () => response.writeHead(503).end(),
    );
  });
  onTestFinished(async () => {
    await server.close();
    await Promise.all([stt.close(), tts.close()]);
  });
  return server;
}

/** The fields of a multipart request. */
export const formOf = ({ headers, bytes }: ReceivedRequest): Promise<FormData> =>
  new Response(new Uint8Array(bytes), { headers: { "content-type": headers["content-type"] ?? "" } }).formData();

/** A second of a tone as 16-bit PCM at 24 kHz. */
export function tone(): Buffer {
  const samples = Float32Array.from({ length: 24_000 }, (_, index) => 0.3 * Math.sin(index / 10));
  const pcm = Buffer.alloc(2 * samples.length);
  floatToPcm16(samples, pcm);
  return pcm;
}

/** First a good answer for the trial at the start, then the given ones, the last one for ever. */
export function afterTrial(trial: Answer, answers: readonly Answer[]): Answer {
  let count = -1;
  return (response, received) => {
    if (received.path.endsWith("/models")) return void response.writeHead(404).end();
    count += 1;
    (count === 0 ? trial : answers[Math.min(count, answers.length) - 1])?.(response, received);
  };
}
