import { afterAll, beforeAll, expect, test } from "vitest";
import type { Engines } from "../../src/conversation/session.ts";
import { clip, silence } from "../support/audio.ts";
import { closeEngines, Line, slowed, starterEngines } from "../support/line.ts";

const LONG = "The house is quiet today, and all the lights are off. The heating is on in the kitchen.";
const BYTES_PER_MS = 48;
/** Of silence in the clip. */
const BEFORE_STOP_MS = 320;

let engines: Engines;
beforeAll(async () => {
  engines = await starterEngines();
});
afterAll(() => closeEngines(engines));

/** A caller on a box that takes `delayMs` longer for each decode; the greeting can be heard by now. */
async function listening(delayMs: number, greeting = LONG): Promise<Line> {
  const line = new Line({ ...engines, stt: slowed(engines.stt, delayMs) }, { greeting });
  await line.speak(silence(0.3));
  await line.until("tts_chunk");
  return line;
}

test.concurrent.each([
  ["mm-hmm", "flite-mm-hmm.wav", 1000],
  ["okay", "flite-okay.wav", 1400],
])("%s over the reply does not stop it; what was said is told", async (_, name, delayMs) => {
  await using quiet = await listening(0);
  await using line = await listening(delayMs);
  await Promise.all([line.speak(Buffer.concat([silence(0.5), clip(name), silence(8)])), quiet.speak(silence(9))]);
  expect(line.order()).not.toContain("tts_interruption");
  expect(line.order()).not.toContain("turn_start");
  expect(line.all("transcription").map(({ data }) => data)).toMatchObject([{ is_final: true, is_speech_final: false }]);
  expect(line.speechBytes).toBe(quiet.speechBytes);
});

test.concurrent.each([
  ["before the held speech goes on again", 800],
  ["after it has gone on", 2500],
])("an order that is understood %s stops the reply and is a turn", async (_, delayMs) => {
  await using line = await listening(delayMs);
  await line.speak(Buffer.concat([silence(0.5), clip("flite-stop.wav"), silence(6)]));
  expect(line.all("tts_interruption")).toHaveLength(1);
  expect(line.all("turn_end").map(({ data }) => data.transcript)).toEqual([expect.stringMatching(/stop/i)]);
});

/** How long the box needs to say this, as sent: its last chunk ends with a short pause. */
async function speechMs(greeting: string): Promise<number> {
  await using line = await listening(0, greeting);
  await line.speak(silence(3));
  return line.speechBytes / BYTES_PER_MS;
}

test.concurrent.each([
  [250, 0],
  [400, 900],
])("an order %i ms before the end of a short reply is not lost, decodes %i ms late", async (beforeMs, delayMs) => {
  const short = "Your table is booked.";
  const overMs = await speechMs(short);
  await using line = await listening(delayMs, short);
  const beginMs = (line.all("tts_chunk")[0]?.atMs ?? 0) + overMs - beforeMs - performance.now();
  await line.speak(silence(beginMs / 1000));
  await line.speak(Buffer.concat([clip("flite-stop.wav").subarray(BEFORE_STOP_MS * BYTES_PER_MS), silence(4)]));
  expect(line.all("turn_end").map(({ data }) => data.transcript)).toEqual([expect.stringMatching(/stop/i)]);
  expect(new Set(line.all("llm_response_chunk").map(({ data }) => data.generation_id)).size).toBe(2);
});
