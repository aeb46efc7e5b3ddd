import { RealtimeAgent, RealtimeSession, type RealtimeItem } from "@openai/agents-realtime";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { clip, silence } from "../support/audio.ts";
import { TestBox } from "../support/box.ts";

let box: TestBox;

beforeAll(async () => {
  box = await TestBox.start({}, "limits: { audio_burst_seconds: 600 }\n");
});
afterAll(() => box.close());

const question = Buffer.concat([clip("flite-time.wav"), silence(1.2)]);
const stop = Buffer.concat([clip("flite-stop.wav"), silence(1.2)]);

async function connect() {
  const agent = new RealtimeAgent({ name: "test", instructions: "You are a friendly assistant. Be brief." });
  const session = new RealtimeSession(agent, { transport: "websocket" });
  const seen: string[] = [];
  const errors: unknown[] = [];
  let audioBytes = 0;
  const watchers = new Set<() => void>();
  const wake = () => {
    for (const watch of watchers) watch();
  };
  session.transport.on("*", (event: { type: string }) => {
    seen.push(event.type);
    wake();
  });
  session.on("audio", ({ data }) => {
    audioBytes += data.byteLength;
    wake();
  });
  session.on("history_updated", wake);
  session.on("error", (error) => errors.push(error));
  onTestFinished(() => session.close());
  const { url, key } = box.realtime();
  await session.connect({ apiKey: key, url });
  const until = async (isReached: () => boolean) => {
    while (!isReached()) {
      await new Promise<void>((resolve) => {
        const watch = () => {
          watchers.delete(watch);
          resolve();
        };
        watchers.add(watch);
      });
    }
  };
  const send = (pcm: Buffer) => session.sendAudio(new Uint8Array(pcm).buffer);
  const count = (type: string) => seen.filter((name) => name === type).length;
  return { session, seen, errors, until, send, count, audioBytes: () => audioBytes };
}

const transcripts = (history: readonly RealtimeItem[]) =>
  history.flatMap((item) =>
    item.type === "message"
      ? item.content.map((part) => [
          item.role,
          "transcript" in part ? part.transcript : "text" in part ? part.text : "",
        ])
      : [],
  );

test("the Agents SDK holds a spoken turn, and its history has the words of both sides", async () => {
  const { session, errors, until, send, count, audioBytes } = await connect();
  send(question);
  await until(() => count("response.done") === 1);
  await until(() => transcripts(session.history).length === 2 && transcripts(session.history)[0]?.[1] !== null);
  const [asked, answered] = transcripts(session.history);
  expect(asked).toEqual(["user", expect.stringMatching(/time/u)]);
  expect(answered).toEqual(["assistant", expect.stringMatching(/\w/u)]);
  expect(audioBytes()).toBeGreaterThan(24_000);
  expect(errors).toEqual([]);
});

test("the Agents SDK is interrupted by the caller, and its history keeps what was heard", async () => {
  const { session, errors, until, send, count, audioBytes } = await connect();
  let interruptions = 0;
  session.on("audio_interrupted", () => (interruptions += 1));
  send(question);
  await until(() => audioBytes() > 0);
  await new Promise((resolve) => setTimeout(resolve, 400));
  send(stop);
  await until(() => count("response.done") === 1);
  await until(() => count("conversation.item.truncated") === 1);
  await until(() => count("conversation.item.retrieved") >= 2);
  expect(interruptions).toBeGreaterThan(0);
  expect(errors).toEqual([]);
});

test("the Agents SDK sends text", async () => {
  const { session, errors, until, count } = await connect();
  session.sendMessage("What time is it?");
  await until(() => count("response.done") === 1);
  expect(transcripts(session.history)[0]).toEqual(["user", "What time is it?"]);
  expect(errors).toEqual([]);
});
