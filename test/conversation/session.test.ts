import { once } from "node:events";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { embeddedDefault } from "../../src/config/voice-configuration.ts";
import { Reply } from "../../src/conversation/reply/reply.ts";
import type { Engines } from "../../src/conversation/session-interface.ts";
import { Session } from "../../src/conversation/session.ts";
import { SpeechPace } from "../../src/conversation/reply/speech-pace.ts";
import { SpeculationCounts } from "../../src/conversation/reply/speculation-counts.ts";
import type { GenerateRequest } from "../../src/engines/llm/language-model.ts";
import type { ServerMessageType } from "../../src/doors/voice/server-messages.ts";
import { OakError } from "../../src/shared/errors.ts";
import { silentLog } from "../../src/shared/log.ts";
import { withoutTime } from "../support/time-notes.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const REPLY = "One two three four five. Six seven eight nine ten.";

/**
 * A session on engines that obey the test: loud is speech, every turn says "hello", every reply is REPLY, and each
 * clause lasts one second. The real engines are in test/conformance; here what matters is what the session asks of them.
 */
function setup({
  failReply = false,
  failLate = false,
  speculation = undefined as SpeculationCounts | undefined,
  hear = (): string => "hello",
  greeting = undefined as string | undefined,
  /** The model reads ahead until it is told to stop. */
  readsForEver = false,
  reply = REPLY,
  /** Later words of the model, and voice, wait for it. */
  slow = { model: Promise.resolve(), voice: Promise.resolve() },
} = {}) {
  const clock = new VirtualClock();
  const sent: { type: ServerMessageType; data: unknown }[] = [];
  const prompts: GenerateRequest[] = [];
  let open = 0;
  const idle = { close: async () => undefined };
  const engines: Engines = {
    vad: {
      ...idle,
      open: () => ({
        frameSamples: 512,
        speechProbability: (frame) => (Math.abs(frame[100] ?? 0) > 0.1 ? 0.99 : 0),
      }),
    },
    stt: {
      ...idle,
      threads: 1,
      open: () => {
        open += 1;
        return {
          transcribe: async () => {
            const text = hear();
            const words = text.split(" ").filter(Boolean);
            return { text, confidence: 1, words: words.map((word) => ({ word, start: 0, end: 0, confidence: 1 })) };
          },
          close: () => void (open -= 1),
        };
      },
    },
    llm: {
      ...idle,
      open: () => {
        open += 1;
        return {
          async *generate(request) {
            prompts.push(request);
            if (failReply && prompts.length === 1)
              throw new OakError("/secret/path is gone", { code: "ENGINE_TIMEOUT" });
            const words = reply.split(/(?= )/);
            for (const [at, word] of (failLate ? words.slice(0, 7) : words).entries()) {
              if (at === 5) await slow.model;
              yield word;
            }
            if (failLate && prompts.length === 1) throw new OakError("gone", { code: "ENGINE_CRASHED" });
          },
          prefill: async (_messages, signal) => {
            if (readsForEver) await once(signal, "abort");
          },
          close: () => void (open -= 1),
        };
      },
    },
    tts: {
      ...idle,
      sampleRateHz: 24_000,
      synthesize: async () => {
        await slow.voice;
        return new Float32Array(24_000).fill(0.5);
      },
    },
    endOfTurn: undefined,
    emotion: { ...idle, labels: ["neutral"], minSeconds: 1, maxSeconds: 3, classify: async () => ({ neutral: 1 }) },
  };
  const client = { send: (type: ServerMessageType, data: unknown) => void sent.push({ type, data }) };
  const request = {
    connectionId: "c",
    projectId: "default",
    voice: { ...embeddedDefault, ...(greeting === undefined ? {} : { greeting }) },
    client,
    onFault: (error: unknown) => void faults.push(error),
  };
  const faults: unknown[] = [];
  const session = new Session(request, engines, clock, silentLog, { speculation });
  session.configure({});

  const settle = async () => {
    for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  /** Audio at the pace of the clock, in 100 ms chunks. */
  const stream = async (level: number, ms: number) => {
    const pcm = Buffer.alloc(4800);
    for (let at = 0; at < pcm.length; at += 2) pcm.writeInt16LE(level, at);
    for (let streamed = 0; streamed < ms; streamed += 100) {
      session.pushAudio(pcm);
      await settle();
      clock.advance(100);
    }
    await settle();
  };
  const types = () => sent.map(({ type }) => type);
  return { clock, sent, prompts, session, faults, stream, types, settle, open: () => open };
}

const LOUD = 12_000;

test("after an interruption the model knows only what was heard of its reply", async () => {
  const { prompts, stream, types } = setup();
  await stream(LOUD, 600);
  await stream(0, 600);
  await stream(0, 1400); // the first clause and two words of the second
  await stream(LOUD, 700);
  await stream(0, 800);
  expect(types()).toContain("tts_interruption");
  expect(prompts).toHaveLength(2);
  const [first, second] = prompts.map(({ messages }) => withoutTime(messages.slice(1)));
  expect(first).toEqual([{ role: "user", content: "hello" }]);
  expect(second?.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  const heard = second?.[1]?.content ?? "";
  expect(REPLY.startsWith(heard)).toBe(true);
  expect(heard).toMatch(/^One two three four five\. Six/);
  expect(heard).not.toContain("ten");
});

test("a reply that was played to its end is remembered whole", async () => {
  const { prompts, stream } = setup();
  await stream(LOUD, 600);
  await stream(0, 4000);
  await stream(LOUD, 600);
  await stream(0, 800);
  expect(prompts[1]?.messages[2]).toEqual({ role: "assistant", content: REPLY });
});

/** A session whose reply has been heard as far as its seventh word or so; `hear` is what is recognised from then on. */
async function inTheReply(hear: () => string) {
  let asked = false;
  const call = setup({ hear: () => (asked ? hear() : "hello") });
  await call.stream(LOUD, 600);
  await call.stream(0, 600);
  await call.stream(0, 1400);
  asked = true;
  return call;
}
const written = (sent: readonly { type: string; data: unknown }[]) =>
  sent.filter(({ type }) => type === "llm_response_chunk").map(({ data }) => (data as { content: string }).content);

test("voice activity comes every 0.2 s, whatever the frame", async () => {
  const { stream, types } = setup();
  await stream(0, 10_000);
  expect(types().filter((type) => type === "voice_activity")).toHaveLength(50);
});

test.each([false, true])(
  "the box's question lets it wait longer; settings that change in mid-turn: %s",
  async (change) => {
    const { session, stream, types } = setup({ greeting: "What is your number?" });
    session.configure({ turn_detection: { context_awareness: { enabled: true } } });
    await stream(0, 2000);
    await stream(LOUD, 600);
    if (change) session.configure({ emotion_detection: { enabled: false } });
    await stream(0, 800);
    expect(types()).toContain("turn_start");
    expect(types()).not.toContain("turn_end");
    await stream(0, 400);
    expect(types()).toContain("turn_end");
  },
);

test("a turn's emotion is told after its transcript and before the reply, even one that is ready", async () => {
  const { session, stream, types } = setup({ speculation: new SpeculationCounts() });
  session.configure({ emotion_detection: { update_frequency: "on_turn_complete" } });
  await stream(LOUD, 1200);
  await stream(0, 800);
  const order = types().filter((type) => ["turn_end", "emotion_update", "llm_response_chunk"].includes(type));
  expect(order.slice(0, 3)).toEqual(["turn_end", "emotion_update", "llm_response_chunk"]);
});

test("turn detection switched in mid-turn: that turn is announced to its end, or not at all", async () => {
  for (const enabled of [false, true]) {
    const { sent, session, stream } = setup();
    session.configure({ turn_detection: { enabled: !enabled } });
    await stream(LOUD, 600);
    session.configure({ turn_detection: { enabled } });
    await stream(0, 3000);
    await stream(LOUD, 600);
    await stream(0, 800);
    const turns = (event: string) =>
      sent.filter(({ type }) => type === event).map(({ data }) => (data as { turn_id: string }).turn_id);
    expect(turns("turn_start")).toEqual([enabled ? "c.2" : "c.1"]);
    expect(turns("turn_end")).toEqual(turns("turn_start"));
  }
});

test("a long sound without words leaves the reply whole", async () => {
  const chunks = (types: readonly string[]) => types.filter((type) => type === "tts_chunk").length;
  const quiet = await inTheReply(() => "");
  await quiet.stream(0, 4000);
  const { prompts, stream, types } = await inTheReply(() => "");
  await stream(LOUD, 1100);
  await stream(0, 4000);
  expect(types()).not.toContain("tts_interruption");
  expect(types().filter((type) => type === "turn_start")).toHaveLength(1);
  expect(chunks(types())).toBe(chunks(quiet.types()));
  expect(prompts).toHaveLength(1);
});

test("after a sound that stopped the reply and turned out to say nothing, the rest of it is said", async () => {
  let words: string | undefined;
  const { sent, prompts, stream, types } = await inTheReply(() => {
    if (words === undefined) throw new OakError("too much to do", { code: "STT_BUSY" });
    return words;
  });
  await stream(LOUD, 1300);
  expect(types()).toContain("tts_interruption");
  words = "";
  await stream(0, 4000);
  expect(prompts).toHaveLength(1);
  const rest = written(sent)
    .slice(written(sent).indexOf("") + 1)
    .join("");
  expect(rest).toMatch(/^(?:(?:six )?seven )?eight nine ten\.$/i);
  words = "goodbye";
  await stream(LOUD, 600);
  await stream(0, 800);
  expect(withoutTime(prompts[1]?.messages.slice(1) ?? [])).toEqual([
    { role: "user", content: "hello" },
    { role: "assistant", content: REPLY },
    { role: "user", content: "goodbye" },
  ]);
});

test("a greeting that a sound stopped before its first word was heard is said again, not made up by the model", async () => {
  const greeting = "Llanfairpwllgwyngyllgogerychwyrndrobwll welcomes you.";
  let asked = false;
  const { sent, prompts, stream, types } = setup({
    greeting,
    hear: () => {
      if (!asked) throw new OakError("too much to do", { code: "STT_BUSY" });
      return "";
    },
  });
  await stream(0, 100);
  await stream(LOUD, 1400);
  expect(types()).toContain("tts_interruption");
  asked = true;
  await stream(0, 3000);
  expect(prompts).toEqual([]);
  expect(written(sent).join("")).toBe(`${greeting}${greeting}`);
});

test("a greeting that a sound took back before any of it was heard is said again", async () => {
  const greeting = "Hello, how can I help you?";
  let speak = (): void => undefined;
  const { sent, prompts, stream, types } = setup({
    greeting,
    hear: () => "",
    slow: { model: Promise.resolve(), voice: new Promise<void>((resolve) => (speak = resolve)) },
  });
  await stream(0, 100);
  await stream(LOUD, 400);
  expect(types()).toContain("turn_start");
  speak();
  await stream(0, 4000);
  expect(types()).not.toContain("tts_interruption");
  expect(types()).toContain("tts_chunk");
  expect(prompts).toEqual([]);
  expect(written(sent).join("")).toBe(`${greeting}${greeting}`);
});

test("after a sound that stopped a reply of which no sentence was written, the question is asked again", async () => {
  let write = (): void => undefined;
  let words: string | undefined = "hello";
  const { prompts, stream, types } = setup({
    reply: "One two three four, five six. Seven.",
    slow: { model: new Promise<void>((resolve) => (write = resolve)), voice: Promise.resolve() },
    hear: () => {
      if (words === undefined) throw new OakError("too much to do", { code: "STT_BUSY" });
      return words;
    },
  });
  await stream(LOUD, 600);
  await stream(0, 1500);
  words = undefined;
  await stream(LOUD, 1400);
  expect(types()).toContain("tts_interruption");
  words = "";
  write();
  const before = types().length;
  await stream(0, 6000);
  expect(withoutTime(prompts[1]?.messages.slice(1) ?? [])).toEqual([{ role: "user", content: "hello" }]);
  expect(types().slice(before)).toContain("tts_chunk");
});

test.each([undefined, new SpeculationCounts()])("a reply does not wait for what is read ahead", async (speculation) => {
  const { stream, types } = setup({ readsForEver: true, speculation });
  await stream(LOUD, 600);
  await stream(0, 1000);
  expect(types()).toContain("tts_chunk");
});

test("a failed reply is told without the box's paths, its text is closed, and the next turn is answered", async () => {
  const { sent, stream, types } = setup({ failReply: true });
  await stream(LOUD, 600);
  await stream(0, 800);
  const error = sent.find(({ type }) => type === "error");
  expect(error?.data).toMatchObject({
    error_code: "LLM_UNAVAILABLE",
    details: { cause: "ENGINE_TIMEOUT", turn_id: "c.1" },
  });
  expect(JSON.stringify(sent)).not.toContain("secret");
  expect(sent.find(({ type }) => type === "llm_response_chunk")?.data).toMatchObject({ content: "", is_final: true });
  await stream(LOUD, 600);
  await stream(0, 800);
  expect(types()).toContain("tts_chunk");
});

test.each([undefined, new SpeculationCounts()])(
  "a model that writes nothing is told: nobody is left in silence",
  async (speculation) => {
    const { sent, stream, types } = setup({ reply: " ", speculation });
    await stream(LOUD, 600);
    await stream(0, 1000);
    expect(sent.filter(({ type }) => type === "error").map(({ data }) => data)).toMatchObject([
      { error_code: "LLM_UNAVAILABLE", details: { cause: "LLM_SAID_NOTHING", turn_id: "c.1" } },
    ]);
    expect(types()).not.toContain("tts_chunk");
  },
);

test("a fault late in a reply does not take back the speech that is ready", async () => {
  const { sent, stream, types, prompts } = setup({ failLate: true });
  await stream(LOUD, 600);
  await stream(0, 1000);
  expect(types()).toContain("tts_chunk");
  expect(types()).not.toContain("error");
  await stream(0, 1500);
  const bytes = sent
    .filter(({ type }) => type === "tts_chunk")
    .reduce((sum, { data }) => sum + Buffer.from((data as { content: string }).content, "base64").length, 0);
  expect(bytes).toBeGreaterThanOrEqual(48_000);
  expect(types().lastIndexOf("error")).toBeGreaterThan(types().lastIndexOf("tts_chunk"));
  await stream(LOUD, 600);
  await stream(0, 800);
  expect(prompts[1]?.messages[2]).toMatchObject({ role: "assistant", content: "One two three four five." });
});

test("after close nothing is sent, no timer is left and the engines have everything back", async () => {
  for (const speakFirst of [false, true]) {
    const { clock, sent, session, stream, settle, open } = setup();
    if (speakFirst) {
      await stream(LOUD, 600);
      await stream(0, 900);
    } else await stream(LOUD, 400);
    await session.close();
    const count = sent.length;
    session.pushAudio(Buffer.alloc(4800));
    clock.advance(10_000);
    await settle();
    expect(sent).toHaveLength(count);
    expect(clock.pendingTimers).toBe(0);
    expect(open()).toBe(0);
  }
});

test("a reply taken back before it began says nothing", async () => {
  const said: string[] = [];
  const never = () => expect.fail("nothing may run");
  const reply = new Reply({
    heldBack: false,
    source: { text: "Hello." },
    language: { generate: never, prefill: never, close: never },
    speech: { sampleRateHz: 24_000, synthesize: never, close: never },
    voice: embeddedDefault,
    client: { send: (type) => void said.push(type) },
    clock: new VirtualClock(),
    pace: new SpeechPace(),
    signal: AbortSignal.abort(),
    events: { sent: never, audible: never, finished: never, failed: never },
  });
  await reply.run();
  expect(said).toEqual([]);
});

test.each([
  ["One two. Three fo", "One two."],
  ["One two. It is 3.5 per", "One two."],
  ["One two. Dr. No wai", "One two."],
  ["It is 3.5 per", undefined],
  ["Well, let me see, it i", undefined],
])("of a reply that is not all written (%j) what is left to say ends with a sentence", async (begun, unheard) => {
  const clock = new VirtualClock();
  let goOn = (): void => undefined;
  const reply = new Reply({
    heldBack: false,
    source: { messages: [] },
    language: {
      async *generate() {
        yield begun;
        await new Promise<void>((resolve) => (goOn = resolve));
        yield "ur five";
      },
      prefill: async () => undefined,
      close: () => undefined,
    },
    speech: { sampleRateHz: 24_000, synthesize: async () => new Float32Array(24_000).fill(0.5), close: async () => {} },
    voice: embeddedDefault,
    client: { send: () => undefined },
    clock,
    pace: new SpeechPace(),
    signal: new AbortController().signal,
    events: { sent: () => {}, audible: () => {}, finished: () => {}, failed: () => {} },
  });
  const done = reply.run();
  await expect.poll(() => reply.text).toBe(begun);
  expect(reply.unheard()).toBe(unheard);
  goOn();
  await done;
  expect(reply.unheard()).toBe(`${begun}ur five`);
  reply.cancel();
});

test("a reply in another language than English keeps its numbers for a voice that knows it, and pauses after each sentence", async () => {
  const asked: string[] = [];
  const sent: number[] = [];
  const clock = new VirtualClock();
  const reply = new Reply({
    heldBack: false,
    source: { text: "一个房间要5元。谢谢！" },
    language: { generate: async function* () {}, prefill: async () => undefined, close: () => undefined },
    speech: {
      sampleRateHz: 24_000,
      synthesize: async ({ text }) => {
        asked.push(text);
        return new Float32Array(2400).fill(0.5);
      },
      close: async () => {},
    },
    voice: { ...embeddedDefault, language: "zh" },
    client: { send: () => undefined },
    clock,
    pace: new SpeechPace(),
    signal: new AbortController().signal,
    events: { sent: (pcm) => sent.push(pcm.length / 48), audible: () => {}, finished: () => {}, failed: () => {} },
  });
  await reply.run();
  clock.advance(2000);
  expect(asked).toEqual(["一个房间要5元.", "谢谢!"]);
  expect(sent.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(2 * (100 + 190));
});

describe("speculation", () => {
  const REPLY_EVENTS = ["llm_response_chunk", "tts_chunk"];
  const answered = (types: readonly string[]) => types.some((type) => REPLY_EVENTS.includes(type));

  test("the reply is ready before the turn is over, and not a bit of it is sent before", async () => {
    const speculation = new SpeculationCounts();
    const { prompts, stream, types } = setup({ speculation });
    await stream(LOUD, 600);
    await stream(0, 400);
    expect(prompts).toHaveLength(1);
    expect(answered(types())).toBe(false);
    await stream(0, 200);
    const order = types().filter((type) => type === "turn_end" || REPLY_EVENTS.includes(type));
    expect(order[0]).toBe("turn_end");
    expect(order).toContain("tts_chunk");
    expect(prompts).toHaveLength(1);
    expect(speculation).toMatchObject({ started: 1, kept: 1, dropped: 0 });
  });

  test("a user who goes on to say the same keeps it", async () => {
    const speculation = new SpeculationCounts();
    const texts = ["Hello.", "hello"];
    const { prompts, stream, types } = setup({ speculation, hear: () => texts[prompts.length] ?? "hello" });
    await stream(LOUD, 600);
    await stream(0, 400);
    await stream(LOUD, 100);
    await stream(0, 800);
    expect(types()).toContain("tts_chunk");
    expect(prompts).toHaveLength(1);
    expect(speculation).toMatchObject({ started: 1, kept: 1, dropped: 0 });
  });

  test("a minute that turns while the reply waits does not void it", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-20T19:41:59Z") });
    onTestFinished(() => void vi.useRealTimers());
    const speculation = new SpeculationCounts();
    const { prompts, stream } = setup({ speculation });
    await stream(LOUD, 600);
    await stream(0, 400);
    vi.setSystemTime(new Date("2026-11-20T19:42:01Z"));
    await stream(0, 3000);
    expect(speculation).toMatchObject({ started: 1, kept: 1, dropped: 0 });
    await stream(LOUD, 600);
    await stream(0, 800);
    expect(prompts.map(({ messages }) => /\d+:\d+ PM/.exec(messages.at(-1)?.content ?? "")?.[0])).toEqual([
      "7:41 PM",
      "7:42 PM",
    ]);
  });

  test("a user who goes on to say more gets another reply; the first leaves no trace in the history", async () => {
    const speculation = new SpeculationCounts();
    const texts = ["hello", "hello again", "and now"];
    const { prompts, stream } = setup({ speculation, hear: () => texts[prompts.length] ?? "and now" });
    await stream(LOUD, 600);
    await stream(0, 400);
    await stream(LOUD, 200);
    await stream(0, 4000);
    expect(prompts.map(({ messages }) => withoutTime(messages).at(-1)?.content)).toEqual(["hello", "hello again"]);
    expect(speculation).toMatchObject({ started: 2, kept: 1, dropped: 1 });
    await stream(LOUD, 600);
    await stream(0, 4000);
    const last = withoutTime(prompts.at(-1)?.messages ?? []);
    expect(last.slice(1).map(({ content }) => content)).toEqual(["hello again", REPLY, "and now"]);
  });

  test("three replies are prepared for one turn at most", async () => {
    const speculation = new SpeculationCounts();
    let decodes = 0;
    const { stream } = setup({ speculation, hear: () => `hello ${String((decodes += 1))}` });
    for (let pause = 0; pause < 6; pause += 1) {
      await stream(LOUD, 300);
      await stream(0, 400);
    }
    expect(speculation.started).toBe(3);
    await stream(0, 1000);
    expect(speculation.kept + speculation.dropped).toBe(speculation.started);
  });

  test("a long story is not answered before it is over", async () => {
    const started = async (spokenMs: number) => {
      const speculation = new SpeculationCounts();
      const { session, stream } = setup({ speculation });
      session.configure({ turn_detection: { background_noise_adaptation: false } }); // so even a sound is no voice for long
      await stream(LOUD, spokenMs);
      await stream(0, 400);
      return speculation.started;
    };
    expect(await started(9_000)).toBe(1);
    expect(await started(11_000)).toBe(0);
  });

  test("new settings make a new reply", async () => {
    const speculation = new SpeculationCounts();
    const { prompts, session, stream } = setup({ speculation });
    await stream(LOUD, 600);
    await stream(0, 400);
    session.configure({ response_style: { tone: "cheerful" } });
    await stream(0, 800);
    expect(prompts).toHaveLength(2);
    expect(prompts[1]?.messages[0]?.content).toContain("cheerful");
    expect(speculation).toMatchObject({ started: 1, kept: 0, dropped: 1 });
  });

  test("one that failed is tried again, and nobody is told", async () => {
    const speculation = new SpeculationCounts();
    const { prompts, stream, types } = setup({ speculation, failReply: true });
    await stream(LOUD, 600);
    await stream(0, 800);
    expect(prompts).toHaveLength(2);
    expect(types()).not.toContain("error");
    expect(types()).toContain("tts_chunk");
  });

  test("a call that ends in the pause leaves nothing behind", async () => {
    const speculation = new SpeculationCounts();
    const { session, stream, open } = setup({ speculation });
    await stream(LOUD, 600);
    await stream(0, 400);
    await session.close();
    expect(open()).toBe(0);
    expect(speculation).toMatchObject({ started: 1, dropped: 1 });
  });
});
