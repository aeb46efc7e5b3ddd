import { beforeAll, expect, test } from "vitest";
import { CALL_BYTES_PER_MS } from "../../src/audio/format.ts";
import { toCallAudio } from "../../src/conversation/reply/speech/call-audio.ts";
import type { Engines } from "../../src/engines/engines.ts";
import { silence } from "../support/audio.ts";
import { Line, starterEngines } from "../support/line.ts";

let engines: Engines;
beforeAll(async () => void (engines = await starterEngines()));

/** Spoken by the starter voice. */
async function spoken(text: string): Promise<Buffer> {
  const { tts } = engines;
  const samples = await tts.synthesize({ text, voice: "heart", speed: 0.9 }, new AbortController().signal);
  return Buffer.from(toCallAudio(samples, tts.sampleRateHz, text).buffer);
}

test.each([0.5, 1])("a telephone number in groups with pauses of %d s is one turn with all digits", async (seconds) => {
  await using line = new Line(engines, { voice: { greeting: "What is your phone number?" } });
  await line.speak(silence(3));
  const groups = ["Five, five, five.", "Zero, one, two, three.", "Four, six, seven, eight."];
  for (const group of groups) await line.speak(Buffer.concat([await spoken(group), silence(seconds)]));
  await line.speak(silence(2));
  const turns = line.all("turn_end").map(({ data }) => data.transcript);
  expect(turns).toHaveLength(1);
  expect(turns.join(" ").replace(/\D/gu, "")).toBe("55501234678");
});

test("a whole telephone number and a room number do not wait for more", async () => {
  const waitMs = async (greeting: string, number: string) => {
    await using line = new Line(engines, { voice: { greeting } });
    const audio = Buffer.concat([silence(3), await spoken(number)]);
    await line.speak(Buffer.concat([audio, silence(2.5)]));
    return (line.all("turn_end")[0]?.atMs ?? Infinity) - audio.length / CALL_BYTES_PER_MS;
  };
  expect(
    await waitMs("What is your phone number?", "Five five five, zero one two, three four six seven."),
  ).toBeLessThan(1000);
  expect(await waitMs("What is your room number?", "Two oh four.")).toBeLessThan(1000);
});
