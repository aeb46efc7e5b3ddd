import { expect, test } from "vitest";
import type { CallControl } from "../../src/conversation/tool-calls/tool.ts";
import { lossyCall } from "../support/lossy-call.ts";
import { LOUD } from "../support/scripted-call.ts";
import { withoutTime } from "../support/time-notes.ts";
import { manualTool } from "../support/tools.ts";

const REPLY = ["One two three four five. ", "Six seven eight nine ten."];
const SENTENCE_MS = 1_200;

const conversation = (prompts: readonly { readonly messages: Parameters<typeof withoutTime>[0] }[], at: number) =>
  withoutTime(prompts[at]?.messages.slice(1) ?? []);

/** A call in which the reply to the first turn has just become audible. */
async function inTheReply(script: Parameters<typeof lossyCall>[0] = {}) {
  const call = lossyCall(script);
  await call.stream(LOUD, 600);
  await call.stream(0, 600);
  return call;
}

test("silence: nothing is said again, and the settings are in force again", async () => {
  const call = lossyCall({ greeting: "Hello." });
  call.session.configure({ turnDetection: { silenceThresholdMs: 800 } });
  await call.stream(0, 3000);
  await call.lose();
  call.received.length = 0;
  expect(await call.back()).toEqual({ messages: 1, unansweredWords: "", reply: undefined, calls: [], timers: [] });
  await call.stream(0, 2000);
  expect(call.received.map(({ type }) => type).filter((type) => type !== "voice_activity")).toEqual(["status"]);
  expect(call.received[0]?.data).toMatchObject({
    details: { applied_settings: { turn_detection: { silence_threshold: 0.8 } } },
  });
});

test("mid-turn: the words so far are kept, and are answered only when the caller is back", async () => {
  const call = lossyCall();
  await call.stream(LOUD, 900);
  await call.lose();
  call.clock.advance(5_000);
  await call.settle();
  expect(call.prompts).toHaveLength(0);
  expect(await call.back()).toMatchObject({ messages: 1, unansweredWords: "hello there my friend" });
  await call.stream(0, 4_000);
  expect(call.prompts).toHaveLength(1);
  expect(call.texts().join("")).toBe(REPLY.join(""));
});

test("mid-turn, with a microphone that stays off: the words are answered", async () => {
  const call = lossyCall();
  await call.stream(LOUD, 900);
  await call.lose();
  await call.back();
  for (let waited = 0; waited < 4_000; waited += 100) {
    call.clock.advance(100);
    await call.settle();
  }
  expect(call.texts().join("")).toBe(REPLY.join(""));
});

test("a pause in the turn: as in mid-turn", async () => {
  const call = lossyCall();
  await call.stream(LOUD, 900);
  await call.stream(0, 200);
  await call.lose();
  expect(await call.back()).toMatchObject({ unansweredWords: "hello there my friend" });
  await call.stream(0, 4_000);
  expect(call.prompts).toHaveLength(1);
});

test("a caller who talks on over the new connection is answered once, to both parts", async () => {
  const call = lossyCall();
  await call.stream(LOUD, 900);
  await call.lose();
  await call.back();
  await call.stream(LOUD, 900);
  await call.stream(0, 4_000);
  expect(call.prompts).toHaveLength(1);
  expect(conversation(call.prompts, 0)[0]?.content).toBe("hello there my friend hello there my friend");
});

test("thinking: the reply is written again and said once", async () => {
  let write = (): void => undefined;
  const slow = new Promise<void>((resolve) => (write = resolve));
  const call = lossyCall({
    async *generate() {
      await slow;
      yield* REPLY;
    },
  });
  await call.stream(LOUD, 600);
  await call.stream(0, 700);
  await call.lose();
  write();
  await call.settle();
  expect(call.texts()).toEqual([]);
  expect(await call.back()).toMatchObject({ unansweredWords: "hello there my friend", reply: undefined });
  await call.stream(0, 4_000);
  expect(call.texts().join("")).toBe(REPLY.join(""));
});

test("an audible reply: its rest is said from the start of the sentence that was cut", async () => {
  const call = await inTheReply();
  await call.stream(0, SENTENCE_MS + 500);
  await call.lose();
  await call.stream(0, 100);
  call.received.length = 0;
  const { reply, messages } = await call.back();
  expect(messages).toBe(2);
  expect(reply).toMatchObject({ text: REPLY.join(""), continuesAt: 24 });
  expect(reply?.heardChars).toBeGreaterThan(24);
  expect(reply?.heardChars).toBeLessThan(REPLY.join("").length);
  await call.stream(0, 3_000);
  expect(call.texts().join("")).toBe(REPLY[1]);
  expect(call.prompts).toHaveLength(1);
  await call.stream(LOUD, 600);
  await call.stream(0, 800);
  expect(conversation(call.prompts, 1)).toEqual([
    { role: "user", content: "hello there my friend" },
    { role: "assistant", content: REPLY.join("") },
    { role: "user", content: "hello there my friend" },
  ]);
});

test.each([true, false])(
  "a reply that the server sent into a cut network is said (client counts: %s)",
  async (counts) => {
    const call = await inTheReply();
    call.cut();
    await call.stream(0, 6_000);
    await call.lose();
    call.received.length = 0;
    const { reply } = await call.back(counts);
    expect(reply).toMatchObject({ continuesAt: 0 });
    await call.stream(0, 4_000);
    expect(call.texts().join("")).toBe(REPLY.join(""));
  },
);

test("a reply that was being written is written again from its beginning", async () => {
  let asked = 0;
  let release = (): void => undefined;
  const stuck = new Promise<void>((resolve) => (release = resolve));
  const call = await inTheReply({
    async *generate() {
      asked += 1;
      yield* REPLY;
      if (asked === 1) await stuck;
    },
  });
  await call.stream(0, 500);
  expect(call.received.map(({ type }) => type)).toContain("tts_chunk");
  await call.lose();
  release();
  call.received.length = 0;
  expect(await call.back()).toMatchObject({ reply: { continuesAt: undefined } });
  await call.stream(0, 4_000);
  expect(asked).toBe(2);
  expect(conversation(call.prompts, 1)).toEqual([{ role: "user", content: "hello there my friend" }]);
  expect(call.texts().join("")).toBe(REPLY.join(""));
});

test("a held reply goes on when the sound over it had no words", async () => {
  const call = await inTheReply();
  await call.stream(0, 300);
  await call.stream(LOUD, 100);
  await call.lose();
  call.received.length = 0;
  await call.back();
  await call.stream(0, 4_000);
  expect(call.texts().join("")).toBe(REPLY.join(""));
  expect(call.prompts).toHaveLength(1);
});

test("the greeting: cut, only its rest is said; before its first sound, all of it", async () => {
  const call = lossyCall({ greeting: REPLY.join("") });
  await call.stream(0, SENTENCE_MS + 400);
  await call.lose();
  call.received.length = 0;
  await call.back();
  await call.stream(0, 3_000);
  expect(call.texts().join("")).toBe(REPLY[1]);

  let speak = (): void => undefined;
  const slow = new Promise<void>((resolve) => (speak = resolve));
  const early = lossyCall({
    greeting: REPLY.join(""),
    synthesize: async () => (await slow, new Float32Array(24_000).fill(0.5)),
  });
  await early.settle();
  await early.lose();
  early.received.length = 0;
  speak();
  await early.back();
  await early.stream(0, 3_000);
  expect(early.texts().join("")).toBe(REPLY.join(""));
  expect(early.prompts).toEqual([]);
});

test("two losses in a row lose nothing", async () => {
  const call = await inTheReply();
  await call.stream(0, SENTENCE_MS + 400);
  await call.lose();
  await call.back();
  await call.lose();
  await call.back();
  await call.stream(0, 600);
  await call.lose();
  call.received.length = 0;
  await call.back();
  await call.stream(0, 3_000);
  expect(call.texts().join("")).toBe(REPLY[1]);
});

test("a running tool goes on, and its result is spoken when the caller is back", async () => {
  const { tool, runs } = manualTool("book");
  const call = await inTheReply({
    openTools: () => [tool],
    async *generate({ messages }) {
      if (messages.at(-1)?.role === "call") yield "It is booked.";
      else yield { id: "1", name: "book", arguments: "{}" };
    },
  });
  expect(runs).toHaveLength(1);
  await call.lose();
  runs[0]?.done("booked");
  await call.stream(0, 100);
  call.clock.advance(5_000);
  await call.settle();
  expect(call.prompts).toHaveLength(1);
  expect(await call.back()).toMatchObject({ calls: [] });
  await call.stream(0, 3_000);
  expect(call.texts().join("")).toBe("It is booked.");
  expect(runs).toHaveLength(1);
});

test("a tool that still runs is named, and a filler is said only to a caller who is there", async () => {
  const { tool, runs } = manualTool("book", { filler: "One moment." });
  const call = await inTheReply({
    openTools: () => [tool],
    async *generate({ messages }) {
      if (messages.at(-1)?.role === "call") yield "It is booked.";
      else yield { id: "1", name: "book", arguments: "{}" };
    },
  });
  await call.lose();
  call.clock.advance(5_000);
  await call.settle();
  expect(call.sent.filter(({ type }) => type === "tts_chunk")).toEqual([]);
  expect(await call.back()).toMatchObject({ calls: [{ id: "1", name: "book", isClients: false }] });
  await call.stream(0, 1_500);
  expect(call.texts().join("")).toBe("One moment.");
  // A filler that is cut is not said again.
  await call.lose();
  call.received.length = 0;
  await call.back();
  runs[0]?.done("booked");
  await call.stream(0, 3_000);
  expect(call.texts().join("")).toBe("It is booked.");
});

test("a call of the client waits for the client, and is asked again with its id", async () => {
  const clientTool = { name: "map", description: "", parameters: { type: "object" }, client: true } as const;
  const call = lossyCall({
    voice: { tools: [{ ...clientTool, timeout_seconds: 2, cancel_on_interrupt: false }] },
    async *generate({ messages }) {
      if (messages.at(-1)?.role === "call") yield "Here it is.";
      else yield { id: "7", name: "map", arguments: "{}" };
    },
  });
  call.session.configure({ runsTools: true });
  await call.stream(LOUD, 600);
  await call.stream(0, 700);
  expect(call.received.filter(({ type }) => type === "tool_call")).toHaveLength(1);
  await call.lose();
  call.clock.advance(30_000);
  await call.settle();
  call.received.length = 0;
  expect(await call.back()).toMatchObject({ calls: [{ id: "7", name: "map", isClients: true }] });
  expect(call.received.filter(({ type }) => type === "tool_call").map(({ data }) => data["call_id"])).toEqual(["7"]);
  expect(call.session.giveToolResult("7", "shown", false)).toBe(true);
  await call.stream(0, 3_000);
  expect(call.texts().join("")).toBe("Here it is.");
});

test("a tool cannot ring while the caller is away; texts of the operator wait", async () => {
  let control: CallControl | undefined;
  const call = lossyCall({ openTools: (own) => ((control = own), []) });
  await call.stream(0, 200);
  await call.lose();
  expect(control?.say("Ring.")).toBe(false);
  expect(call.session.say("Your taxi is here.", "now")).toBe(true);
  call.clock.advance(5_000);
  await call.settle();
  expect(call.sent.filter(({ type }) => type === "tts_chunk")).toEqual([]);
  await call.back();
  expect(control?.say("Ring.")).toBe(true);
  await call.stream(0, 4_000);
  expect(call.texts().join("")).toBe("Your taxi is here.Ring.");
});

test("push to talk: words of a turn that the loss ended are kept and not answered by themselves", async () => {
  const call = lossyCall();
  call.session.configure({ turnDetection: { endedBy: "client" } });
  await call.stream(LOUD, 600);
  await call.lose();
  await call.settle();
  expect(await call.back()).toMatchObject({ unansweredWords: "hello there my friend" });
  await call.stream(0, 2_000);
  expect(call.prompts).toHaveLength(0);
});

test("a session whose caller stays away closes without a trace of work", async () => {
  const call = await inTheReply();
  await call.lose();
  await call.session.close();
  expect(call.clock.pendingTimers).toBe(0);
  expect(call.open()).toBe(0);
  expect(call.faults).toEqual([]);
});
