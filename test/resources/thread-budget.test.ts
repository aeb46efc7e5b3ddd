import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { describeThreads, threadBudget } from "../../src/resources/thread-budget.ts";

const STARTER = {
  stt: { bytes: 10e6, onGpu: false, threads: 0 },
  llm: { bytes: 5e6, onGpu: false, threads: 0 },
  tts: { threads: 0 },
};
const CPU = { ...STARTER, stt: { ...STARTER.stt, bytes: 82e6 }, llm: { ...STARTER.llm, bytes: 1.1e9 } };
const LARGE = { ...CPU, stt: { ...STARTER.stt, bytes: 264e6 }, llm: { ...STARTER.llm, bytes: 2.5e9 } };

describe("threadBudget", () => {
  it.each([
    ["starter", 4, STARTER, "4 cores: recognition 1 thread x 4 lanes, language model 1 thread, speech 1 thread"],
    ["starter", 2, STARTER, "2 cores: recognition 1 thread x 2 lanes, language model 1 thread, speech 1 thread"],
    ["cpu", 1, CPU, "1 core: recognition 1 thread x 1 lane, language model 1 thread, speech 1 thread"],
    ["cpu", 2, CPU, "2 cores: recognition 1 thread x 1 lane, language model 2 threads, speech 1 thread"],
    ["cpu", 4, CPU, "4 cores: recognition 1 thread x 1 lane, language model 2 threads, speech 1 thread"],
    ["cpu-large", 8, LARGE, "8 cores: recognition 3 threads x 1 lane, language model 4 threads, speech 1 thread"],
    ["cpu-large", 16, LARGE, "16 cores: recognition 3 threads x 2 lanes, language model 8 threads, speech 1 thread"],
    [
      "a GPU",
      4,
      { ...LARGE, stt: { ...LARGE.stt, onGpu: true }, llm: { ...LARGE.llm, onGpu: true } },
      "4 cores: recognition 1 thread x 4 lanes, language model 1 thread, speech 1 thread",
    ],
    [
      "threads that are set",
      4,
      { ...CPU, stt: { ...CPU.stt, threads: 2 }, llm: { ...CPU.llm, threads: 4 }, tts: { threads: 2 } },
      "4 cores: recognition 2 threads x 1 lane, language model 4 threads, speech 2 threads",
    ],
    [
      "remote recognition and speech",
      4,
      { ...LARGE, stt: { ...LARGE.stt, isRemote: true }, tts: { threads: 0, isRemote: true } },
      "4 cores: recognition on another machine, language model 2 threads, speech on another machine",
    ],
  ])("%s on %i cores", (_, cores, loads, said) => {
    expect(describeThreads(cores, threadBudget(cores, loads))).toBe(said);
  });

  test("engines that run at once never have more threads than cores", () => {
    const load = fc.record({
      bytes: fc.integer({ min: 1e6, max: 20e9 }),
      onGpu: fc.boolean(),
      threads: fc.constant(0),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 128 }), load, load, (cores, stt, llm) => {
        const budget = threadBudget(cores, { stt, llm, tts: { threads: 0 } });
        const all = [budget.stt.threads, budget.stt.lanes, budget.llm.prompt, budget.tts.threads];
        expect(Math.min(...all)).toBeGreaterThanOrEqual(1);
        const promptsTakeBoth = cores < 4 && budget.llm.prompt === 2;
        expect(budget.llm.reply).toBe(promptsTakeBoth ? 1 : undefined);
        // Each engine needs at least one thread, which does not spin.
        const spins = budget.stt.threads > 1 || budget.llm.prompt > 1;
        const together = budget.stt.threads * budget.stt.lanes + (budget.llm.reply ?? budget.llm.prompt);
        if (spins && llm.bytes >= 200e6 && !llm.onGpu)
          expect(together + budget.tts.threads).toBeLessThanOrEqual(Math.max(cores, 3));
      }),
    );
  });
});
