import { CALL_BYTES_PER_MS, CALL_HZ } from "../src/audio/format.ts";
import "../src/node-version.ts";
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { floatToPcm16, pcm16ToFloat } from "../src/audio/pcm16.ts";
import { resampleAll } from "../src/audio/resampler.ts";
import { readWav, writeWav } from "../src/audio/wav.ts";
import { onNode } from "../src/client/node.ts";
import { Playback } from "../src/client/playback.ts";
import { VoiceClient } from "../src/client/voice-client.ts";
import { packageRoot, packageVersion } from "../src/shared/package-root.ts";
import type { ServerMessage } from "../src/doors/voice/server-messages.ts";
import { errorCode, errorMessage } from "../src/shared/errors.ts";
import { numberOf, parseOptions, takeCommonOptions } from "../src/shared/options.ts";
import { exitOnOutputError } from "../src/shared/standard-output.ts";
import { writeOutput } from "../src/shared/files/write-output.ts";
import { findServer } from "./find-server.ts";
import { describeMessage } from "./talk-describe.ts";

const USAGE = `npm run talk -- [FILE.wav] [--out reply.wav] [--port PORT] [--url ws://... --api-key oak_...] [--config-id default] [--wait SECONDS] [--config FILE]
Streams the file in real time, prints every event with its delay, and writes the reply as a WAV.`;

const CHUNK_MS = 100;
const CHUNK_BYTES = CHUNK_MS * CALL_BYTES_PER_MS;
const SAMPLE = join(packageRoot, "scripts", "talk-sample.wav");

async function main(): Promise<void> {
  const { config, help, version, rest } = takeCommonOptions("talk", process.argv.slice(2));
  if (help) return console.log(USAGE);
  if (version) return console.log(packageVersion());
  const { values, positionals } = parseOptions("talk", rest, {
    out: { type: "string", default: "reply.wav" },
    port: { type: "string" },
    url: { type: "string" },
    "api-key": { type: "string" },
    "config-id": { type: "string", default: "default" },
    /** Longest wait for a reply after the file has ended. */
    wait: { type: "string", default: "30" },
  });
  const waitMs = numberOf("wait", values.wait) * 1000;
  const pcm = readPcm(positionals[0] ?? SAMPLE);
  // Now rather than after the call.
  accessSync(existsSync(values.out) ? values.out : dirname(resolve(values.out)), constants.W_OK);
  using server = await findServer({
    config,
    port: values.port === undefined ? undefined : numberOf("port", values.port),
    url: values.url,
    apiKey: values["api-key"],
    configId: values["config-id"],
  });
  const heard = await talk((id) => server.urlOf(id), pcm, waitMs);
  if (heard.length === 0) return console.log("no reply: nothing that was heard asked for one");
  const samples = new Float32Array(heard.length / 2);
  pcm16ToFloat(heard, samples);
  writeOutput(values.out, writeWav({ samples, sampleRateHz: CALL_HZ }));
  console.log(`reply: ${(heard.length / 2 / CALL_HZ).toFixed(2)} s of speech in ${values.out}`);
}

/** One call: returns the reply's audio as the caller heard it. */
async function talk(address: (connectionId: string) => string, pcm: Uint8Array, waitMs: number): Promise<Uint8Array> {
  const playback = new Playback();
  const speechMs = lastLoudMs(pcm);
  const startedMs = performance.now();
  let streamingSinceMs = Infinity;
  let activeMs = performance.now();
  let turnsOpen = 0;
  let isReplyDue = false;

  const client = new VoiceClient({ address, ...onNode(), reconnect: false });
  client.on("message", (message) => {
    const nowMs = performance.now();
    print(message, nowMs);
    if (message.type !== "voice_activity") activeMs = nowMs;
  });
  client.on("speech", (speech) => playback.add(speech, performance.now()));
  client.on("tts_interruption", () => playback.interrupt(performance.now()));
  client.on("turn_start", () => (turnsOpen += 1));
  client.on("turn_end", ({ transcript }) => {
    turnsOpen -= 1;
    isReplyDue ||= transcript !== "";
  });
  client.on("llm_response_chunk", ({ is_final }) => (isReplyDue &&= !is_final));
  client.on("error", () => (isReplyDue = false));

  function print(message: ServerMessage, nowMs: number): void {
    const text = describeMessage(message);
    if (text === undefined) return;
    const sinceSpeech = nowMs - streamingSinceMs - speechMs;
    const delay = sinceSpeech > 0 ? `  (${sinceSpeech.toFixed(0)} ms after the last loud sample)` : "";
    console.log(`${((nowMs - startedMs) / 1000).toFixed(3).padStart(8)} s  ${text}${delay}`);
  }

  await client.connect();
  streamingSinceMs = performance.now();
  const silence = new Uint8Array(CHUNK_BYTES);
  const fileMs = (pcm.length / CHUNK_BYTES) * CHUNK_MS;
  // A microphone does not stop when the speaker does: silence follows until the conversation has come to rest.
  for (let sent = 0; client.state === "ready"; sent += 1) {
    const chunk = pcm.subarray(sent * CHUNK_BYTES, (sent + 1) * CHUNK_BYTES);
    client.sendAudio(chunk.length > 0 ? chunk : silence);
    const nowMs = performance.now();
    const afterFileMs = nowMs - streamingSinceMs - fileMs;
    const isQuiet = turnsOpen <= 0 && !isReplyDue && !playback.isPlaying(nowMs) && nowMs - activeMs > 1500;
    if (afterFileMs > waitMs || (afterFileMs > 1500 && isQuiet)) break;
    await sleep(Math.max(0, streamingSinceMs + (sent + 1) * CHUNK_MS - nowMs));
  }
  client.close();
  return playback.heard();
}

function readPcm(file: string): Uint8Array {
  const { samples, sampleRateHz } = readWav(readFileSync(file));
  const wire = resampleAll(samples, sampleRateHz, CALL_HZ);
  const pcm = new Uint8Array(wire.length * 2);
  floatToPcm16(wire, pcm);
  return pcm;
}

/** Time of the last sample within 30 dB of the loudest: where speech ends, near enough for a terminal. */
function lastLoudMs(pcm: Uint8Array): number {
  const samples = new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length / 2);
  const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  const last = samples.findLastIndex((sample) => Math.abs(sample) > loudest / 32);
  return (last * 1000) / CALL_HZ;
}

/** The remedy for messages that do not name one. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/self-signed|issuer cert/u, "NODE_EXTRA_CA_CERTS=cert.pem trusts a server's own certificate"],
  [/altnames/u, "--url wss://NAME uses the name in the certificate"],
  [/ECONNREFUSED/u, "nothing listens there: start the server, or name another address with --url"],
  [
    /API key is not known/u,
    "the server prints one when it starts, `oakvoice keys create` makes another; --api-key names it",
  ],
  [/^EACCES/u, "name files that this user may read, and with --out one that it may write"],
];

exitOnOutputError("talk");
main().catch((error: unknown) => {
  const message = errorMessage(error);
  const mend = REMEDIES.find(([pattern]) => pattern.test(message))?.[1];
  console.error(`talk: ${message}${mend === undefined ? "" : `; ${mend}`}`);
  process.exitCode = errorCode(error) === "USAGE" ? 2 : 1;
});
