import { expect, onTestFinished, test } from "vitest";
import { ownBackend } from "../../bench/tracing/backends.ts";
import { explainTurn, PARTS } from "../../bench/tracing/explained-turn.ts";

/** The server looks for the end of the voice in steps of 10 ms, and counts quieter sound as voice than the caller does. */
const VOICE_END_MS = 50;

test("the spans of a spoken turn explain the delay that the caller measured", async () => {
  const backend = await ownBackend();
  onTestFinished(() => backend.close());
  const { callerMs, parts, partsMs, spans } = await explainTurn(backend, "flite-time.wav");
  expect(parts.map(({ name }) => name)).toEqual(PARTS);
  for (const [index, part] of parts.entries())
    if (index > 0) expect(part.startMs).toBeCloseTo(parts[index - 1]?.endMs ?? 0, 1);
  expect(callerMs).toBeGreaterThan(300);
  expect(partsMs).toBeLessThan(callerMs * 1.05);
  expect(partsMs).toBeGreaterThan(callerMs * 0.95 - VOICE_END_MS);
  // The engines' work is there too.
  expect(spans.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["call", "turn", "stt_final", "chat", "synthesize clause"]),
  );
});
