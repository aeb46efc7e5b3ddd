import { describe, expect, it } from "vitest";
import { warmUp } from "../../../../src/engines/stt/lanes/warm-up.ts";

describe("warmUp", () => {
  it("decodes on all lanes in parallel, within its time limit", async () => {
    const limit = new AbortController();
    const began: number[] = [];
    const endless = async (lane: number, stop: AbortSignal): Promise<void> =>
      new Promise((_, reject) => {
        began.push(lane);
        stop.addEventListener("abort", () => reject(new Error("stopped")));
      });
    const warm = warmUp([1, 2, 3], endless, limit.signal);
    expect(began).toEqual([1, 2, 3]);
    limit.abort();
    await warm;
  });

  it("fails when a decode fails", async () => {
    const failing = async (): Promise<void> => Promise.reject(new Error("no memory"));
    await expect(warmUp([1], failing, new AbortController().signal)).rejects.toThrow("no memory");
  });
});
