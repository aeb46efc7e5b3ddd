import { readFileSync } from "node:fs";
import OpenAI from "openai";
import { OpenAIRealtimeWS } from "openai/realtime/ws";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { clip, silence } from "../support/audio.ts";
import { TestBox } from "../support/box.ts";
import { makeCertificate } from "../support/certificate.ts";

let box: TestBox;
const { cert_file, key_file } = makeCertificate();

beforeAll(async () => {
  const tls = `tls: { cert_file: ${cert_file}, key_file: ${key_file} }`;
  box = await TestBox.start({}, `${tls}\nlimits: { audio_burst_seconds: 600 }\n`);
});
afterAll(() => box.close());

// The package connects to wss: only.
test("the openai package holds a spoken turn over TLS", async () => {
  const { url, key } = box.realtime();
  const baseURL = url.replace("ws://", "https://").replace("/realtime", "");
  const client = new OpenAI({ apiKey: key, baseURL });
  const realtime = new OpenAIRealtimeWS({ model: "default", options: { ca: readFileSync(cert_file) } }, client);
  onTestFinished(() => realtime.close());
  const types: string[] = [];
  realtime.on("event", ({ type }) => types.push(type));
  const done = new Promise((resolve, reject) => {
    realtime.on("response.done", resolve);
    realtime.on("error", reject);
  });
  const said: string[] = [];
  realtime.on("response.output_audio_transcript.delta", ({ delta }) => said.push(delta));
  await new Promise((resolve) => realtime.on("session.created", resolve));
  const turn_detection = { type: "server_vad", silence_duration_ms: 400 } as const;
  realtime.send({
    type: "session.update",
    session: { type: "realtime", audio: { input: { turn_detection, transcription: { model: "whisper-1" } } } },
  });
  const pcm = Buffer.concat([clip("flite-time.wav"), silence(1)]);
  realtime.send({ type: "input_audio_buffer.append", audio: pcm.toString("base64") });
  expect(await done).toMatchObject({ response: { status: "completed" } });
  expect(said.join("")).toMatch(/\w/u);
  expect(types).toContain("conversation.item.input_audio_transcription.completed");
});
