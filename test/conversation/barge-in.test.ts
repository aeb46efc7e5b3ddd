import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Engines } from "../../src/conversation/session-interface.ts";
import { clip, silence } from "../support/audio.ts";
import { closeEngines, Line, starterEngines } from "../support/line.ts";
import { Loudspeaker } from "../support/loudspeaker.ts";

const LONG = "The house is quiet today, and all the lights are off. The heating is on in the kitchen.";

let engines: Engines;
beforeAll(async () => {
  engines = await starterEngines();
});
afterAll(() => closeEngines(engines));

/** A caller whom the box greets, on a machine that takes `decodeMs` longer for each decode. */
const greeted = (greeting = LONG, decodeMs = 0) => new Line(engines, { voice: { greeting }, decodeMs });

describe("over the reply", () => {
  test.each(["flite-okay.wav", "flite-mm-hmm.wav"])("%s does not stop it; what was said is told", async (name) => {
    await using quiet = greeted();
    await quiet.speak(silence(8));
    await using line = greeted();
    await line.speak(Buffer.concat([silence(0.8), clip(name), silence(7)]));
    expect(line.all("tts_interruption")).toEqual([]);
    expect(line.all("turn_start")).toEqual([]);
    const told = line.all("transcription").map(({ data }) => data);
    expect(told).toMatchObject([{ is_final: true, is_speech_final: false, is_turn_incomplete: false }]);
    // Not a sample was lost or said twice.
    expect(line.speechMs).toBe(quiet.speechMs);
  });

  test("an order stops it, and is a turn of its own", async () => {
    await using line = greeted();
    await line.speak(Buffer.concat([silence(0.8), clip("flite-stop.wav"), silence(3)]));
    expect(line.all("turn_interrupted").map(({ data }) => data.interruption_type)).toEqual(["user_speech"]);
    expect(line.all("turn_start").map(({ data }) => data.interrupted_tts)).toEqual([true]);
    expect(line.all("turn_end").map(({ data }) => data.transcript)).toEqual([expect.stringMatching(/stop/i)]);
    // Of the reply that was stopped nothing more came; the next one may be there already.
    const types = line.sent.map(({ type }) => type);
    expect(types.slice(types.indexOf("tts_interruption"), types.indexOf("turn_end"))).not.toContain("tts_chunk");
  });

  test("the end of a question, a short yes is its answer", async () => {
    await using line = greeted("Shall I book the table?");
    await line.speak(Buffer.concat([silence(0.3), clip("flite-okay.wav"), silence(1.5)]));
    expect(line.all("turn_end").map(({ data }) => data.transcript)).toEqual([expect.stringMatching(/\w/)]);
  });
});

describe("a loudspeaker that feeds the microphone, at -10 dB and 120 ms later unless it says otherwise", () => {
  test.each([0, 1000])("does not interrupt the box by its own voice, %i ms a decode", async (decodeMs) => {
    await using quiet = greeted();
    await quiet.speak(silence(9));
    await using line = greeted(LONG, decodeMs);
    await new Loudspeaker(line, -10, 120).speak(silence(9));
    expect(line.all("tts_interruption")).toEqual([]);
    expect(line.all("turn_start")).toEqual([]);
    // Nor is it told as the caller's words.
    expect(line.all("transcription")).toEqual([]);
    expect(line.speechMs).toBe(quiet.speechMs);
  });

  test.each([
    // Before it can be known as an echo, its words are misheard: "you're table for", "thank you for call".
    ["Your table for four is booked for half past seven.", -6, 300, 0],
    ["Thank you for calling. The restaurant is open from noon until ten.", -10, 300, 0],
    ["The weather is fine today, with some clouds in the afternoon.", -10, 120, 60],
    ["Hello, this is the Grand Hotel. How may I help you today?", -4, 200, 60],
  ])('nor by "%s" at %d dB, %d ms later, %d reflections', async (greeting, echoDb, delayMs, reflections) => {
    await using line = greeted(greeting);
    await new Loudspeaker(line, echoDb, delayMs, reflections).speak(silence(6));
    expect(line.all("tts_interruption")).toEqual([]);
    expect(line.all("turn_start")).toEqual([]);
  });

  const sentence = Buffer.concat([silence(3), clip("flite-lights.wav")]);

  test.each([0, 1000])("a real voice over it does, %i ms a decode", async (decodeMs) => {
    await using line = greeted(LONG, decodeMs);
    await new Loudspeaker(line, -10, 120).speak(Buffer.concat([sentence, silence(1.5)]));
    expect(line.all("tts_interruption")).toHaveLength(1);
    expect(line.all("turn_start").map(({ data }) => data.interrupted_tts)).toEqual([true]);
  });

  test.each([2500, 3000])(
    "a real voice that is understood after the reply is a turn, %i ms a decode",
    async (decodeMs) => {
      await using line = greeted(LONG, decodeMs);
      await new Loudspeaker(line, -10, 120).speak(Buffer.concat([sentence, silence(10)]));
      expect(line.all("tts_interruption")).toEqual([]);
      expect(line.all("turn_end").map(({ data }) => data.transcript)).toEqual([expect.stringMatching(/\w/)]);
    },
  );
});
