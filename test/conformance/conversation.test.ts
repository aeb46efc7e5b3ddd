import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clip, silence } from "../support/audio.ts";
import { TestBox, type Caller } from "../support/box.ts";
import { workerPids } from "../support/worker-pids.ts";

const GREETER = `
config_id: greeter
project_id: hotel
system_prompt: You are Oak, a friendly voice assistant. Answer in one to three short spoken sentences.
greeting: Hello, this is Oak. How can I help you?
`;

let box: TestBox;

beforeAll(async () => {
  // Clips are sent at once, not at the pace they were spoken.
  box = await TestBox.start({ greeter: GREETER }, "limits: { audio_burst_seconds: 600 }\n");
});
afterAll(() => box.close());

const question = Buffer.concat([clip("flite-time.wav"), silence(1.2)]);

async function ask(caller: Caller, pcm: Buffer): Promise<void> {
  caller.client.sendAudio(pcm);
  await caller.next("turn_end");
}

describe("a question and its answer", () => {
  test("produce well-formed messages in the interface's order", async () => {
    const caller = await box.call();
    await ask(caller, question);
    await caller.next("llm_response_chunk", ({ data }) => data.is_final);
    await caller.next("tts_chunk");
    caller.client.close();

    const order = caller.order();
    expect(order.slice(0, 3)).toEqual(["connection_metadata", "status", "turn_start"]);
    const positions = ["transcription", "turn_end", "llm_response_chunk", "tts_chunk"].map((type) =>
      order.indexOf(type),
    );
    expect(positions.every((position) => position > 0)).toBe(true);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(caller.all("error")).toEqual([]);

    const final = caller.all("transcription").find(({ data }) => data.is_speech_final);
    expect(final?.data).toMatchObject({ is_final: true, is_turn_incomplete: false });
    expect(final?.data.accumulated_transcript).toMatch(/time/);
    const words = final?.data.words ?? [];
    expect(words.map(({ word }) => word).join(" ")).toBe(final?.data.transcript);
    for (const [index, { start, end }] of words.entries()) {
      expect(end).toBeGreaterThanOrEqual(start);
      expect(start).toBeGreaterThanOrEqual(words[index - 1]?.end ?? 0);
    }
    expect(caller.all("turn_end")[0]?.data).toMatchObject({ is_complete: true, transcript: final?.data.transcript });

    const chunks = caller.all("llm_response_chunk").map(({ data }) => data);
    expect(chunks.map(({ chunk_index }) => chunk_index)).toEqual(chunks.map((_, index) => index));
    expect(new Set(chunks.map(({ generation_id }) => generation_id)).size).toBe(1);
  });

  test.each(["continuous", "on_turn_complete", "interval"] as const)("emotion is sent %s", async (update_frequency) => {
    const caller = await box.call({
      emotion_detection: { update_frequency, confidence_threshold: 0, analysis_window: 1 },
    });
    caller.client.sendAudio(Buffer.concat([clip("flite-lights.wav"), silence(1.2)]));
    const { data } = await caller.next("emotion_update");
    expect(data.session_id).toBe(caller.all("connection_metadata")[0]?.data.connection_id);
    expect(data.confidence).toBe(Math.max(...Object.values(data.emotions)));
    if (update_frequency === "on_turn_complete") expect(caller.order()).toContain("transcription");
    caller.client.close();
  });

  test("silence and noise start no turn", async () => {
    const caller = await box.call();
    const noise = Buffer.alloc(24_000 * 2 * 3);
    for (let at = 0; at < noise.length; at += 2) noise.writeInt16LE(Math.round((Math.random() - 0.5) * 600), at);
    caller.client.sendAudio(Buffer.concat([silence(1), noise, silence(1)]));
    await caller.next("voice_activity", () => caller.all("voice_activity").length >= 20);
    expect(caller.order()).toEqual(["connection_metadata", "status"]);
    caller.client.close();
  });

  test("a client that stops sending after the speech still gets an answer", async () => {
    const caller = await box.call();
    await ask(caller, clip("flite-time.wav"));
    await caller.next("tts_chunk");
    caller.client.close();
  });

  test("the conversation works without turn detection and sends no turn events", async () => {
    const caller = await box.call({ turn_detection: { enabled: false } });
    caller.client.sendAudio(question);
    await caller.next("tts_chunk");
    expect(caller.order().filter((type) => type.startsWith("turn_"))).toEqual([]);
    expect(caller.all("voice_activity")).toEqual([]);
    caller.client.close();
  });
});

describe("turns", () => {
  test("a greeting is spoken first", async () => {
    const caller = await box.call({}, "greeter");
    await caller.next("llm_response_chunk", ({ data }) => data.is_final);
    expect(
      caller
        .all("llm_response_chunk")
        .map(({ data }) => data.content)
        .join(""),
    ).toMatch(/^Hello, this is Oak/);
    await caller.next("tts_chunk");
    caller.client.close();
  });

  test("speech over the reply stops it, is announced and becomes the next turn", async () => {
    const caller = await box.call({}, "greeter");
    await caller.next("tts_chunk");
    caller.client.sendAudio(Buffer.concat([clip("flite-lights.wav"), silence(1)]));
    await caller.next("tts_interruption");
    expect((await caller.next("turn_interrupted")).data.interruption_type).toBe("user_speech");
    expect((await caller.next("turn_start")).data.interrupted_tts).toBe(true);
    expect((await caller.next("turn_end")).data.transcript).not.toBe("");
    const order = caller.order();
    expect(order.slice(order.indexOf("tts_interruption"), order.indexOf("turn_end"))).not.toContain("tts_chunk");
    await caller.next("tts_chunk");
    caller.client.close();
  });

  test("a turn that lasts too long ends with system_timeout", async () => {
    const caller = await box.call({ turn_detection: { max_turn_duration: 1 } });
    caller.client.sendAudio(clip("flite-lights.wav"));
    expect((await caller.next("turn_interrupted")).data.interruption_type).toBe("system_timeout");
    expect((await caller.next("turn_end")).data.is_complete).toBe(false);
    caller.client.close();
  });

  test("words that cannot end a sentence get more time, then the turn ends with silence_timeout", async () => {
    const caller = await box.call();
    const pcm = clip("flite-lights.wav").subarray(0, 1.5 * 24_000 * 2); // "turn on the lights in the"
    caller.client.sendAudio(pcm);
    // The clip is sent at the pace of a microphone, because the decision needs the decoded words.
    for (let sent = 0; sent < 20; sent += 1) {
      caller.client.sendAudio(silence(0.1));
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (sent === 8) expect(caller.all("turn_end")).toEqual([]);
    }
    expect((await caller.next("turn_interrupted")).data.interruption_type).toBe("silence_timeout");
    expect((await caller.next("turn_end")).data).toMatchObject({ is_complete: false });
    caller.client.close();
  });

  test("settings may change at any time and are merged", async () => {
    const caller = await box.call({ turn_detection: { silence_threshold: 0.9 } });
    caller.client.configure({ turn_detection: { mode: "conservative" } });
    const { data } = await caller.next("status");
    expect(data.status === "ready" && data.details.applied_settings?.turn_detection).toMatchObject({
      silence_threshold: 0.9,
      mode: "conservative",
      max_turn_duration: 30,
    });
    caller.client.close();
  });
});

test("three callers at once hear only themselves", async () => {
  const callers = await Promise.all(["flite-time.wav", "flite-lights.wav", "flite-timer.wav"].map(async (name) => {
    const caller = await box.call();
    return { caller, pcm: Buffer.concat([clip(name), silence(1.2)]) };
  })); // prettier-ignore
  const transcripts = await Promise.all(
    callers.map(async ({ caller, pcm }) => {
      caller.client.sendAudio(pcm);
      const { data } = await caller.next("turn_end");
      await caller.next("llm_response_chunk", (message) => message.data.is_final);
      return data.transcript;
    }),
  );
  expect(transcripts[0]).toMatch(/time/);
  expect(transcripts[1]).toMatch(/light/);
  expect(transcripts[2]).toMatch(/timer|ten|minutes/);
  for (const { caller } of callers) {
    const id = caller.all("connection_metadata")[0]?.data.connection_id;
    for (const { data } of caller.all("transcription")) expect(data.session_id).toBe(id);
    for (const { data } of caller.all("turn_end")) expect(data.turn_id.startsWith(id ?? "?")).toBe(true);
    expect(caller.all("turn_end")).toHaveLength(1);
    caller.client.close();
  }
  // A turn has more than one reply when a tool call takes long.
  const replies = callers.map(({ caller }) => caller.all("llm_response_chunk").map(({ data }) => data.generation_id));
  for (const [at, own] of replies.entries())
    for (const other of replies.slice(at + 1)) expect(own.filter((id) => other.includes(id))).toEqual([]);
});

describe.each([
  { worker: "whisper-cpp-worker", code: "STT_UNAVAILABLE" },
  { worker: "llama-worker", code: "LLM_UNAVAILABLE" },
  { worker: "sherpa-worker", code: "TTS_UNAVAILABLE" },
])("kill -9 on $worker during a turn", ({ worker, code }) => {
  test("the next process answers the turn, and only a restart of more than 3 s is reported", async () => {
    const caller = await box.call();
    const [pid] = workerPids(worker);
    expect(pid).toBeDefined();
    // The process is stopped first, so that a request of the turn is running when it is killed.
    process.kill(pid ?? 0, "SIGSTOP");
    caller.client.sendAudio(question);
    await caller.next("turn_start");
    if (worker !== "whisper-cpp-worker") await caller.next("turn_end");
    process.kill(pid ?? 0, "SIGKILL");
    for (;;) {
      const { type } = await caller.next(["tts_chunk", "error"]);
      if (type === "tts_chunk") break;
      caller.client.sendAudio(question);
    }
    for (const { data } of caller.all("error")) expect(data.error_code).toBe(code);
    expect(caller.closed).toBeUndefined();
    expect(caller.messages.at(-1)?.type).not.toBe("error");
    expect(workerPids(worker)).not.toContain(pid);
    caller.client.close();
  });
});
