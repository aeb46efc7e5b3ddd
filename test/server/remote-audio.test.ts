import { expect, it, onTestFinished } from "vitest";
import { samplesOf } from "../../src/audio/pcm16.ts";
import { audioServer } from "../support/audio-server.ts";
import { clip, silence } from "../support/audio.ts";
import { type Caller, TestBox } from "../support/box.ts";

it("a call is heard and answered by recognition and speech on another machine, and outlives its failure", async () => {
  const server = await audioServer();
  const remote = `engine: openai-compatible, url: "${server.url}v1"`;
  const models = `{ stt: { ${remote}, model: whisper-1 }, tts: { ${remote}, model: tts-1 } }`;
  const allowed = `egress: { allowed_hosts: ["${server.host}"] }`;
  const box = await TestBox.start({}, `models: ${models}\n${allowed}\nlimits: { audio_burst_seconds: 600 }\n`);
  onTestFinished(() => box.close());
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${String(box.box.port)}${path}`)).text();
  const ask = (caller: Caller) => caller.client.sendAudio(Buffer.concat([clip("flite-time.wav"), silence(1)]));
  const [heard, unheard] = [await box.call(), await box.call()];
  ask(heard);
  const { data } = await heard.next("transcription", ({ data: { is_final } }) => is_final);
  expect(data.transcript.toLowerCase()).toContain("what time is it");
  const { content } = await heard.next("tts_chunk");
  const loudest = samplesOf(Buffer.from(content, "base64")).reduce((most, at) => Math.max(most, at), 0);
  expect(loudest).toBeGreaterThan(1_000);
  expect(await get("/readyz")).toMatch(/^ready\n/u);

  await server.close();
  ask(unheard);
  const { data: failure } = await unheard.next("error");
  expect(failure.error_code).toBe("STT_UNAVAILABLE");
  expect(await get("/readyz")).toMatch(/^not running: speech recognition/u);
  expect([heard.closed, unheard.closed]).toEqual([undefined, undefined]);

  await server.reopen();
  await expect.poll(() => get("/readyz"), { timeout: 30_000 }).toMatch(/^ready\n/u);
  ask(unheard);
  await unheard.next("tts_chunk");
  heard.client.close();
  unheard.client.close();
});
