import { describe, expect, it, test } from "vitest";
import { loadModelCatalog, type Profile } from "../../../src/config/model-catalog.ts";
import { chooseProfile, type MachineSize, type Measurement } from "../../../src/operator/profile/choose-profile.ts";
import { answerTime } from "../../../src/operator/profile/measure-profile.ts";

const { profiles } = loadModelCatalog();
const SMALL: MachineSize = { cores: 4, memoryMb: 16_000, diskMb: 40_000, gpuMemoryMb: 0 };
const LARGE: MachineSize = { ...SMALL, cores: 16, memoryMb: 64_000 };

const choose = async (machine: MachineSize, seconds: Partial<Record<Profile, number>> = {}) => {
  const measured: Profile[] = [];
  const choice = await chooseProfile(profiles, machine, async (name): Promise<Measurement> => {
    measured.push(name);
    const time = seconds[name];
    return time === undefined ? { notMeasured: "no space" } : { seconds: time, parts: "recognition 0.30 s" };
  });
  return { ...choice, measured };
};

describe("chooseProfile", () => {
  it.each<[string, MachineSize, Profile]>([
    ["a small CPU box", SMALL, "cpu"],
    ["two cores", { ...SMALL, cores: 2, memoryMb: 4_100 }, "cpu"],
    ["one core", { ...SMALL, cores: 1 }, "starter"],
    ["a large CPU box", LARGE, "cpu-large"],
    ["a card of 8 GB", { ...SMALL, gpuMemoryMb: 8_585 }, "gpu"],
    ["a card of 24 GB", { ...SMALL, gpuMemoryMb: 25_757 }, "gpu-large"],
    ["a card that is too small", { ...LARGE, gpuMemoryMb: 4_000 }, "cpu-large"],
    ["a full disk", { ...LARGE, diskMb: 3_000 }, "starter"],
    ["less than any profile asks for", { cores: 1, memoryMb: 500, diskMb: 500, gpuMemoryMb: 0 }, "starter"],
  ])("chooses from the machine's resources alone: %s", async (_, machine, profile) => {
    const choice = await choose(machine);
    expect(choice.profile).toBe(profile);
    expect(choice.reasons.join()).toContain("not measured");
  });

  it("prints the machine's resources, the measurements and the needs of the next larger profile", async () => {
    const { profile, reasons, measured } = await choose(SMALL, { cpu: 1.64 });
    expect([profile, ...reasons]).toEqual([
      "cpu",
      "this machine: 4 cores, 16.0 GB of memory, 40.0 GB of free disk, no graphics card",
      "cpu: answers 1.6 s after the end of a turn: recognition 0.30 s",
      "cpu-large needs 8 cores",
    ]);
    expect(measured).toEqual(["cpu"]);
  });

  it("chooses the next smaller profile when one is too slow, and prints why", async () => {
    const { profile, reasons, measured } = await choose(LARGE, { "cpu-large": 3.2, cpu: 1.2 });
    expect(profile).toBe("cpu");
    expect(reasons.slice(1)).toEqual([
      "cpu-large: answers 3.2 s after the end of a turn, too slow (limit 2.0 s): recognition 0.30 s",
      "cpu: answers 1.2 s after the end of a turn: recognition 0.30 s",
    ]);
    expect(measured).toEqual(["cpu-large", "cpu"]);
  });

  it("chooses the starter models without measuring them when all others are too slow", async () => {
    const { profile, measured } = await choose(SMALL, { cpu: 9 });
    expect(profile).toBe("starter");
    expect(measured).toEqual(["cpu"]);
  });
});

test("the delay of an answer is the sum of recognition, prefill, first words and speech", () => {
  const times = { decodeMs: 300, prefillTokensPerSecond: 100, decodeTokensPerSecond: 20, clauseMs: 200 };
  expect(answerTime(times)).toEqual({
    seconds: expect.closeTo(1.6),
    parts: "recognition 0.30 s, prompt 0.60 s, first words 0.50 s, speech 0.20 s",
  });
});
