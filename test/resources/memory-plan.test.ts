import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planMemory, type EngineNeed } from "../../src/resources/memory-plan.ts";

const GB = 1e9;
const recogniser: EngineNeed = {
  engine: "speech recognition",
  modelBytes: 0.1 * GB,
  bufferBytes: 0.3 * GB,
  onGpu: false,
};
const languageModel: EngineNeed = {
  engine: "language model",
  modelBytes: 1.1 * GB,
  bufferBytes: 0.3 * GB,
  cacheBytes: (tokens) => tokens * 35_000,
  onGpu: false,
};
const calls = { callers: 16, contextTokens: 4_096 };

describe("planMemory", () => {
  it("reports in one line the required memory, the free memory and the settings to lower", () => {
    const [plan] = planMemory([recogniser, languageModel], calls, { ramBytes: 2.9 * GB });
    expect(plan?.verdict).toBe("too much");
    expect(plan?.text).toBe(
      "memory: 4.2 GB needed, 2.9 GB free (speech recognition 0.4 GB; language model 3.7 GB = 1.1 GB model + 2.3 GB cache " +
        "for 16 calls of 4096 tokens + 0.3 GB buffers; server 0.1 GB): lower limits.max_connections to 4, or lower " +
        "models.llm.context_tokens to 1024, or use a smaller profile",
    );
  });

  it("names only settings that are sufficient", () => {
    const [plan] = planMemory([recogniser, languageModel], calls, { ramBytes: 1.5 * GB });
    expect(plan?.text).toMatch(/0\.1 GB\): use a smaller profile$/u);
  });

  it("fits, is tight or is too large, and its proposal fits", () => {
    const settings = fc.record({
      callers: fc.integer({ min: 1, max: 64 }),
      contextTokens: fc.integer({ min: 2, max: 64 }).map((steps) => steps * 256),
    });
    fc.assert(
      fc.property(settings, fc.integer({ min: 1, max: 40 }), (some, freeGb) => {
        const free = { ramBytes: freeGb * GB };
        const [plan] = planMemory([recogniser, languageModel], some, free);
        const { verdict, text = "", neededBytes = 0 } = plan ?? {};
        expect(verdict).toBe(
          neededBytes > free.ramBytes ? "too much" : neededBytes > 0.9 * free.ramBytes ? "tight" : "fits",
        );
        if (verdict === "fits") expect(text).not.toContain("lower");
        const callers = Number(/max_connections to (\d+)/u.exec(text)?.[1] ?? NaN);
        const contextTokens = Number(/context_tokens to (\d+)/u.exec(text)?.[1] ?? NaN);
        if (callers > 0)
          expect(planMemory([recogniser, languageModel], { ...some, callers }, free)[0]?.verdict).toBe("fits");
        if (contextTokens > 0)
          expect(planMemory([recogniser, languageModel], { ...some, contextTokens }, free)[0]?.verdict).toBe("fits");
      }),
    );
  });

  it("plans a card's memory apart from the machine's, unless they share it", () => {
    const onCard = { ...languageModel, onGpu: true };
    const [ram, gpu, ...more] = planMemory([recogniser, onCard], calls, { ramBytes: 1 * GB, gpuBytes: 2 * GB });
    expect(more).toEqual([]);
    expect([ram?.place, ram?.verdict]).toEqual(["memory", "fits"]);
    expect([gpu?.place, gpu?.verdict]).toEqual(["GPU memory", "too much"]);
    expect(gpu?.text).toMatch(
      /^GPU memory: 3\.7 GB needed, 2\.0 GB free .*or set models\.llm\.gpu: off, or use a smaller profile$/u,
    );
    const unified = { ramBytes: 1 * GB, gpuBytes: 8 * GB, isUnified: true };
    expect(planMemory([recogniser, onCard], calls, unified).map(({ verdict }) => verdict)).toEqual(["too much"]);
  });
});
