import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { estimateCapacity, type Timings } from "../../../src/operator/doctor/capacity.ts";
import type { MachineFacts } from "../../../src/resources/examine-machine.ts";
import { findFaults } from "../../../src/operator/doctor/findings.ts";

const timings: Timings = {
  vadMs: 0.2,
  vadFrameMs: 32,
  sttMs: 40,
  sttClipMs: 2300,
  sttThreads: 1,
  llmFirstMs: 30,
  llmTokenMs: 3,
  llmThreads: 1,
  llmOnGpu: false,
  ttsMs: 30,
  ttsClipMs: 1800,
  ttsIsRemote: false,
};
const machine: MachineFacts = {
  cpu: "a CPU",
  cores: 2,
  hasAvx2: true,
  memoryMb: 8000,
  memoryAvailableMb: 4000,
  diskFreeMb: 10_000,
  gpu: undefined,
  node: "v20.19.0",
};

describe("estimateCapacity", () => {
  it("carries more callers with more cores, fewer with slower engines", () => {
    const slower = fc.constantFrom("vadMs", "sttMs", "llmFirstMs", "llmTokenMs", "ttsMs") as fc.Arbitrary<
      keyof Timings
    >;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 64 }),
        slower,
        fc.double({ min: 1, max: 50, noNaN: true }),
        (cores, key, by) => {
          const now = estimateCapacity(timings, cores);
          const then = estimateCapacity({ ...timings, [key]: Number(timings[key]) * by }, cores);
          expect(then.callers).toBeLessThanOrEqual(now.callers);
          expect(then.answerMs).toBeGreaterThanOrEqual(now.answerMs);
          expect(estimateCapacity(timings, cores * 2).callers).toBeGreaterThanOrEqual(now.callers * 2);
        },
      ),
    );
  });

  it("counts a language model on a GPU by its own time, not by CPU time", () => {
    const slow = { ...timings, llmTokenMs: 50 };
    const onGpu = estimateCapacity({ ...slow, llmOnGpu: true }, 64);
    expect(onGpu.coresPerCaller).toBeLessThan(estimateCapacity(slow, 64).coresPerCaller);
    expect(onGpu.callers).toBe(2);
  });

  it("counts only the engines of this machine", () => {
    const remote = { ...timings, sttThreads: 0, llmThreads: 0, ttsIsRemote: true };
    expect(estimateCapacity(remote, 2).coresPerCaller).toBeCloseTo(timings.vadMs / timings.vadFrameMs);
  });
});

describe("findFaults", () => {
  it("finds no fault on a good machine", () => {
    expect(findFaults(machine, timings, [])).toEqual([]);
  });

  it.each([
    [{ hasAvx2: false }, {}, /no AVX2/u],
    [{ gpu: "a card, 8 GB" }, {}, /does not use the GPU/u],
    [{ memoryAvailableMb: 100 }, {}, /100 MB of memory/u],
    [{ diskFreeMb: 100 }, {}, /data_dir/u],
    [{}, { sttMs: 2000 }, /recognition takes more than half/u],
    [{}, { llmTokenMs: 200 }, /under 10 tokens/u],
    [{}, { ttsMs: 1500 }, /synthesis takes more than half/u],
    [{}, { vadMs: 10 }, /Voice activity/u],
  ])("names the fault: %o %o", (ofMachine, ofEngines, message) => {
    const faults = findFaults({ ...machine, ...ofMachine }, { ...timings, ...ofEngines }, []);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(message);
  });

  it("names an engine that is swapped out", () => {
    const memory = [{ name: "language model", residentMb: 10, swappedMb: 900 }];
    expect(findFaults(machine, timings, memory).join()).toMatch(/900 MB of the language model are swapped out/u);
  });
});
