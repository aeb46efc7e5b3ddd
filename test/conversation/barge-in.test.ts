import { beforeAll, describe, expect, test } from "vitest";
import type { Engines } from "../../src/engines/engines.ts";
import { clip, silence } from "../support/audio.ts";
import { Line, starterEngines } from "../support/line.ts";
import { Loudspeaker } from "../support/loudspeaker.ts";

const LONG = "The house is quiet today, and all the lights are off. The heating is on in the kitchen.";

let engines: Engines;
beforeAll(async () => {
  engines = await starterEngines();
});

/** A call that starts with `greeting`, on a machine that needs `decodeMs` more for each decode. */
const greeted = (greeting = LONG, decodeMs = 0) => new Line(engines, { voice: { greeting }, decodeMs });

describe("speech over a reply", () => {
  test.each(["flite-okay.wav", "flite-yeah.wav"])(
    "a back-channel (%s) does not stop the reply and is transcribed",
    async (name) => {
      await using quiet = greeted();
      await quiet.speak(silence(8));
      await using line = greeted();
      await line.speak(Buffer.concat([silence(0.8), clip(name), silence(7)]));
      expect(line.all("tts_interruption")).toEqual([]);
      expect(line.all("turn_start")).toEqual([]);
      const told = line.all("transcription").map(({ data }) => data);
      expect(told).toMatchObject([{ is_final: true, is_speech_final: false, is_turn_incomplete: false }]);
      // Each sample of the reply was sent exactly once.
      expect(line.speechMs).toBe(quiet.speechMs);
    },
  );

  test("a command stops the reply and becomes a turn", async () => {
    await using line = greeted();
    await line.speak(Buffer.concat([silence(0.8), clip("flite-stop.wav"), silence(3)]));
    expect(line.all("turn_interrupted").map(({ data }) => data.interruption_type)).toEqual(["user_speech"]);
    expect(line.all("turn_start").map(({ data }) => data.interrupted_tts)).toEqual([true]);
    expect(line.all("turn_end").map(({ data }) => data.transcript)).toEqual([expect.stringMatching(/stop/i)]);
    // The stopped reply sent nothing more. The next reply may have started already.
    const types = line.sent.map(({ type }) => type);
    expect(types.slice(types.indexOf("tts_interruption"), types.indexOf("turn_end"))).not.toContain("tts_chunk");
  });

  test("a short yes near the end of a question is its answer", async () => {
    await using line = greeted("Shall I book the table?");
    await line.speak(Buffer.concat([silence(0.3), clip("flite-okay.wav"), silence(1.5)]));
    expect(line.all("turn_end").map(({ data }) => data.transcript)).toEqual([expect.stringMatching(/\w/)]);
  });
});

describe("a loudspeaker whose sound returns to the microphone, 120 ms late at -10 dB by default", () => {
  test.each([0, 1000])("the reply does not interrupt itself with %i ms more for each decode", async (decodeMs) => {
    await using quiet = greeted();
    await quiet.speak(silence(9));
    await using line = greeted(LONG, decodeMs);
    await new Loudspeaker(line, -10, 120).speak(silence(9));
    expect(line.all("tts_interruption")).toEqual([]);
    expect(line.all("turn_start")).toEqual([]);
    // The echo is not transcribed as the caller's words either.
    expect(line.all("transcription").filter(({ data }) => data.doubtful !== true)).toEqual([]);
    expect(line.speechMs).toBe(quiet.speechMs);
  });

  test.each([
    // The recogniser mishears the first words ("you're table for") before the guard can know the echo.
    ["Your table for four is booked for half past seven.", -6, 300, 0],
    ["Thank you for calling. The restaurant is open from noon until ten.", -10, 300, 0],
    ["The weather is fine today, with some clouds in the afternoon.", -10, 120, 60],
    ["Hello, this is the Grand Hotel. How may I help you today?", -4, 200, 60],
  ])(
    'the echo of "%s" at %d dB, %d ms late, with %d reflections does not interrupt the reply',
    async (greeting, echoDb, delayMs, reflections) => {
      await using line = greeted(greeting);
      await new Loudspeaker(line, echoDb, delayMs, reflections).speak(silence(6));
      expect(line.all("tts_interruption")).toEqual([]);
      expect(line.all("turn_start")).toEqual([]);
    },
  );

  // It shares no words with the reply.
  const sentence = Buffer.concat([silence(3), clip("flite-timer.wav")]);

  test.each([0, 1000])(
    "a caller's voice over the echo interrupts the reply with %i ms more for each decode",
    async (decodeMs) => {
      await using line = greeted(LONG, decodeMs);
      await new Loudspeaker(line, -10, 120).speak(Buffer.concat([sentence, silence(1.5)]));
      expect(line.all("tts_interruption")).toHaveLength(1);
      expect(line.all("turn_start").map(({ data }) => data.interrupted_tts)).toEqual([true]);
    },
  );

  test.each([2500, 3000])(
    "a voice that is decoded after the reply has ended becomes a turn (%i ms more for each decode)",
    async (decodeMs) => {
      await using line = greeted(LONG, decodeMs);
      await new Loudspeaker(line, -10, 120).speak(Buffer.concat([sentence, silence(10)]));
      expect(line.all("tts_interruption")).toEqual([]);
      expect(line.all("turn_end").map(({ data }) => data.transcript)).toEqual([expect.stringMatching(/\w/)]);
    },
  );
});
