import { CALL_BYTES_PER_MS } from "../../src/audio/format.ts";
import { beforeAll, expect, test } from "vitest";
import type { Engines } from "../../src/engines/engines.ts";
import { wordsOf } from "../../src/language/words.ts";
import { clip, silence } from "../support/audio.ts";
import { Line, starterEngines } from "../support/line.ts";

const LONG = "The house is quiet today, and all the lights are off. The heating is on in the kitchen.";
const SHORT = "Your table is booked.";
const QUESTION = "The house is quiet today, and all the lights are off. Shall I turn on the heating?";
/** Length of the silence at the beginning of the clip. */
const BEFORE_STOP_MS = 320;

let engines: Engines;
beforeAll(async () => {
  engines = await starterEngines();
});

/** A call that starts with `greeting`, on a machine that needs `decodeMs` more for each decode. */
const greeted = (decodeMs: number, greeting = LONG) => new Line(engines, { voice: { greeting }, decodeMs });

test.each([
  ["yeah", "flite-yeah.wav", 1000],
  ["yeah", "flite-yeah.wav", 3000],
  ["okay", "flite-okay.wav", 2500],
])("%s over the reply does not stop it and is transcribed", async (_, name, decodeMs) => {
  await using quiet = greeted(0);
  await quiet.speak(silence(10));
  await using line = greeted(decodeMs);
  await line.speak(Buffer.concat([silence(0.5), clip(name), silence(10)]));
  expect(line.all("tts_interruption")).toEqual([]);
  expect(line.all("turn_start")).toEqual([]);
  expect(line.all("transcription").map(({ data }) => data)).toMatchObject([{ is_final: true, is_speech_final: false }]);
  expect(line.speechMs).toBe(quiet.speechMs);
});

// The caller speaks more than 2 s before the question's end. The decode ends at once, in the question's last second, and after it.
test.each([0, 4000, 5000])(
  "yeah early in a question is not its answer (%i ms more for each decode)",
  async (decodeMs) => {
    await using line = greeted(decodeMs, QUESTION);
    await line.speak(Buffer.concat([silence(0.5), clip("flite-yeah.wav"), silence(8)]));
    expect(line.all("turn_start")).toEqual([]);
    expect(line.all("tts_interruption")).toEqual([]);
    expect(line.all("transcription").map(({ data }) => data)).toMatchObject([
      { is_final: true, is_speech_final: false },
    ]);
  },
);

test.each([0, 2000])("yeah at a question's end is its answer (%i ms more for each decode)", async (decodeMs) => {
  await using quiet = greeted(0, QUESTION);
  await quiet.speak(silence(8));
  const endMs = (quiet.all("tts_chunk")[0]?.atMs ?? 0) + quiet.speechMs;
  await using line = greeted(decodeMs, QUESTION);
  await line.speak(Buffer.concat([silence((endMs - 1200) / 1000), clip("flite-yeah.wav"), silence(8)]));
  expect(line.all("turn_end")).toHaveLength(1);
});

test.each([
  ["before the held speech goes on again", 1500],
  ["after it has gone on", 2500],
])("a command that is decoded %s stops the reply and becomes a turn", async (_, decodeMs) => {
  await using line = greeted(decodeMs);
  await line.speak(Buffer.concat([silence(0.5), clip("flite-stop.wav"), silence(7)]));
  expect(line.all("tts_interruption")).toHaveLength(1);
  expect(line.all("turn_end").map(({ data }) => data.transcript)).toEqual([expect.stringMatching(/stop/i)]);
});

test.each([0, 900])("a command across the end of a short reply is not lost (decodes %i ms late)", async (decodeMs) => {
  await using quiet = greeted(0, SHORT);
  await quiet.speak(silence(3));
  const endMs = (quiet.all("tts_chunk")[0]?.atMs ?? 0) + quiet.speechMs;
  const stop = clip("flite-stop.wav").subarray(BEFORE_STOP_MS * CALL_BYTES_PER_MS);
  for (const beforeMs of [150, 300, 450]) {
    await using line = greeted(decodeMs, SHORT);
    await line.speak(Buffer.concat([silence((endMs - beforeMs) / 1000), stop, silence(8)]));
    expect(line.all("turn_end").map(({ data }) => data.transcript)).toEqual([expect.stringMatching(/stop/i)]);
    expect(line.replies).toBe(2);
  }
});

test.each([100, 200, 400])(
  "sounds over the reply, %i ms a decode: no more than the budget, and none unheard",
  async (decodeMs) => {
    await using line = greeted(decodeMs, `${LONG} ${LONG}`);
    const sounds = Array.from({ length: 3 }, () => Buffer.concat([clip("flite-yeah.wav"), silence(0.8)]));
    await line.speak(Buffer.concat([silence(0.5), ...sounds, silence(3)]));
    for (const [index, { kind, fromMs }] of line.decodes.entries()) {
      if (kind === "final") continue;
      // Partials may use half a core, so each earlier decode, finals included, costs twice its time.
      const before = line.decodes.slice(0, index);
      const spentMs = before.reduce((sum, decode) => sum + decode.toMs - decode.fromMs, 0);
      expect(fromMs - (before[0]?.fromMs ?? fromMs)).toBeGreaterThanOrEqual(2 * spentMs);
    }
    expect(line.decodes.filter(({ kind }) => kind === "partial").length).toBeGreaterThan(0);
    expect(line.decodes.filter(({ kind }) => kind === "final").length).toBeGreaterThanOrEqual(sounds.length);
    expect(line.all("transcription")).toHaveLength(sounds.length);
    expect(line.all("turn_start")).toEqual([]);
  },
);

test.each([0, 700, 1500])(
  "the turn waits after a sentence that breaks off (%i ms more for each decode)",
  async (decodeMs) => {
    await using line = new Line(engines, { decodeMs });
    const [start, rest] = [
      clip("flite-lights.wav").subarray(0, 1500 * CALL_BYTES_PER_MS),
      clip("flite-lights.wav").subarray(1500 * CALL_BYTES_PER_MS),
    ];
    await line.speak(Buffer.concat([start, silence(0.9), rest, silence(5)]));
    // A word that stands alone after the gap may be misheard.
    const transcripts = line.all("turn_end").map(({ data }) => wordsOf(data.transcript).join(" "));
    expect(transcripts).toEqual([expect.stringMatching(/^turn on the lights in the \w+$/)]);
  },
);
