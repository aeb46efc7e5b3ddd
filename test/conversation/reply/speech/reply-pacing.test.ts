import { english } from "../../../../src/language/packs/en/en.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { embeddedDefault } from "../../../../src/config/voice-configuration.ts";
import { replyStyle } from "../../../../src/conversation/reply/text/reply-settings.ts";
import { DEFAULT_SETTINGS } from "../../../../src/config/settings/session-settings.ts";
import { Reply } from "../../../../src/conversation/reply/reply.ts";
import { SpeechPace } from "../../../../src/conversation/reply/speech/speech-pace.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const SPEECH_MS_PER_CHAR = 65;
const TEXT =
  "Of course, I can book a table for four people on Friday evening. At what time would you like to come, " +
  "and under which name should I put it? We also have a quiet table near the window.";

interface Engines {
  /** Speed of the language model. A token is four characters. */
  readonly tokensPerSecond: number;
  /** Synthesis time divided by the length of the speech. */
  readonly realTimeFactor: number;
}

/** Plays one reply in virtual time. Times are ms after the first token. */
async function play(engines: Engines, { text = TEXT, pace = new SpeechPace(), isFixed = false } = {}) {
  const clock = new VirtualClock();
  const sleep = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  const starts: number[] = [];
  const clauses: string[] = [];
  const gaps: number[] = [];
  let playedOutMs = 0;
  let finishedMs = 0;
  const reply = new Reply({
    speculative: false,
    source: isFixed ? { text } : { messages: [] },
    pace,
    language: english,
    chat: {
      async *generate() {
        for (const token of text.match(/.{1,4}/gs) ?? []) {
          yield token;
          await sleep(1000 / engines.tokensPerSecond);
        }
      },
      prefill: async () => undefined,
      close: () => undefined,
    },
    speech: {
      sampleRateHz: 24_000,
      synthesize: async ({ text: clause }) => {
        clauses.push(clause);
        const speechMs = clause.length * SPEECH_MS_PER_CHAR;
        await sleep(speechMs * engines.realTimeFactor);
        return new Float32Array(speechMs * 24).fill(0.5);
      },
      close: async () => undefined,
    },
    style: replyStyle(embeddedDefault, DEFAULT_SETTINGS.reply),
    clock,
    signal: new AbortController().signal,
    events: {
      called: () => undefined,
      text: () => undefined,
      sent: (pcm, playsAtMs) => {
        if (starts.length === 0) starts.push(playsAtMs);
        else if (playsAtMs > playedOutMs + 1) gaps.push(playsAtMs - playedOutMs);
        playedOutMs = playsAtMs + pcm.length / 24;
      },
      audible: () => undefined,
      finished: () => (finishedMs = clock.nowMs()),
      failed: (_stage, error) => expect.unreachable(String(error)),
    },
  });
  void reply.run();
  for (let ms = 0; ms < 120_000 && finishedMs === 0; ms += 10) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(10);
  }
  expect(reply.heard()).toBe(text.trim());
  return { startMs: starts[0] ?? NaN, clauses, gaps, finishedMs, pace };
}

/** A pace without measurements, so no wait is added and no clause is shortened. */
class Unmeasured extends SpeechPace {
  override get current(): undefined {
    return undefined;
  }
}

/** A second reply of the same engines, with and without measurements of their speed. */
async function compare(engines: Engines, text = TEXT) {
  const { pace } = await play(engines);
  return { paced: await play(engines, { text, pace }), plain: await play(engines, { text, pace: new Unmeasured() }) };
}
const total = (gaps: readonly number[]) => gaps.reduce((sum, ms) => sum + ms, 0);

test.each([
  { tokensPerSecond: 5, realTimeFactor: 0.2 },
  { tokensPerSecond: 6, realTimeFactor: 0.4 },
  { tokensPerSecond: 8, realTimeFactor: 0.2 },
  { tokensPerSecond: 12, realTimeFactor: 0.4 },
  { tokensPerSecond: 16, realTimeFactor: 0.6 },
  { tokensPerSecond: 200, realTimeFactor: 0.4 },
])(
  "speech of slow engines has no gap inside a reply ($tokensPerSecond tokens/s, real-time factor $realTimeFactor)",
  async (engines) => {
    const { paced, plain } = await compare(engines);
    expect(total(plain.gaps)).toBeGreaterThan(600);
    expect(total(paced.gaps)).toBeLessThan(50);
    expect(paced.finishedMs).toBeLessThan(plain.finishedMs);
  },
);

test.each([50, 100, 200])("pacing changes nothing with fast engines (%d tokens/s)", async (tokensPerSecond) => {
  const { paced, plain } = await compare({ tokensPerSecond, realTimeFactor: 0.05 });
  expect({ ...paced, pace: undefined }).toEqual({ ...plain, pace: undefined });
});

test("a fixed text keeps its clauses and starts without a wait", async () => {
  const { pace } = await play({ tokensPerSecond: 3, realTimeFactor: 0.05 });
  const greeting = await play({ tokensPerSecond: 3, realTimeFactor: 0.05 }, { pace, isFixed: true });
  expect(greeting.clauses).toHaveLength(4);
  expect(greeting.startMs).toBeLessThan(100);
  expect(greeting.gaps).toEqual([]);
});

test("property: a reply starts at most 1.5 s and ends at most 2 s later, and all of it is heard, for any engines and text", async () => {
  const words = "of course we have it, the table is ready. And on Friday evening; please tell me your name".split(" ");
  await fc.assert(
    fc.asyncProperty(
      fc.double({ min: 2, max: 60, noNaN: true }),
      fc.double({ min: 0.02, max: 0.7, noNaN: true }),
      fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 40 }),
      async (tokensPerSecond, realTimeFactor, said) => {
        const { paced, plain } = await compare({ tokensPerSecond, realTimeFactor }, said.join(" "));
        expect(paced.startMs - plain.startMs).toBeLessThan(1600);
        // Later waits end at the next token, which takes 0.5 s with the slowest engine.
        expect(paced.finishedMs - plain.finishedMs).toBeLessThan(2000);
      },
    ),
    { numRuns: 60, examples: [[2, 0.02, "of of ready. of your ready. ready. of".split(" ")]] },
  );
});
