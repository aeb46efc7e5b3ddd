import { beforeAll, expect, test } from "vitest";
import { samplesOf } from "../../src/audio/pcm16.ts";
import type { Engines } from "../../src/engines/engines.ts";
import { clip, silence } from "../support/audio.ts";
import { disturbances } from "../support/disturbances.ts";
import { Line, starterEngines } from "../support/line.ts";

let engines: Engines;
beforeAll(async () => void (engines = await starterEngines()));

async function words(add: (at: number) => number, name = "stt-reading.wav", gain = 0.3): Promise<string[]> {
  const pcm = Buffer.concat([silence(0.5), clip(name), silence(1.8)]);
  const disturbed = Int16Array.from(samplesOf(pcm), (sample, at) => Math.round(sample * gain + add(at)));
  await using line = new Line(engines);
  await line.speak(Buffer.from(disturbed.buffer));
  return line.all("turn_end").flatMap(({ data }) => data.transcript.toLowerCase().match(/\w+/gu) ?? []);
}

test("a disturbance below the voice loses no words", async () => {
  const clean = await words(() => 0);
  expect(clean).toContain("tooth");
  for (const [name, add] of Object.entries(disturbances)) expect.soft(await words(add), name).toEqual(clean);
});

test.each(["flite-stop.wav", "stt-reading.wav"])("%s: an offset of a sound card hides no word", async (name) => {
  const clean = await words(() => 0, name, 0.5);
  expect(clean.length).toBeGreaterThan(0);
  expect(await words(() => 450, name, 0.5)).toEqual(clean);
});
