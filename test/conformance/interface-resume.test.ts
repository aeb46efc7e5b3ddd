import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { WebSocket } from "ws";
import { issueToken } from "../../src/auth/jwt.ts";
import { voiceAddress } from "../../src/client/address.ts";
import { onNode } from "../../src/client/node.ts";
import { VoiceClient } from "../../src/client/voice-client.ts";
import type { ServerMessage } from "../../src/doors/voice/server-messages.ts";
import { clip, silence } from "../support/audio.ts";
import { TestBox } from "../support/box.ts";
import { hasRedis, startRedis, writeSecret } from "../support/redis-server.ts";

const GREETING = "Welcome to the harbour hotel. My name is Oak. You can ask me about rooms and about breakfast.";

const SECRET = "a secret of at least thirty-two bytes";

const voice = (id: string, greeting: string) =>
  `config_id: ${id}\nproject_id: default\nsystem_prompt: Be brief.\n${greeting}`;
const VOICES = { hotel: voice("hotel", `greeting: ${GREETING}\n`), plain: voice("plain", "") };

let box: TestBox;
beforeAll(async () => {
  box = await TestBox.start(VOICES);
});
afterAll(() => box.close());

/** The typed client on sockets that the test breaks. */
class LossyCaller {
  readonly messages: ServerMessage[] = [];
  readonly client: VoiceClient;
  #socket: WebSocket | undefined;
  #wake = () => {};

  constructor(address: (connectionId: string) => string) {
    const { openSocket, parse } = onNode();
    this.client = new VoiceClient({
      address,
      parse,
      openSocket: (url) => {
        const socket = openSocket(url);
        this.#socket = socket as unknown as WebSocket;
        return socket;
      },
      reconnect: { firstMs: 100 },
    });
    this.client.on("message", (message) => {
      this.messages.push(message);
      this.#wake();
    });
  }

  terminate(): void {
    this.#socket?.terminate();
  }

  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  count(type: ServerMessage["type"]): number {
    return this.messages.filter((message) => message.type === type).length;
  }

  get resumed() {
    return this.messages.flatMap((message) => (message.type === "connection_metadata" ? [message.data.resumed] : []));
  }

  /** The text of each reply. */
  get replies(): string[] {
    const texts = new Map<string, string>();
    for (const message of this.messages)
      if (message.type === "llm_response_chunk") {
        const { generation_id: id, content } = message.data;
        texts.set(id, (texts.get(id) ?? "") + content);
      }
    return [...texts.values()].filter((text) => text !== "");
  }

  /** In real time. */
  async speak(pcm: Buffer): Promise<void> {
    for (let at = 0; at < pcm.length; at += 4_800) {
      this.client.sendAudio(pcm.subarray(at, at + 4_800));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

test("a greeting that is cut goes on at its sentence, and is not said again", async () => {
  const caller = new LossyCaller((id) => box.url("hotel", id));
  await caller.client.connect();
  await caller.until(() => caller.count("tts_chunk") >= 22);
  caller.terminate();
  await caller.until(() => caller.resumed.length === 2);
  const resumed = caller.resumed[1];
  if (resumed === undefined || resumed === false || resumed.reply === undefined) throw new Error("not resumed");
  const { text, continues_at: at = 0, heard_characters: heard } = resumed.reply;
  expect(text).toBe(GREETING);
  expect(heard).toBeGreaterThanOrEqual(at);
  expect(GREETING.slice(0, at).trim()).toMatch(/^$|\.$/u);
  await caller.until(() => caller.replies.length === 2 && caller.messages.at(-1)?.type === "tts_chunk");
  expect(caller.replies[1]).toBe(GREETING.slice(at).trim());
  caller.client.close();
});

test("words before a loss are answered after it, over several losses, with one session_settings", async () => {
  const caller = new LossyCaller((id) => box.url("plain", id));
  await caller.client.connect();
  const speech = clip("flite-timer.wav");
  const speaking = caller.speak(Buffer.concat([silence(0.3), speech, silence(8)]));
  await caller.until(() => caller.count("transcription") >= 1);
  caller.terminate();
  await caller.until(() => caller.client.state === "ready" && caller.resumed.length === 2);
  await caller.until(() => caller.count("tts_chunk") >= 3);
  caller.terminate();
  await caller.until(() => caller.resumed.length === 3 && caller.client.state === "ready");
  await speaking;
  expect(caller.resumed.slice(1).every((state) => typeof state === "object")).toBe(true);
  const last = caller.resumed[2];
  if (typeof last !== "object" || last.reply === undefined) throw new Error("no reply was cut");
  // A text that was not complete is written again.
  const { text, continues_at: at } = last.reply;
  if (at !== undefined) expect(caller.replies.at(-1)).toBe(text.slice(at).trim());
  expect(caller.replies.at(-1)).not.toBe("");
  expect(caller.messages.filter(({ type }) => type === "error")).toEqual([]);
  caller.client.close();
});

test.skipIf(!hasRedis)(
  "a greeting that is cut goes on over another box, and a question is answered there",
  async () => {
    const token = await issueToken({ algorithms: ["HS256"], secret: SECRET }, { lifetimeSeconds: 60, subject: "ann" }, new Date()); // prettier-ignore
    const redis = await startRedis();
    const yaml =
      `auth: { jwt: { algorithms: [HS256], secret: "${SECRET}" } }\n` +
      `cluster: { url: "${redis.url}", secret_file: "${writeSecret()}" }\n`;
    const boxes = await Promise.all([TestBox.start(VOICES, yaml), TestBox.start(VOICES, yaml)]);
    for (const each of boxes) onTestFinished(() => each.close());
    let base = boxes[0].base;
    const caller = new LossyCaller((id) => voiceAddress({ base, token, configId: "hotel" })(id));
    await caller.client.connect();
    await caller.until(() => caller.count("tts_chunk") >= 30);
    base = boxes[1].base;
    caller.terminate();
    await caller.until(() => caller.resumed.length === 2);
    const resumed = caller.resumed[1];
    if (typeof resumed !== "object" || resumed.reply === undefined) throw new Error("not resumed");
    const { text, continues_at: at = 0 } = resumed.reply;
    expect(text).toBe(GREETING);
    await caller.until(() => caller.replies.length === 2 && caller.messages.at(-1)?.type === "tts_chunk");
    expect(caller.replies[1]).toBe(GREETING.slice(at).trim());
    const speaking = caller.speak(Buffer.concat([silence(6), clip("flite-time.wav"), silence(3)]));
    await caller.until(() => caller.replies.length === 3);
    await speaking;
    expect(caller.messages.filter(({ type }) => type === "error")).toEqual([]);
    caller.client.close();
  },
);
