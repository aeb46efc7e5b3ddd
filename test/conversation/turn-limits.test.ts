import { CALL_BYTES_PER_MS } from "../../src/audio/format.ts";
import { beforeAll, expect, test } from "vitest";
import type { Engines } from "../../src/engines/engines.ts";
import { wordsOf } from "../../src/language/words.ts";
import { clip, silence } from "../support/audio.ts";
import { Line, starterEngines } from "../support/line.ts";

/** "Turn on the lights in the" */
const BROKEN_OFF = clip("flite-lights.wav").subarray(0, 1500 * CALL_BYTES_PER_MS);
const QUESTION = Buffer.concat([clip("flite-time.wav"), silence(3)]);

let engines: Engines;
beforeAll(async () => {
  engines = await starterEngines();
});

/** Starts and ends of turns, with the reason of each end. */
const turnEvents = (line: Line) =>
  line.sent.flatMap((message) => {
    if (message.type === "turn_interrupted") return [message.data.interruption_type];
    if (message.type === "turn_end") return [message.data.is_complete ? "complete" : "incomplete"];
    return message.type === "turn_start" ? ["start"] : [];
  });
const finals = (line: Line) =>
  line
    .all("transcription")
    .map(({ data }) => ({ ...data, transcript: wordsOf(data.transcript).join(" ") }))
    .filter((data) => data.is_speech_final);
const last = (line: Line, type: "turn_end" | "tts_chunk") =>
  line.sent.findLastIndex((message) => message.type === type);

test("silence_timeout: an incomplete sentence is answered once, and the call goes on", async () => {
  await using line = new Line(engines);
  await line.speak(Buffer.concat([BROKEN_OFF, silence(6)]));
  expect(turnEvents(line)).toEqual(["start", "silence_timeout", "incomplete"]);
  expect(finals(line)).toMatchObject([{ transcript: "turn on the lights in the", is_turn_incomplete: true }]);
  expect(line.replies).toBe(1);
  await line.speak(QUESTION);
  expect(turnEvents(line).slice(3)).toEqual(["start", "complete"]);
  expect(finals(line)[1]).toMatchObject({ transcript: "what time is it", is_turn_incomplete: false });
  expect(line.replies).toBe(2);
});

test.each([2200, 2400, 2800, 3200])(
  "silence_timeout: speech after %i ms is a further turn with a reply",
  async (pauseMs) => {
    await using line = new Line(engines);
    await line.speak(Buffer.concat([BROKEN_OFF, silence(pauseMs / 1000), QUESTION]));
    const said = finals(line).map(({ transcript }) => transcript);
    expect(said).toEqual(["turn on the lights in the", "what time is it"]);
    expect(turnEvents(line).slice(0, 3)).toEqual(["start", "silence_timeout", "incomplete"]);
    expect(turnEvents(line).slice(-1)).toEqual(["complete"]);
    expect(line.replies).toBe(2);
    expect(last(line, "tts_chunk")).toBeGreaterThan(last(line, "turn_end"));
  },
);

test.each([1, 1.1, 1.2, 1.3])(
  "system_timeout: a turn of more than %d s continues as the next turn, and one reply answers both",
  async (max_turn_duration) => {
    await using line = new Line(engines, { settings: { turn_detection: { max_turn_duration } } });
    await line.speak(Buffer.concat([clip("flite-lights.wav"), silence(4)]));
    expect(turnEvents(line).slice(0, 2)).toEqual(["start", "system_timeout"]);
    expect(finals(line)[0]).toMatchObject({ is_turn_incomplete: true });
    expect(finals(line)[0]?.transcript).toMatch(/^turn on the/);
    const ends = line.all("turn_end");
    expect(line.all("turn_start")).toHaveLength(ends.length);
    for (const { data } of ends) expect(data.duration).toBeLessThanOrEqual(max_turn_duration + 0.04);
    expect(line.replies).toBe(1);
    line.configure({ turn_detection: { max_turn_duration: 30 } });
    await line.speak(QUESTION);
    expect(turnEvents(line).slice(-2)).toEqual(["start", "complete"]);
    expect(line.replies).toBe(2);
  },
);

test.each([1.03, 1.13, 1.2, 1.3])(
  "system_timeout: a limit of %d s divides between words and keeps a rest shorter than min_speaking_time",
  async (max_turn_duration) => {
    const settings = { turn_detection: { max_turn_duration, min_speaking_time: 0.7 } };
    await using line = new Line(engines, { settings });
    await line.speak(Buffer.concat([clip("flite-lights.wav"), silence(3)]));
    const said = finals(line).map(({ transcript }) => transcript);
    expect(said).toHaveLength(2);
    // No word is lost or heard twice. A word at the cut may be misheard.
    expect(said.join(" ")).toMatch(/^turn on the lights? \S+ (?:in )?the \w+$/);
    expect(line.replies).toBe(1);
  },
);

test("system_timeout: speech without pauses is divided into turns without a gap and answered after the last one", async () => {
  await using line = new Line(engines, {
    settings: { turn_detection: { max_turn_duration: 1, silence_threshold: 1 } },
  });
  await line.speak(Buffer.concat([clip("stt-reading.wav"), silence(4)]));
  const ends = line.all("turn_end");
  expect(ends.length).toBeGreaterThan(2);
  expect(line.all("turn_start")).toHaveLength(ends.length);
  expect(new Set(ends.map(({ data }) => data.turn_id)).size).toBe(ends.length);
  expect(line.all("tts_interruption")).toEqual([]);
  expect(line.replies).toBe(1);
  expect(line.sent.findIndex(({ type }) => type === "tts_chunk")).toBeGreaterThan(last(line, "turn_end"));
});
