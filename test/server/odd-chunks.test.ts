import { WebSocket } from "ws";
import { expect, onTestFinished, test } from "vitest";
import { clip } from "../support/audio.ts";
import { startWireServer } from "./support.ts";

/** 24 kHz PCM. No resampler changes it on the way to the session. */
const audio = clip("flite-time.wav");
const sizes: Readonly<Record<string, readonly number[]>> = {
  "4001 and 3999 bytes": [4001, 3999],
  "4095 bytes": [4095],
  "7 bytes first": [7, 4800],
  "1 byte": [1, 1, 9600],
};

function chunksOf(parts: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < audio.length; turn += 1) {
    const size = parts[turn % parts.length] ?? 2;
    chunks.push(audio.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

/** Audio and errors of the session of one connection. */
async function heard(path: (key: string) => string, frames: readonly (string | Buffer)[], subprotocol?: string) {
  const { server, key, sessions } = await startWireServer({ limits: { audio_burst_seconds: 600 } });
  const socket = new WebSocket(`${server.url}${path(key)}`, subprotocol === undefined ? [] : [subprotocol], {
    headers: { authorization: `Bearer ${key}` },
  });
  onTestFinished(() => socket.terminate());
  const errors: string[] = [];
  socket.on("message", (data: Buffer) => {
    if (data.includes('"error"')) errors.push(data.toString());
  });
  await new Promise((resolve) => socket.once("open", resolve));
  for (const frame of frames) socket.send(frame);
  const pcm = () => Buffer.concat(sessions[0]?.audio ?? []);
  await expect.poll(() => pcm().length).toBe(audio.length);
  return { isSame: pcm().equals(audio), errors };
}

const exact = { isSame: true, errors: [] };

test.each(Object.entries(sizes))("native binary frames and audio_input, %s", async (_, parts) => {
  const { connectReady, sessions } = await startWireServer({ limits: { audio_burst_seconds: 600 } });
  const client = await connectReady();
  for (const [at, chunk] of chunksOf(parts).entries())
    if (at % 3 === 0) client.sendMessage("audio_input", { audio: chunk.toString("base64") });
    else client.send(chunk);
  await client.settled();
  expect(Buffer.concat(sessions[0]?.audio ?? []).equals(audio)).toBe(true);
  expect(client.received.filter(({ type }) => type === "error")).toEqual([]);
});

test.each(Object.entries(sizes))("realtime input_audio_buffer.append, %s", async (_, parts) => {
  const events = chunksOf(parts).map((chunk) =>
    JSON.stringify({ type: "input_audio_buffer.append", audio: chunk.toString("base64") }),
  );
  expect(await heard(() => "/v1/realtime", events)).toEqual(exact);
});

test("realtime: half a sample is forgotten at a clear", async () => {
  const event = (type: string, fields: object = {}) => JSON.stringify({ type, ...fields });
  const append = (bytes: Buffer) => event("input_audio_buffer.append", { audio: bytes.toString("base64") });
  const events = [append(Buffer.of(7)), event("input_audio_buffer.clear"), append(audio)];
  expect(await heard(() => "/v1/realtime", events)).toEqual(exact);
});

test.each(Object.entries(sizes))("Asterisk slin24, %s", async (_, parts) => {
  const start = { event: "MEDIA_START", format: "slin24", optimal_frame_size: 960, channel_id: "x" };
  const frames = [JSON.stringify(start), ...chunksOf(parts)];
  expect(await heard((key) => `/ws/asterisk?api_key=${key}`, frames, "media")).toEqual(exact);
});
