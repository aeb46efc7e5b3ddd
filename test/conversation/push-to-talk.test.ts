import { beforeAll, expect, test } from "vitest";
import { samplesOf } from "../../src/audio/pcm16.ts";
import type { Engines } from "../../src/engines/engines.ts";
import { clip, silence } from "../support/audio.ts";
import { Line, starterEngines } from "../support/line.ts";

let engines: Engines;
beforeAll(async () => void (engines = await starterEngines()));

test.each([
  ["stt-reading.wav", 0.06, /left\W*$/],
  ["flite-timer.wav", 0.02, /minutes\W*$/],
  ["flite-lights.wav", 0.02, /kitchen\W*$/],
])("%s, the same at %d of its level, then a silent press", async (name, gain, end) => {
  await using line = new Line(engines);
  line.session.configure({ turnDetection: { endedBy: "client" } });
  const lower = Buffer.from(Int16Array.from(samplesOf(clip(name)), (sample) => Math.round(sample * gain)).buffer);
  for (const [at, audio] of [clip(name), lower, silence(1.5)].entries()) {
    await line.speak(audio);
    line.session.endTurn();
    await expect.poll(() => line.all("turn_end").length, { timeout: 20_000 }).toBe(at + 1);
  }
  const said = line.all("turn_end").map(({ data }) => data.transcript.toLowerCase());
  expect(said).toEqual([expect.stringMatching(end), expect.stringMatching(end), ""]);
});
