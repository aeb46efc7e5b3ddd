import { expect, test } from "vitest";
import { SpeculationCounts } from "../../src/conversation/reply/speculation-counts.ts";
import { english } from "../../src/language/packs/en/en.ts";
import { SampleRing } from "../../src/audio/ring-buffer.ts";
import { Decoder } from "../../src/conversation/transcripts/decoder.ts";
import { OverlapListener } from "../../src/conversation/transcripts/overlap-listener.ts";
import { TurnWords } from "../../src/conversation/transcripts/turn-words.ts";
import type { ScriptedText } from "../support/fake-engines.ts";
import { scriptedRealtime } from "../support/scripted-realtime.ts";
import { LOUD, scriptedCall } from "../support/scripted-call.ts";

const DOUBTFUL: ScriptedText = { text: "Thank you.", isDoubtful: true };

test("a doubtful final is reported, starts no reply and is not in the next prompt", async () => {
  let heard: ScriptedText = DOUBTFUL;
  const speculation = new SpeculationCounts();
  const call = scriptedCall({ speculation, transcribe: async () => heard });
  const turn = async () => {
    await call.stream(LOUD, 1_500);
    await call.stream(0, 6_000);
  };
  await turn();
  expect(call.all("transcription")).toEqual([
    expect.objectContaining({ transcript: "Thank you.", is_speech_final: true, doubtful: true }),
  ]);
  expect(call.all("turn_end")).toEqual([expect.objectContaining({ is_complete: false })]);
  expect([call.prompts.length, speculation.started]).toEqual([0, 0]);

  heard = { text: "what time is it" };
  await turn();
  expect(call.all("transcription").at(-1)).not.toHaveProperty("doubtful");
  const prompt = JSON.stringify(call.prompts.at(-1)?.messages);
  expect([prompt.includes("what time is it"), prompt.includes("Thank you")]).toEqual([true, false]);
  await call.session.close();
});

test("a reply that a doubtful sound interrupted goes on with its rest", async () => {
  let heard: ScriptedText = { text: "tell me a story" };
  const call = scriptedCall({ transcribe: async () => heard });
  await call.stream(LOUD, 1_500);
  await call.stream(0, 2_000);
  heard = DOUBTFUL;
  await call.stream(LOUD, 1_500);
  await call.stream(0, 6_000);
  expect(call.all("tts_interruption")).toHaveLength(1);
  expect(call.prompts).toHaveLength(1);
  const last = call.all("llm_response_chunk").map(({ generation_id: id }) => id);
  expect(new Set(last).size).toBe(2);
  await call.session.close();
});

test("Realtime: a doubtful press has an empty item, and only the client's request is answered", async () => {
  const call = scriptedRealtime({ transcribe: async () => DOUBTFUL });
  call.update({ audio: { input: { turn_detection: null, transcription: {} } } });
  await call.stream(LOUD, 1_000);
  call.send("input_audio_buffer.commit");
  await call.stream(0, 1_000);
  const completed = call.events.filter(({ type }) => type.endsWith("input_audio_transcription.completed"));
  expect(completed).toEqual([
    expect.objectContaining({ transcript: "", oakvoice: expect.objectContaining({ doubtful: true }) as unknown }),
  ]);
  expect(call.prompts).toHaveLength(0);
  call.send("response.create");
  await call.stream(0, 1_000);
  expect(call.prompts).toHaveLength(1);
  expect(JSON.stringify(call.prompts)).not.toContain("Thank you");
  await call.session.close();
});

test.each([
  ["lemons", "unclear"],
  ["stop", "command"],
])("over a reply, a doubtful %j is %s", async (said, kind) => {
  const ring = new SampleRing(64_000);
  ring.write(new Float32Array(48_000));
  const word = { word: said, start: 0, end: 0, confidence: 1 };
  const recognizer = {
    transcribe: async () => ({ text: said, confidence: 1, words: [word], isDoubtful: true }),
    close: () => undefined,
  };
  const listener = new OverlapListener({
    language: () => english,
    decoder: new Decoder(recognizer, ring, () => ({ language: "en" })),
    signal: new AbortController().signal,
    echo: { suspectsEcho: false, hearsEcho: false, rulesOutEcho: true },
  });
  const heard = await listener.listen(1000, { untilMs: 1500, ended: true }, { speech: "", awaitsAnswer: false });
  expect(heard?.heard).toBe(kind);
  expect(listener.stop()?.transcript.isDoubtful).toBe(true);
});

test.each([
  ["surely heard words before it", [false, true], undefined],
  ["only doubtful words before it", [true, true], true],
  ["nothing after doubtful words", [true, undefined], true],
])("a long turn with %s", (_, [first, last], expected) => {
  const words = new TurnWords();
  const decode = (from: number, isDoubtful: boolean | undefined) => ({
    window: { from, knownFrom: from },
    fromSample: from,
    words:
      isDoubtful === undefined ? [] : [{ word: "well", start: from / 16_000, end: 0.5 + from / 16_000, confidence: 1 }],
    isDoubtful,
  });
  words.settle(decode(0, first), 16_000);
  expect(words.final(decode(16_000, last), 1).isDoubtful).toBe(expected);
});
