import { expect, it, onTestFinished } from "vitest";
import { writeWav } from "../../../../src/audio/wav.ts";
import { Egress } from "../../../../src/egress/egress.ts";
import { startRemoteSpeech } from "../../../../src/engines/tts/remote/remote-voice.ts";
import { silentLog } from "../../../../src/shared/log.ts";
import { afterTrial, audioServer, tone } from "../../../support/audio-server.ts";
import { type Answer, answer, ToolServer } from "../../../support/tool-server.ts";

const never = new AbortController().signal;
const hello = { text: "Hello there.", voice: "default", speed: 1 };
const pcm = (bytes: Buffer, type = "audio/pcm") => answer(bytes, { "content-type": type });
const wav = (rateHz: number) =>
  pcm(Buffer.from(writeWav({ samples: new Float32Array(rateHz).fill(0.2), sampleRateHz: rateHz })), "audio/wav");

async function speech(server: ToolServer) {
  const tts = await startRemoteSpeech({
    remote: { url: `${server.url}v1`, model: "kokoro", keyFile: undefined, voice: "af_heart" },
    deadlineSeconds: 30,
    egress: new Egress([server.host], { keepsConnections: true }),
    log: silentLog,
  });
  onTestFinished(() => tts.close());
  return tts;
}

async function serving(...answers: readonly Answer[]) {
  const server = await ToolServer.start(afterTrial(pcm(tone()), answers));
  onTestFinished(() => server.close());
  return { server, tts: await speech(server) };
}

it("a real voice on a server speaks", async () => {
  const tts = await speech(await audioServer());
  const samples = await tts.synthesize(hello, never);
  const seconds = samples.length / tts.sampleRateHz;
  expect(seconds).toBeGreaterThan(0.3);
  expect(seconds).toBeLessThan(3);
});

it("sends the text, the configured voice or the one asked for, and a speed within the limits", async () => {
  const { server, tts } = await serving(pcm(tone()));
  await tts.synthesize({ ...hello, speed: 9 }, never);
  await tts.synthesize({ ...hello, voice: "bf_emma" }, never);
  const sent = server.requests.slice(-2).map(({ body }) => JSON.parse(body) as unknown);
  const same = { model: "kokoro", input: "Hello there.", response_format: "pcm" };
  expect(sent).toEqual([{ ...same, voice: "af_heart", speed: 2 }, { ...same, voice: "bf_emma", speed: 1 }]); // prettier-ignore
  expect(await tts.synthesize({ ...hello, text: "..." }, never)).toHaveLength(0);
});

it.each<[string, Answer]>([
  ["PCM", pcm(tone())],
  ["PCM without a type", pcm(tone(), "application/octet-stream")],
  ["PCM with half a sample at its end", pcm(tone().subarray(0, -1))],
  ["WAV of 8 kHz", wav(8_000)],
  ["WAV of 44.1 kHz", wav(44_100)],
])("%s becomes speech at 24 kHz", async (_, given) => {
  const { tts } = await serving(given);
  const samples = await tts.synthesize(hello, never);
  expect(Math.abs(samples.length - 24_000)).toBeLessThan(10);
  expect(samples[12_000]).not.toBe(0);
});

it.each<[string, Answer, string, RegExp]>([
  ["silence", pcm(Buffer.alloc(48_000)), "TTS_SAID_NOTHING", /no sound/u],
  ["MP3", pcm(Buffer.from("ID3xx"), "audio/mpeg"), "ENGINE_UNAVAILABLE", /something else than PCM or WAV/u],
  ["a page", answer("<html>", { "content-type": "text/html" }), "ENGINE_UNAVAILABLE", /check models\.tts\.url/u],
  ["a damaged WAV file", pcm(Buffer.from("RIFFxxxx"), "audio/wav"), "ENGINE_UNAVAILABLE", /PCM or WAV/u],
  ["10 MB", pcm(Buffer.alloc(10_000_000, 7)), "ENGINE_UNAVAILABLE", /more than 4320000 bytes/u],
  ["an unknown voice", answer("{}", {}, 400), "ENGINE_UNAVAILABLE", /refuses the request \(status 400\)/u],
])("%s is an error that says why", async (_, given, code, message) => {
  const { tts } = await serving(given);
  const error = { code, message: expect.stringMatching(message) as string };
  await expect(tts.synthesize(hello, never)).rejects.toMatchObject(error);
});

it("a failure is followed by another attempt", async () => {
  const { tts } = await serving(answer("{}", {}, 503), pcm(tone()));
  expect(await tts.synthesize(hello, never)).toHaveLength(24_000);
});

it("an abort ends the wait", async () => {
  const { tts } = await serving(() => undefined);
  const abort = new AbortController();
  const stalled = tts.synthesize(hello, abort.signal);
  abort.abort();
  await expect(stalled).rejects.toBe(abort.signal.reason);
});

it("a server that is silent at the trial stops the start", async () => {
  const server = await ToolServer.start(pcm(Buffer.alloc(48_000)));
  onTestFinished(() => server.close());
  await expect(speech(server)).rejects.toMatchObject({
    code: "ENGINE_START_FAILED",
    message: expect.stringMatching(/silence: check models\.tts\.url/u) as string,
  });
});
