import { describe, expect, test } from "vitest";
import type { CallEvent, CallRecord, HeardChunk, SpokenUtterance } from "../../src/simulated-callers/call-figures.ts";
import { failures } from "../../src/simulated-callers/limits.ts";
import { residentDrift } from "../../src/simulated-callers/memory.ts";
import { measureCall } from "../../src/simulated-callers/measures.ts";
import { wordDelaysMs, wordsTakenBackBy } from "../../src/simulated-callers/partials.ts";
import { distributionsBetween, parseHistograms } from "../../src/simulated-callers/server-metrics.ts";
import { summariseStage } from "../../src/simulated-callers/summary.ts";

/** Speech from 1000 to 2000 ms with a good answer. The arguments replace single values. */
function call(
  spoken: Partial<SpokenUtterance> = {},
  events: readonly CallEvent[] = answered(2500),
  audio: readonly HeardChunk[] = reply(2600, 3),
): CallRecord {
  const utterance = { text: "turn on", meantAs: undefined, overReply: false, startMs: 1000, endMs: 2000, ...spoken };
  return {
    caller: 0,
    silenceThresholdMs: 500,
    utterances: [utterance],
    secrets: [],
    events,
    audio,
    breaks: [],
    closed: undefined,
  };
}

const final = (atMs: number, accumulated: string): CallEvent => {
  return { atMs, type: "transcription", isFinal: true, isSpeechFinal: true, accumulated, wordsSaidMs: [] };
};
const partial = (atMs: number, accumulated: string): CallEvent => {
  return { atMs, type: "transcription", isFinal: false, isSpeechFinal: false, accumulated, wordsSaidMs: [] };
};
const answered = (atMs: number): CallEvent[] => [
  { atMs: 1300, type: "turn_start" },
  final(atMs - 5, "Turn on."),
  { atMs, type: "turn_end", transcript: "Turn on." },
  { atMs: atMs + 20, type: "llm_chunk", reply: "1", text: "On." },
];

/** Chunks of 100 ms that arrive just in time. The first 30 ms are silent. */
const reply = (fromMs: number, chunks: number): HeardChunk[] =>
  Array.from({ length: chunks }, (_, at) => {
    const playMs = fromMs + at * 100;
    const audible = { audibleMs: playMs + (at > 0 ? 0 : 30), audibleToMs: playMs + 100 };
    return { receivedMs: playMs - (at > 0 ? 50 : 0), playMs, durationMs: 100, ...audible };
  });

const measure = (record: CallRecord) => measureCall(record)[0];

describe("measures of one turn", () => {
  test("delays are measured from the true end of speech to the message, or to a reply's first audible sample", () => {
    expect(measure(call())).toMatchObject({
      voiceToVoiceMs: 630,
      beyondThresholdMs: 130,
      finalTranscriptMs: 495,
      turnEndMs: 500,
      firstTextMs: 520,
      firstSpeechMs: 600,
      bargeInMs: undefined,
      cutOff: false,
      early: false,
      missed: false,
      underruns: 0,
      words: 2,
      wordErrors: 0,
    });
  });

  test("a turn that ends before the user does is a cut-off, and a reply before that has no delay", () => {
    const early = measure(call({}, answered(1700), reply(1800, 3)));
    expect(early).toMatchObject({ cutOff: true, early: true, missed: false });
    expect(early?.voiceToVoiceMs).toBeUndefined();
    const events = [...answered(1700), final(2490, "the light"), ...answered(2500).slice(2)];
    expect(measure(call({}, events, reply(2600, 3)))).toMatchObject({
      cutOff: true,
      early: false,
      voiceToVoiceMs: 630,
    });
  });

  test("a turn without an answer is missed", () => {
    expect(measure(call({}, [], []))).toMatchObject({ missed: true, wordErrors: 2 });
    // Audio of the previous reply does not count as an answer.
    expect(measure(call({}, [], reply(1100, 2)))).toMatchObject({ missed: true });
  });

  test("playback without audio inside a reply is an underrun", () => {
    const late = { receivedMs: 2950, playMs: 2950, durationMs: 100, audibleMs: 2950, audibleToMs: 3050 };
    expect(measure(call({}, answered(2500), [...reply(2600, 3), late]))).toMatchObject({ underruns: 1 });
  });

  test("an interruption is timed from its first voiced sample", () => {
    const events: CallEvent[] = [{ atMs: 1240, type: "interruption" }, ...answered(2500)];
    const audio = [...reply(900, 3), ...reply(2600, 2)];
    const turn = measure(call({ overReply: true, meantAs: "interruption" }, events, audio));
    expect(turn).toMatchObject({ bargeInMs: 240, silentMs: 200, stoppedReply: true, voiceToVoiceMs: 630 });
  });

  test("a back-channel needs no answer and must not stop the reply", () => {
    const turn = measure(call({ overReply: true, meantAs: "backchannel" }, [], reply(900, 5)));
    expect(turn).toMatchObject({ missed: false, stoppedReply: false, cutOff: false, words: 0 });
  });

  test("each utterance gets the messages before the next one", () => {
    const first = call();
    const next = { text: undefined, meantAs: undefined, overReply: false, startMs: 5000, endMs: 6000 };
    const [one, two] = measureCall({ ...first, utterances: [...first.utterances, next] });
    expect(one).toMatchObject({ voiceToVoiceMs: 630 });
    expect(two).toMatchObject({ missed: true, wordErrors: undefined });
  });
});

test("the difference of two readings of a counter is grouped by label value", () => {
  const text = (sum: number, low: number, all: number) =>
    [
      "# HELP oakvoice_real_time_factor x",
      `oakvoice_real_time_factor_bucket{le="0.1",engine="stt"} ${String(low)}`,
      `oakvoice_real_time_factor_bucket{le="0.2",engine="stt"} ${String(all)}`,
      `oakvoice_real_time_factor_bucket{le="+Inf",engine="stt"} ${String(all)}`,
      `oakvoice_real_time_factor_sum{engine="stt"} ${String(sum)}`,
      `oakvoice_real_time_factor_count{engine="stt"} ${String(all)}`,
    ].join("\n");
  const read = (...counts: [number, number, number]) => parseHistograms(text(...counts), "oakvoice_real_time_factor");
  const { stt } = distributionsBetween(read(1, 9, 10), read(3, 19, 30));
  expect(stt).toMatchObject({ count: 20, mean: 0.1, p50: 0.1 });
  expect(stt?.p95).toBeCloseTo(0.19);
  expect(distributionsBetween(read(1, 9, 10), read(1, 9, 10))).toEqual({});
});

test("memory is flat when all minutes after the fifth are similar", () => {
  const samples = (bytesAt: (seconds: number) => number, minutes: number) =>
    Array.from({ length: minutes * 12 + 1 }, (_, at) => ({ seconds: at * 5, residentBytes: bytesAt(at * 5) }));
  // A steep start and a short peak do not count as a leak. A slow rise does.
  expect(residentDrift(samples((seconds) => (seconds < 300 ? seconds : seconds === 600 ? 900 : 500), 12))).toBe(0);
  expect(residentDrift(samples((seconds) => 1000 + seconds, 30))).toBeGreaterThan(0.05);
  expect(residentDrift(samples(() => 500, 7))).toBeUndefined();
});

test("a retracted word is one that a later transcript of the turn lacks, apart from punctuation and case", () => {
  const events = [
    partial(1, "turn on"),
    partial(2, "turn on the"),
    partial(3, "burn on the light"),
    final(4, "Turn on a light."),
  ];
  expect(wordsTakenBackBy(events)).toEqual({ partials: 3, wordsShown: 5, wordsTakenBack: 3 });
  expect(wordsTakenBackBy([partial(1, "a b"), final(2, "a b"), partial(3, "c")])).toMatchObject({ wordsTakenBack: 0 });
});

test("a word's delay ends at the first transcript that shows it in its place", () => {
  const said = { ...final(1800, "Turn on the light."), wordsSaidMs: [1000, 1200, 1400, 1600] } as CallEvent;
  const events = [partial(1250, "turn"), partial(1500, "turn in the"), partial(1700, "turn on the"), said];
  expect(wordDelaysMs(events)).toEqual([250, 500, 100, 200]);
  expect(wordDelaysMs([...events, final(3000, "yes")]), "a final without times").toHaveLength(4);
});

describe("measures of a stage", () => {
  const use = { processes: 5, cpuSeconds: 10, rootCpuSeconds: 2, residentBytes: 5e8, residentByProcess: {} };
  const after = { ...use, cpuSeconds: 14, rootCpuSeconds: 3 };
  const { summary } = summariseStage([call(), { ...call({}, [], []), caller: 1 }], 20, {
    use: { idle: { ...use, residentBytes: 4e8 }, before: use, after, memory: [] },
  });

  test("combine the results of all callers", () => {
    expect(summary).toMatchObject({
      callers: 2,
      turns: 2,
      missed_turns: 1,
      false_cut_offs: 0,
      word_error_rate: 0.5,
      cpu_per_caller: 0.1,
      server_process_cpu_per_caller: 0.025,
      resident_mb: 500,
      resident_mb_per_caller: 50,
      resident_drift: undefined,
      end_of_turn_share: 500 / 630,
    });
    expect(summary.voice_to_voice?.p95).toBe(630);
    expect(summary.barge_in_stop).toBeUndefined();
  });

  test("count a caller's secret in another caller's messages as a leak, also in pieces", () => {
    const mine = call({ text: "doctor miller please" }, [final(2400, "Doctor Miller, please.")]);
    const pieces: CallEvent[] = ["For Doc", "tor Mil", "ler."].map((text) => {
      return { atMs: 2500, type: "llm_chunk", reply: "1", text };
    });
    const records = (events: readonly CallEvent[]) => [
      { ...mine, secrets: ["Miller"] },
      { ...call({ text: "turn on twenty two" }, events), caller: 1, secrets: ["22"] },
    ];
    const leaks = (events: readonly CallEvent[]) => {
      const found = summariseStage(records(events), 20, {}).summary;
      return [found.leaks, found.leaked_words, found.secrets];
    };
    expect(leaks([final(2400, "Turn on 22.")])).toEqual([0, [], 2]);
    expect(leaks(pieces)).toEqual([1, ["miller"], 2]);
    expect(leaks([partial(2000, "turn on miller"), { atMs: 2000, type: "leak" }])).toEqual([2, ["miller"], 2]);
  });

  test("name each exceeded limit, and treat a missing measurement as exceeded", () => {
    expect(failures(summary, { "voice_to_voice.p95": 700, missed_turns: 1 })).toEqual([]);
    const failed = failures(summary, { "voice_to_voice.p95": 600, missed_turns: 0, "barge_in_stop.p95": 1000 });
    expect(failed).toEqual([
      "voice_to_voice.p95 with 2 callers is 630; the limit is 600",
      "missed_turns with 2 callers is 1; the limit is 0",
      "barge_in_stop.p95 with 2 callers was not measured; the limit is 1000",
    ]);
    expect(() => failures(summary, { voice: 1 })).toThrow("Unknown measure");
    expect(() => failures(summary, { voice_to_voice: 1 })).toThrow("p50, p95, p99 and max");
  });
});
