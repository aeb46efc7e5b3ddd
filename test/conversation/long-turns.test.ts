import { MODEL_HZ } from "../../src/audio/format.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SampleRing } from "../../src/audio/ring-buffer.ts";
import { Decoder } from "../../src/conversation/transcripts/decoder.ts";
import { languageOf } from "../../src/language/packs/languages.ts";
import { PartialBudget } from "../../src/conversation/transcripts/partial-budget.ts";
import { TurnTranscriber } from "../../src/conversation/transcripts/turn-transcriber.ts";
import type { Hypothesis } from "../../src/conversation/hypothesis.ts";
import { ownedTasks } from "../support/faults.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { script, ScriptedRecognizer, soundOf, type SpokenWord } from "../support/scripted-speech.ts";

const FRAME = 512;
/** Seconds of silence that make a pause, and further seconds that end the turn. */
const PREPARE = 0.16;
const END = 0.5;
/** A clip's 7 s, the time until the next search for a cut, and the tail. */
const LONGEST_CLIP = 7 + 0.45 + 0.15;

interface Heard {
  readonly final: Hypothesis;
  readonly shown: readonly { readonly type: "partial" | "segment"; readonly hypothesis: Hypothesis }[];
  readonly clipSeconds: readonly number[];
  /** Time from the last voiced sample to the final. */
  readonly delayMs: number;
}

/** Speaks the script to a transcriber. Its decodes take the times in `delaysMs`, one after the other. */
async function speak(
  words: readonly SpokenWord[],
  seed: number,
  delaysMs: readonly number[],
  slips = 0,
): Promise<Heard> {
  const clock = new VirtualClock();
  const ring = new SampleRing(40 * MODEL_HZ);
  const lastVoice = words.at(-1)?.end ?? 0;
  const sound = soundOf(words, Math.ceil(lastVoice + 2), seed);
  let decodes = 0;
  const wait = (signal: AbortSignal) => clock.passed(delaysMs[decodes++ % delaysMs.length] ?? 0, signal);
  const recognizers = [0, 1].map(() => new ScriptedRecognizer({ words, timeError: 0.15, slips, wait }));
  const [decoder, background] = recognizers.map(
    (recognizer) => new Decoder(recognizer, ring, () => ({ language: "en" })),
  );
  const shown: Heard["shown"][number][] = [];
  const transcriber = new TurnTranscriber({
    decoder: decoder!,
    background: background!,
    ring,
    language: () => languageOf("en"),
    partials: new PartialBudget(clock, 1),
    startSample: Math.round((words[0]?.start ?? 0) * MODEL_HZ),
    leadInSamples: 0.3 * MODEL_HZ,
    notBeforeSample: 0,
    signal: new AbortController().signal,
    tasks: ownedTasks(),
    events: {
      partial: (hypothesis) => shown.push({ type: "partial", hypothesis }),
      segment: (hypothesis) => shown.push({ type: "segment", hypothesis }),
      failed: (error) => expect.unreachable(String(error)),
    },
  });
  const settle = async () => {
    for (let turns = 0; turns < 4; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const isVoiced = (second: number) =>
    words.some(({ start, end }) => second > start && second - FRAME / MODEL_HZ < end);
  let voicedTo = 0;
  let isPausing = false;
  for (let end = FRAME; end <= sound.length; end += FRAME) {
    ring.write(sound.subarray(end - FRAME, end));
    clock.advance((FRAME * 1000) / MODEL_HZ);
    if (isVoiced(end / MODEL_HZ)) {
      if (isPausing) transcriber.drop();
      isPausing = false;
      voicedTo = end;
    }
    if (voicedTo > 0 && !isPausing) {
      if (end - voicedTo < PREPARE * MODEL_HZ) transcriber.advance(end);
      else {
        isPausing = true;
        void transcriber.prepare(voicedTo).catch(() => undefined);
      }
    }
    if (end - voicedTo >= END * MODEL_HZ && voicedTo / MODEL_HZ >= lastVoice) break;
    await settle();
  }
  const final = transcriber.commit(voicedTo);
  let isDone = false;
  void final.finally(() => (isDone = true));
  while (!isDone) {
    clock.advance(20);
    await settle();
  }
  const clipSeconds = recognizers.flatMap((recognizer) => recognizer.clipSeconds);
  return { final: await final, shown, clipSeconds, delayMs: clock.nowMs() - 1000 * lastVoice };
}

const textOf = (words: readonly SpokenWord[]) => words.map(({ word }) => word).join(" ");
const delays = fc.array(fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 4000 })), {
  minLength: 1,
  maxLength: 12,
});

test("a long turn keeps all words, short clips and growing partials at any decode time", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1000 }),
      fc.constantFrom(0, 0.35),
      delays,
      async (seed, pause, delaysMs) => {
        const words = script(22, pause, seed);
        const { final, shown, clipSeconds } = await speak(words, seed, delaysMs);
        expect(final.accumulated).toBe(textOf(words));
        expect(Math.max(...clipSeconds)).toBeLessThanOrEqual(LONGEST_CLIP);
        const texts = shown.map(({ hypothesis }) => hypothesis.accumulated);
        for (const [index, text] of texts.entries()) expect(text.startsWith(texts[index - 1] ?? "")).toBe(true);
      },
    ),
    // A clip begins inside a word. A word's middle lies after the cut, and that of the next word before it.
    {
      numRuns: 60,
      examples: [
        [357, 0, [1103, 6, 749, 2321]],
        [49117, 0.35, [2879, 3073, 127, 3, 3622, 3485, 14]],
      ],
    },
  );
});

test("a turn of one minute keeps every word and has segments, with and without pauses", async () => {
  for (const [pause, delayMs] of [
    [0, 80],
    [0.4, 80],
    [0, 2000],
    [0.4, 2000],
  ] as const) {
    const words = script(60, pause, 3);
    const { final, shown } = await speak(words, 3, [delayMs]);
    expect(final.accumulated).toBe(textOf(words));
    const segments = shown.filter(({ type }) => type === "segment").map(({ hypothesis }) => hypothesis.text);
    expect(segments.length).toBeGreaterThanOrEqual(2);
    expect(final.accumulated).toBe([...segments, final.text].join(" "));
  }
});

test("the text of a turn does not depend on decode times while an imperfect recogniser keeps up", async () => {
  const quick = fc.array(fc.integer({ min: 0, max: 150 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1000 }),
      fc.constantFrom(0, 0.35),
      quick,
      async (seed, pause, delaysMs) => {
        const words = script(16, pause, seed);
        const [steady, uneven] = [await speak(words, seed, [60], 0.15), await speak(words, seed, delaysMs, 0.15)];
        expect(uneven.final.accumulated).toBe(steady.final.accumulated);
      },
    ),
    // In the example a final stops a partial, and the window is closed before that partial is decoded again.
    { numRuns: 30, examples: [[437, 0.35, [65, 0]]] },
  );
});

test.each([80, 600, 2000, 4000])(
  "the final of a long turn is as quick as that of a short turn (%i ms for each decode)",
  async (delayMs) => {
    const delayOf = async (seconds: number) => {
      let sum = 0;
      for (const seed of [1, 2, 3]) sum += (await speak(script(seconds, 0.35, seed), seed, [delayMs])).delayMs;
      return sum;
    };
    expect(await delayOf(25)).toBeLessThanOrEqual(1.3 * (await delayOf(4)));
  },
);
