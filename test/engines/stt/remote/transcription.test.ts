import { expect, it } from "vitest";
import { readTranscription } from "../../../../src/engines/stt/remote/transcription.ts";
import { clipSamples } from "../../../support/audio.ts";

const samples = clipSamples("flite-time.wav");
const read = (answer: unknown) => readTranscription(JSON.stringify(answer), samples);
const spelled = (answer: unknown) => read(answer)?.words.map(({ word, start }) => [word, Math.round(10 * start) / 10]);

it("words have the server's times, and the text's punctuation", () => {
  const words = [
    { word: "What", start: 0.4, end: 0.6 },
    { word: "time", start: 0.6, end: 0.9 },
    { word: "is", start: 0.9, end: 1 },
    { word: "it", start: 1, end: 1.2 },
  ];
  expect(read({ text: "What time is it?", words })?.text).toBe("What time is it?");
  const times = [["What", 0.4], ["time", 0.6], ["is", 0.9], ["it?", 1]]; // prettier-ignore
  expect(spelled({ text: "What time is it?", words })).toEqual(times);
  // whisper.cpp: words of a segment, some in parts.
  const parts = [
    { word: " What", start: 0.4, end: 0.6, probability: 0.9 },
    { word: " ti", start: 0.6, end: 0.7, probability: 0.9 },
    { word: "me", start: 0.7, end: 0.9, probability: 0.9 },
    { word: " is", start: 0.9, end: 1, probability: 0.9 },
    { word: " it", start: 1, end: 1.2, probability: 0.5 },
    { word: "?", start: 1.2, end: 1.2, probability: 0.9 },
  ];
  const segment = { text: " What time is it?", avg_logprob: -0.1, no_speech_prob: 0.01, words: parts };
  expect(spelled({ text: " What time is it?\n", segments: [segment] })).toEqual(times);
});

it.each([-1005.84, 90])("a time outside the clip (%d s) counts as none", (start) => {
  const words = ["What", "time", "is", "it?"].map((word) => ({ word, start, end: start }));
  expect(spelled({ text: "What time is it?", words })).toEqual(spelled({ text: "What time is it?" }));
});

it("words without times are distributed over the clip, in order", () => {
  const words = read({ text: "What time is it?" })?.words ?? [];
  expect(words.map(({ word }) => word)).toEqual(["What", "time", "is", "it?"]);
  const starts = words.map(({ start }) => start);
  expect(starts).toEqual(starts.toSorted((one, other) => one - other));
  expect(words.at(-1)?.end).toBeLessThanOrEqual(samples.length / 16_000);
  expect(words.every(({ confidence }) => confidence > 0.5)).toBe(true);
});

it("a segment that the model takes for silence, sounds in brackets and loops are not words", () => {
  const thanks = { text: " Thank you.", avg_logprob: -1.4, no_speech_prob: 0.9 };
  expect(read({ text: "Thank you.", segments: [thanks] })?.text).toBe("");
  expect(read({ text: "[BLANK_AUDIO]" })?.text).toBe("");
  const loop = Array.from({ length: 40 }, () => "thank you very much").join(" ");
  expect(read({ text: loop })?.words.length).toBeLessThan(20);
  expect(read({ text: "" })).toMatchObject({ text: "", confidence: 0, words: [] });
});

it.each(["", "<html>", "[]", '{"error":"no"}', '{"text":7}', '{"text":"a","words":[{"word":"a","start":"soon"}]}'])(
  "%s is not a transcription",
  (body) => {
    expect(readTranscription(body, samples)).toBeUndefined();
  },
);
