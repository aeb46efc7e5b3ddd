import { describe, expect, it } from "vitest";
import type { ScoredText } from "../../../../src/engines/stt/ears/scored-text.ts";
import type { FastEar, Proposals, SecondOpinion, SureEar } from "../../../../src/engines/stt/ears/ear.ts";
import { phraseReadings } from "../../../../src/engines/stt/ears/phrase-readings.ts";
import { twoEars } from "../../../../src/engines/stt/ears/two-ears.ts";
import type { Evidence, Heard } from "../../../../src/engines/stt/decoded.ts";
import type { TranscribeRequest } from "../../../../src/engines/stt/speech-to-text.ts";

const never = new AbortController().signal;
const CLIP = new Float32Array(32_000);
const final: TranscribeRequest = { samples: CLIP, kind: "final", language: "en" };
const UNSURE = { logProbability: -0.5, firstLogProbability: -0.9 };
const SURE = { logProbability: -0.01, firstLogProbability: -0.1 };

/** Words of half a second each. */
function heard(text: string, evidence: Partial<Evidence> = SURE): Heard {
  const words = text.split(" ").filter((word) => word !== "");
  return {
    text,
    confidence: words.length === 0 ? 0 : 0.9,
    words: words.map((word, at) => ({ word, start: at / 2, end: at / 2 + 0.4, confidence: 0.9 })),
    isDoubtful: false,
    evidence: { noSpeechProbability: 0, tokens: words.length, voicedSeconds: 1.5, ...SURE, ...evidence },
  };
}

/** Each word of a text at -1, or at the given score. */
const scored = (text: string, scores: Readonly<Record<string, number>>): ScoredText =>
  text.split(" ").map((word) => ({ bytes: ` ${word}`, logProbability: scores[word] ?? -1 }));

interface Script {
  readonly fast: Heard;
  readonly sure?: Heard;
  /** Texts that the sure ear scores beside its own and the fast ear's. `false`: none, as for a clip of several pieces. */
  readonly scores?: false | readonly string[];
  /** Scores of words, for both ears. */
  readonly words?: Readonly<Record<string, number>>;
  /** Name of the call that never ends by itself. */
  readonly waitsIn?: string;
}

/** Both ears, which give scripted results, and the names of their calls. */
function ears({ fast: first, sure = first, scores = [], words = {}, waitsIn }: Script) {
  let fast = first;
  const calls: string[] = [];
  const proposals: Proposals[] = [];
  const call = async <Result>(name: string, signal: AbortSignal, result: Result): Promise<Result> => {
    signal.throwIfAborted();
    calls.push(name);
    if (name !== waitsIn) return result;
    return await new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  };
  const fastEar: FastEar = {
    threads: 1,
    open: () => ({
      transcribe: async (_request, signal) => call("fast transcribe", signal, fast),
      score: async (_samples, texts, signal) =>
        call(
          "fast score",
          signal,
          texts.map((text) => scored(text, words)),
        ),
      dictated: async (_samples, _words, signal) => call("fast dictated", signal, "Five, five, five."),
      likeliest: async (_samples, groups, most, signal) =>
        call(
          "fast likeliest",
          signal,
          groups.flatMap((texts) => texts.slice(-most)),
        ),
      close: () => void calls.push("fast close"),
    }),
    close: async () => void calls.push("fast end"),
  };
  const opinion = (proposed: Proposals, phrases: readonly string[]): SecondOpinion => {
    proposals.push(proposed);
    const texts = scores === false ? [] : [...new Set([sure.text, proposed.fast, ...proposed.others, ...scores])];
    const said = texts.filter((text) => text !== "");
    const readings = phraseReadings(sure.text, phrases);
    return { ...sure, phraseReadings: readings, scored: said.map((text) => ({ text, score: scored(text, words) })) };
  };
  const sureEar: SureEar = {
    threads: 2,
    lanes: 2,
    open: () => ({
      transcribe: async (_request, signal) => call("sure transcribe", signal, sure),
      judge: async ({ phrases = [] }, proposed, signal) => {
        await call("sure judge", signal, undefined);
        const stop = () => calls.push("sure judge stopped");
        signal.addEventListener("abort", stop, { once: true });
        const judged = opinion(await proposed, phrases);
        signal.removeEventListener("abort", stop);
        return judged;
      },
      identifyLanguage: async (_samples, signal) => call("sure language", signal, { en: 1 }),
      close: () => void calls.push("sure close"),
    }),
    close: async () => void calls.push("sure end"),
  };
  return { engine: twoEars(fastEar, sureEar), calls, proposals, hear: (next: Heard) => (fast = next) };
}

describe("two ears", () => {
  it("hear a partial with the fast ear alone", async () => {
    const { engine, calls } = ears({ fast: heard("turn on the", UNSURE) });
    const partial = await engine.open().transcribe({ ...final, kind: "partial" }, never);
    expect(partial).toMatchObject({ text: "turn on the", isDoubtful: false });
    expect(calls).toEqual(["fast transcribe"]);
  });

  it("doubt a partial whose beginning the fast ear doubts", async () => {
    const { engine } = ears({ fast: heard("hmm", { firstLogProbability: -4 }) });
    expect(await engine.open().transcribe({ ...final, kind: "partial" }, never)).toMatchObject({ isDoubtful: true });
  });

  it.each(["partial", "final"] as const)("hear a %s in another language with the sure ear alone", async (kind) => {
    const { engine, calls } = ears({ fast: heard("goat and morgan"), sure: heard("Guten Morgen") });
    const transcript = await engine.open().transcribe({ ...final, kind, language: "de" }, never);
    expect(transcript.text).toBe("Guten Morgen");
    expect(calls).toEqual(["sure transcribe"]);
  });

  describe("over a reply", () => {
    /** Each of their words has this score. */
    const SIGNS = ["I", "know.", "Makes", "sense.", "Very", "good."];
    const COMMANDS = ["Cancel.", "Pause.", "Actually."];
    const each = (words: readonly string[], score: number) => Object.fromEntries(words.map((word) => [word, score]));

    const hearOverlap = async (text: string, words: Readonly<Record<string, number>>, voicedSeconds = 0.5) => {
      const { engine, calls } = ears({ fast: heard(text, { ...SURE, voicedSeconds }), words });
      const { text: result } = await engine.open().transcribe({ ...final, isUrgent: true }, never);
      expect(calls).not.toContain("sure judge");
      return result;
    };
    const others = { ...each(SIGNS, -9), ...each(COMMANDS, -19) };

    it("take a sign of listening for words that are little likelier", async () => {
      expect(await hearOverlap("Guarded.", { ...others, "Guarded.": -1, Very: -2, "good.": -3 })).toBe("Very good.");
    });

    it("keep words that are much likelier than any sign", async () => {
      expect(await hearOverlap("Tomorrow.", { ...others, "Tomorrow.": -1, Very: -3, "good.": -4 })).toBe("Tomorrow.");
    });

    it("take a command only when it is sure", async () => {
      expect(await hearOverlap("Pores.", { ...others, "Pores.": -4, "Pause.": -2 })).toBe("Pause.");
      expect(await hearOverlap("Pores.", { ...others, "Pores.": -2, "Pause.": -4.8 })).toBe("Pores.");
    });

    it("keep the words of a longer sound", async () => {
      expect(await hearOverlap("Guarded.", { ...others, "Guarded.": -9, Very: -1, "good.": -1 }, 1.2)).toBe("Guarded.");
    });
  });

  it("identify languages with the sure ear", async () => {
    const { engine, calls } = ears({ fast: heard("") });
    expect(await engine.open().identifyLanguage?.(CLIP, never)).toEqual({ en: 1 });
    expect(calls).toEqual(["sure language"]);
  });

  it("keep a final of which the fast ear is sure, and stop the sure ear", async () => {
    const { engine, calls } = ears({ fast: heard("turn on the lights") });
    const early: string[] = [];
    const transcript = await engine.open().transcribe(final, never, ({ text }) => early.push(text));
    expect(transcript).toMatchObject({ text: "turn on the lights" });
    expect(calls).toEqual(["fast transcribe", "sure judge", "sure judge stopped"]);
    expect(early).toEqual([]);
  });

  it("give the fast ear's words of a longer clip early", async () => {
    const { engine, calls } = ears({ fast: heard("turn on the light", UNSURE), sure: heard("turn on the lights") });
    const early: (readonly [string, string | undefined])[] = [];
    await engine.open().transcribe(final, never, ({ text }) => early.push([text, calls.at(-1)]));
    expect(early).toEqual([["turn on the light", "sure judge"]]);
  });

  it("propose only the likely answers that are not hopeless", async () => {
    const hopeless = { "Eight.": -40, "8": -40, "8.": -40 };
    const { engine, proposals } = ears({ fast: heard("Know.", { ...UNSURE, voicedSeconds: 0.4 }), words: hopeless });
    await engine.open().transcribe({ ...final, expects: "number" }, never);
    expect(proposals[0]?.others).toEqual(expect.arrayContaining(["Twenty.", "20"]));
    const few = ears({ fast: heard("Know.", { ...UNSURE, voicedSeconds: 0.4 }), words: hopeless });
    await few.engine.open().transcribe(final, never);
    expect(few.proposals[0]?.others).toEqual(expect.arrayContaining(["Nine.", "9", "9."]));
    expect(few.proposals[0]?.others).not.toContain("8");
  });

  it("ask the sure ear when a phrase sounds like words of a sure final", async () => {
    const phrase = "turn on the Leitz";
    const fast = heard("turn on the lights");
    const { engine, calls } = ears({ fast, scores: [phrase], words: { lights: -3, Leitz: -4 } });
    const transcript = await engine.open().transcribe({ ...final, phrases: ["Leitz"] }, never);
    expect(transcript.text).toBe(phrase);
    expect(calls).toEqual(["fast transcribe", "sure judge", "fast score", "fast score"]);
  });

  it("choose between both texts, with the times of the fast ear", async () => {
    const { engine, proposals } = ears({
      fast: heard("turn on the light", UNSURE),
      sure: heard("turn off the lights"),
      scores: ["turn on the lights", "turn off the light"],
      words: { off: -9, light: -6 },
    });
    const { text, words, confidence, isDoubtful } = await engine.open().transcribe(final, never);
    expect(text).toBe("turn on the lights");
    expect(isDoubtful).toBe(false);
    expect(words.map(({ start }) => start)).toEqual([0, 0.5, 1, 1.5]);
    expect(confidence).toBeGreaterThan(0);
    expect(proposals).toEqual([{ fast: "turn on the light", others: [] }]);
  });

  it("propose likely answers for a short clip, and choose one", async () => {
    const { engine, calls, proposals } = ears({
      fast: heard("Know.", { ...UNSURE, voicedSeconds: 0.4 }),
      sure: heard("Know."),
      words: { "Know.": -9, "Y.": -0.1 },
    });
    expect(await engine.open().transcribe({ ...final, expects: "letters" }, never)).toMatchObject({ text: "Y." });
    expect(calls).toEqual(["fast transcribe", "sure judge", "fast likeliest", "fast score", "fast score"]);
    // The script finds the last three numbers and the last three letters likeliest.
    const numbers = ["Seven.", "7", "7.", "Eight.", "8", "8.", "Nine.", "9", "9."];
    expect(proposals[0]?.others).toEqual([...numbers, "X.", "X", "Y.", "Y", "Z.", "Z"]);
  });

  it.each([
    [-1, "Five, five, five."],
    [-3, "Bye bye bye"],
  ])("hear digits where a number was asked for, when they fit better (at %d)", async (five, text) => {
    const words = { five: five, "Five,": five, "five,": five, "five.": five, "555": 3 * five, "555.": 3 * five };
    const { engine } = ears({ fast: heard("Bye bye bye", UNSURE), words: { ...words, "5": five, "5.": five } });
    expect(await engine.open().transcribe({ ...final, expects: "number" }, never)).toMatchObject({ text });
    expect(await engine.open().transcribe(final, never)).toMatchObject({ text: "Bye bye bye" });
  });

  it("keep a dictated number that sounds little like speech", async () => {
    const faint = { ...UNSURE, firstLogProbability: -2.5 };
    const { engine } = ears({ fast: heard("177", faint), sure: heard("One, seven, seven.", faint) });
    const number = await engine.open().transcribe({ ...final, expects: "number" }, never);
    expect(number).toMatchObject({ text: expect.stringMatching(/177|seven/u), isDoubtful: false });
    expect(await engine.open().transcribe(final, never)).toMatchObject({ text: "" });
  });

  it("take the sure ear's transcript of a clip of several pieces, which has no scores", async () => {
    const sure = heard("a long story that ends");
    const { engine, calls } = ears({ fast: heard("a lung storey", UNSURE), sure, scores: false });
    expect(await engine.open().transcribe(final, never)).toMatchObject({ text: sure.text, words: sure.words });
    expect(calls).toEqual(["fast transcribe", "sure judge"]);
  });

  it.each([
    ["both wrote nothing", heard("", { tokens: 0, voicedSeconds: 0 }), heard("", { tokens: 0 })],
    ["the words of both were no speech", heard("", { tokens: 1, voicedSeconds: 0 }), heard("", { tokens: 1 })],
    ["the fast ear wrote nothing", heard("", { tokens: 0 }), heard("Thank you.")],
    ["the sure ear wrote nothing", heard("Thank you.", UNSURE), heard("", { tokens: 0 })],
    ["both are unsure", heard("Thank you.", { firstLogProbability: -3 }), heard("Bye!", { firstLogProbability: -3 })],
  ])("hear nothing when %s", async (_what, fast, sure) => {
    const { engine } = ears({ fast, sure });
    expect(await engine.open().transcribe(final, never)).toMatchObject({
      text: "",
      confidence: 0,
      words: [],
      isDoubtful: false,
    });
  });

  it.each(["fast transcribe", "fast likeliest", "sure judge", "fast score"])("abort the call %s", async (waitsIn) => {
    const fast = heard("know", { ...UNSURE, voicedSeconds: 0.4 });
    const { engine, calls } = ears({ fast, sure: heard("no"), waitsIn });
    const abort = new AbortController();
    const running = engine.open().transcribe(final, abort.signal);
    await expect.poll(() => calls).toContain(waitsIn);
    const before = new Set(calls);
    abort.abort(new Error("the caller went on"));
    await expect(running).rejects.toThrow("the caller went on");
    expect(calls.filter((name) => !before.has(name) && name !== "sure judge stopped")).toEqual([]);
  });

  describe("while the sure ear works on as many finals as it has lanes", () => {
    const FAIRLY = { logProbability: -0.15, firstLogProbability: -0.9 };
    const single = { ...FAIRLY, voicedSeconds: 0.4 };
    /** The final is with the sure ear. */
    const judged = undefined;

    /** The calls that a final makes while `others` finals are with the sure ear, and its text. */
    async function crowded(others: number, fast: Heard, phrases: readonly string[] = []) {
      const script = { fast: heard("a long way", UNSURE), sure: heard("both"), waitsIn: "sure judge" };
      const { engine, calls, hear } = ears(script);
      const abort = new AbortController();
      const waiting = Array.from({ length: others }, () => engine.open().transcribe(final, abort.signal));
      for (const each of waiting) each.catch(() => undefined);
      await expect.poll(() => calls.filter((name) => name === "sure judge")).toHaveLength(others);
      hear(fast);
      const stopped = new AbortController();
      const next = engine.open().transcribe({ ...final, phrases }, stopped.signal);
      const text = await Promise.race([
        next.then((transcript) => transcript.text),
        expect
          .poll(() => calls.filter((name) => name === "sure judge"))
          .toHaveLength(others + 1)
          .then(() => judged),
      ]);
      next.catch(() => undefined);
      stopped.abort();
      abort.abort();
      return text;
    }

    it.each([
      ["fairly sure words", 2, heard("turn it on", FAIRLY), "turn it on"],
      ["a likely answer", 2, heard("Stop.", single), "Stop."],
      ["unsure words", 2, heard("turn it on", { logProbability: -0.5 }), judged],
      ["another single word", 2, heard("Stomp.", single), judged],
      ["unsure words when as many finals wait", 4, heard("turn it on", { logProbability: -0.5 }), "turn it on"],
      ["a sound that is hardly speech then", 4, heard("turn it on", { firstLogProbability: -3 }), judged],
      ["fairly sure words while a lane is free", 1, heard("turn it on", FAIRLY), judged],
    ])("the fast ear answers alone: %s", async (_what, others, fast, text) => {
      expect(await crowded(others, fast)).toBe(text);
    });

    it("a phrase that sounds like the words still needs both", async () => {
      expect(await crowded(2, heard("turn on the lights", FAIRLY), ["Leitz"])).toBe(judged);
    });

    it("a partial is refused, and heard again after them", async () => {
      const { engine, calls } = ears({ fast: heard("a long way", UNSURE), waitsIn: "sure judge" });
      const abort = new AbortController();
      const waiting = [1, 2].map(() => engine.open().transcribe(final, abort.signal));
      await expect.poll(() => calls.filter((name) => name === "sure judge")).toHaveLength(2);
      const partial = { ...final, kind: "partial" } as const;
      await expect(engine.open().transcribe(partial, never)).rejects.toMatchObject({ code: "STT_BUSY" });
      abort.abort(new Error("gone"));
      await Promise.allSettled(waiting);
      expect(await engine.open().transcribe(partial, never)).toMatchObject({ text: "a long way" });
    });
  });

  it("close both", async () => {
    const { engine, calls } = ears({ fast: heard("") });
    engine.open().close();
    expect(calls.splice(0)).toEqual(["fast close", "sure close"]);
    await engine.close();
    expect(calls).toEqual(["fast end", "sure end"]);
  });

  it("have the threads of the sure ear, which does most of the work", () => {
    expect(ears({ fast: heard("") }).engine.threads).toBe(2);
  });
});
