import { expect, it, onTestFinished } from "vitest";
import { clip, silence } from "../support/audio.ts";
import { TestBox } from "../support/box.ts";
import * as chat from "../support/chat-events.ts";
import { ToolServer } from "../support/tool-server.ts";

it("a call is answered by a language model on another machine, whose failure is an error of the turn", async () => {
  let isDown = false;
  const server = await ToolServer.start((response, received) => {
    const isReply = received.body.includes('"stream":true');
    const reply = chat.stream(chat.text("It is "), chat.text("noon."), chat.stop, chat.usage(50, 40), chat.done);
    if (isDown) response.destroy();
    else (isReply ? reply : chat.token)(response, received);
  });
  onTestFinished(() => server.close());
  const llm = `{ engine: openai-compatible, url: "${server.url}v1", model: big }`;
  const yaml = `models: { llm: ${llm} }\negress: { allowed_hosts: ["${server.host}"] }\nlimits: { audio_burst_seconds: 600 }\n`;
  const box = await TestBox.start({}, yaml);
  onTestFinished(() => box.close());
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${String(box.box.port)}${path}`)).text();
  const caller = await box.call();
  const ask = () => caller.client.sendAudio(Buffer.concat([clip("flite-time.wav"), silence(1)]));

  ask();
  const { data } = await caller.next("llm_response_chunk");
  expect(data.content).toBe("It is noon.");
  await caller.next("tts_chunk");
  expect(await get("/readyz")).toMatch(/^ready\n/u);
  expect(await get("/metrics")).toMatch(/^oakvoice_remote_tokens_total\{kind="cached"\} [1-9]/mu);

  isDown = true;
  ask();
  const error = await caller.next("error");
  expect(error.data).toMatchObject({ error_code: "LLM_UNAVAILABLE" });
  expect(await get("/readyz")).toMatch(/^not running: language model\n/u);
  expect(await get("/metrics")).toContain('oakvoice_engine_up{engine="language model"} 0');

  isDown = false;
  // Requests without a pause between them are a flood, and the server ends it.
  await expect.poll(() => get("/readyz"), { timeout: 60_000 }).toMatch(/^ready\n/u);
  ask();
  await caller.next("tts_chunk");
  caller.client.close();
});
