import { english } from "../../../src/language/packs/en/en.ts";
import { neutral } from "../../../src/language/language.ts";
import { expect, test } from "vitest";
import { embeddedDefault } from "../../../src/config/voice-configuration.ts";
import { replyStyle } from "../../../src/conversation/reply/text/reply-settings.ts";
import { DEFAULT_SETTINGS } from "../../../src/config/settings/session-settings.ts";
import { Reply } from "../../../src/conversation/reply/reply.ts";
import { SpeechPace } from "../../../src/conversation/reply/speech/speech-pace.ts";
import { OakError } from "../../../src/shared/errors.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

test("a reply that is cancelled before it begins sends nothing", async () => {
  const never = () => expect.fail("nothing may run");
  const reply = new Reply({
    speculative: false,
    source: { text: "Hello." },
    language: english,
    chat: { generate: never, prefill: never, close: never },
    speech: { sampleRateHz: 24_000, synthesize: never, close: never },
    style: replyStyle(embeddedDefault, DEFAULT_SETTINGS.reply),
    clock: new VirtualClock(),
    pace: new SpeechPace(),
    signal: AbortSignal.abort(),
    events: { called: never, text: never, sent: never, audible: never, finished: never, failed: never },
  });
  await reply.run();
});

test.each([
  ["One two. Three fo", "One two."],
  ["One two. It is 3.5 per", "One two."],
  ["One two. Dr. No wai", "One two."],
  ["It is 3.5 per", undefined],
  ["Well, let me see, it i", undefined],
])("the unheard rest of an unfinished reply (%j) ends with a whole sentence", async (begun, unheard) => {
  const clock = new VirtualClock();
  let goOn = (): void => undefined;
  const reply = new Reply({
    speculative: false,
    source: { messages: [] },
    language: english,
    chat: {
      async *generate() {
        yield begun;
        await new Promise<void>((resolve) => (goOn = resolve));
        yield "ur five";
      },
      prefill: async () => undefined,
      close: () => undefined,
    },
    speech: { sampleRateHz: 24_000, synthesize: async () => new Float32Array(24_000).fill(0.5), close: async () => {} },
    style: replyStyle(embeddedDefault, DEFAULT_SETTINGS.reply),
    clock,
    pace: new SpeechPace(),
    signal: new AbortController().signal,
    events: {
      called: () => {},
      text: () => {},
      sent: () => {},
      audible: () => {},
      finished: () => {},
      failed: () => {},
    },
  });
  const done = reply.run();
  await expect.poll(() => reply.text).toBe(begun);
  expect(reply.unheard()).toBe(unheard);
  goOn();
  await done;
  expect(reply.unheard()).toBe(`${begun}ur five`);
  reply.cancel();
});

test("a reply in another language keeps its digits for a voice of that language and pauses after each sentence", async () => {
  const asked: string[] = [];
  const sent: number[] = [];
  const clock = new VirtualClock();
  const reply = new Reply({
    speculative: false,
    source: { text: "一个房间要5元。谢谢！" },
    language: neutral("zh"),
    chat: { generate: async function* () {}, prefill: async () => undefined, close: () => undefined },
    speech: {
      sampleRateHz: 24_000,
      synthesize: async ({ text }) => {
        asked.push(text);
        return new Float32Array(2400).fill(0.5);
      },
      close: async () => {},
    },
    style: replyStyle(embeddedDefault, DEFAULT_SETTINGS.reply),
    clock,
    pace: new SpeechPace(),
    signal: new AbortController().signal,
    events: {
      called: () => {},
      text: () => {},
      sent: (pcm) => sent.push(pcm.length / 24),
      audible: () => {},
      finished: () => {},
      failed: () => {},
    },
  });
  await reply.run();
  clock.advance(2000);
  expect(asked).toEqual(["一个房间要5元.", "谢谢!"]);
  expect(sent.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(2 * (100 + 190));
});

test.each([
  ["after words", ["Of course."], "Of course.", true, undefined],
  ["without words", [], "Sorry, I cannot answer that right now.", false, "LLM_CALL_INCOMPLETE"],
])("a reply whose call is cut %s", async (_, words, text, isCut, failure) => {
  const reply = new Reply({
    speculative: false,
    source: { messages: [] },
    language: english,
    chat: {
      async *generate() {
        yield* words;
        throw new OakError("The call is cut.", { code: "LLM_CALL_INCOMPLETE" });
      },
      prefill: async () => undefined,
      close: () => undefined,
    },
    speech: { sampleRateHz: 24_000, synthesize: async () => new Float32Array(24_000).fill(0.5), close: async () => {} },
    style: replyStyle(embeddedDefault, DEFAULT_SETTINGS.reply),
    clock: new VirtualClock(),
    pace: new SpeechPace(),
    signal: new AbortController().signal,
    events: {
      called: () => {},
      text: () => {},
      sent: () => {},
      audible: () => {},
      finished: () => {},
      failed: () => {},
    },
  });
  await reply.run();
  expect(reply.text).toBe(text);
  expect(reply.heard()).not.toContain("Sorry");
  expect(reply.isCutShort).toBe(isCut);
  expect((reply.failure?.error as OakError | undefined)?.code).toBe(failure);
  reply.cancel();
});
